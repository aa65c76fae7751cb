"""Ad hoc methods, for comparison only: none of them gives a guarantee (N section 5.3).

They work on registered faces, all at once, and on a face's box inside a photo. Every call warns
with `NoGuaranteeWarning`.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np

from ksame.arrays import Array, Floats
from ksame.checks import RandomState, check_faces, check_random_state
from ksame.errors import InputError, NoGuaranteeWarning
from ksame.methods import filters
from ksame.methods.filters import BOX, Filter, Layout, Settings
from ksame.methods.suppress import suppress_eigenvectors

# name: what it does to faces, and its level where none is given (N and G's where they state one)
AD_HOC: dict[str, tuple[Filter, float]] = {
    "blackout": (filters.blackout, 0.0),
    "average": (filters.average, 0.0),
    "random-one": (filters.random_one, 0.0),
    "bar": (filters.bar, 0.0),
    "t-mask": (filters.t_mask, 0.0),
    "mouth": (filters.mouth, 0.0),
    "mouth-bw": (filters.mouth_bw, 0.0),
    "pixelate": (filters.pixelate, 15.0),
    "blur": (filters.blur, 8.0),
    "negative": (filters.negative, 0.0),
    "negative-bw": (filters.negative_bw, 0.0),
    "potato": (filters.potato, 0.0),
    "noise": (filters.noise, 0.5),
    "noise-bw": (filters.noise_bw, 0.25),
    "ordinal": (filters.ordinal, 5.0),
    "threshold": (filters.threshold, 118.0),
    "suppress": (suppress_eigenvectors, 10.0),
}


def conceal(
    faces: Any,
    method: str,
    *,
    level: float | None = None,
    layout: Layout | None = None,
    others: Any = None,
    random_state: RandomState = None,
) -> Array:
    """Alter registered faces by an ad hoc method; there is **no guarantee** of anything.

    Parameters
    ----------
    faces : array-like (n, h, w) or (n, h, w, 3)
        Values from 0 to 255.
    method : str
        A name of `AD_HOC`; '-bw' is the black and white variant.
    level : float, optional
        Block size (pixelate), sigma (blur), share of pixels (noise), bins (ordinal), value
        (threshold) or number of eigenvectors (suppress).
    layout : Layout, optional
        Where eyes, nose and mouth lie in the frame.
    others : array-like (m, h, w[, 3]), optional
        Further faces for 'average' and 'potato'.
    random_state : int, Generator or None

    Returns
    -------
    array of the shape and type of `faces`
    """
    _warn(method)
    return _alter(faces, method, level, layout or Layout(), others, random_state)


def conceal_box(
    photo: Array,
    box: Sequence[float] | Array,
    method: str,
    *,
    level: float | None = None,
    layout: Layout | None = None,
    others: Sequence[Array] | None = None,
    random_state: RandomState = None,
) -> Array:
    """Return a copy of a photo in which a face's box is altered; there is **no guarantee**.

    Parameters
    ----------
    photo : (h, w) or (h, w, 3)
    box : x0, y0, x1, y1
        In pixels; what lies outside of the photo is cut off.
    others : sequence of face crops, optional
        Of any size, with the channels of the photo; 'average' and 'potato' need them.
    method, level, layout, random_state : as in `conceal`; the layout is that of a detector's box.
    """
    _warn(method)
    height, width = photo.shape[:2]
    x0, y0, x1, y1 = (float(value) for value in box)
    left, top = max(int(np.floor(x0)), 0), max(int(np.floor(y0)), 0)
    right, bottom = min(int(np.ceil(x1)), width), min(int(np.ceil(y1)), height)
    if right <= left or bottom <= top:
        raise InputError(
            f"the box ({x0:g}, {y0:g}, {x1:g}, {y1:g}) has no pixel inside a photo of "
            f"{width}x{height}; x1 > x0 and y1 > y0 must hold inside of it. Correct the box."
        )
    face = photo[top:bottom, left:right]
    size = (right - left, bottom - top)
    donors = None
    if others is not None and len(others):
        donors = [cv2.resize(other, size, interpolation=cv2.INTER_AREA) for other in others]
    altered = photo.copy()
    altered[top:bottom, left:right] = _alter(
        face[None], method, level, layout or BOX, donors, random_state
    )[0]
    return altered


def _warn(method: str) -> None:
    """Warn that there is no guarantee, or refuse a name that is not known."""
    if method not in AD_HOC:
        raise InputError(f"method={method!r} is not known; it must be one of {', '.join(AD_HOC)}.")
    warnings.warn(
        f"'{method}' gives no privacy guarantee: recognisers see through it (N section 5.3). "
        "Use it for comparison only.",
        NoGuaranteeWarning,
        stacklevel=3,
    )


def _alter(
    faces: Any,
    method: str,
    level: float | None,
    layout: Layout,
    others: Any,
    random_state: RandomState,
) -> Array:
    """Run a filter on float faces with a channel axis and return them in the type they came in."""
    given = np.asarray(faces)
    images = _with_channels(given)
    donors = None if others is None else _with_channels(np.asarray(others))
    if donors is not None and donors.shape[1:] != images.shape[1:]:
        raise InputError(
            f"others have the shape {donors.shape[1:]} and the faces {images.shape[1:]}; they must "
            "be equal. Register all faces to one frame."
        )
    function, default = AD_HOC[method]
    strength = default if level is None else float(level)
    if not np.isfinite(strength) or strength < 0:
        raise InputError(f"level={level} must be a finite number of at least 0. Correct it.")
    settings = Settings(
        level=strength, layout=layout, others=donors, rng=check_random_state(random_state)
    )
    altered = function(images, settings).reshape(given.shape)
    if np.issubdtype(given.dtype, np.integer):
        return np.rint(np.clip(altered, 0, 255)).astype(given.dtype)
    return altered


def _with_channels(faces: Array) -> Floats:
    """Return faces (n, h, w) or (n, h, w, 3) as floats (n, h, w, c)."""
    images = check_faces(faces, "faces")
    if images.ndim == 3:
        images = images[..., None]
    if images.ndim != 4 or images.shape[3] not in (1, 3):
        raise InputError(
            f"faces have shape {faces.shape} and must be images (n, h, w) or (n, h, w, 3). "
            "Reshape vectors to the frame that they were registered to."
        )
    return images

"""Further kinds of photo files, which installed packages offer as entry points (`ksame.formats`).

Pillow reads the usual ones; a camera's raw files, medical pictures or arrays are a class of two
members away. Such photos are released as PNG, without loss.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

import numpy as np

from ksame.arrays import Image
from ksame.errors import MediaError
from ksame.plugins import made, names_of, resolve

_PILLOW: Final = """
    .jpg .jpeg .jpe .jfif .mpo .png .apng .tif .tiff .webp .bmp .dib .gif .pbm .pgm .ppm .pnm
    .avif .jp2 .j2k .heic .heif .hif
"""
READ_HERE: Final = frozenset(_PILLOW.split())
"""How the names of files end that ksame reads itself: nobody else is asked for these."""


@runtime_checkable
class Format(Protocol):
    """Reads one kind of photo file."""

    @property
    def suffixes(self) -> Sequence[str]:
        """How the names of such files end, as in ``.npy``."""
        ...

    def read(self, path: Path, /) -> Image:
        """The upright pixels (h, w, 3), sRGB in 0 to 255."""
        ...


def is_offered(path: Path) -> bool:
    """Whether an installed package reads files with this ending."""
    suffix = path.suffix.lower()
    return suffix not in READ_HERE and suffix in _offered()


def read_offered(path: Path, max_pixels: int) -> Image:
    """The pixels of a file that a format of somebody's own reads.

    Raises
    ------
    MediaError
        It cannot be read, has too many pixels, or what comes out is no picture.
    """
    name, reader = _offered()[path.suffix.lower()]
    try:
        rgb = np.asarray(reader.read(path))
    except Exception as error:  # a reader of somebody's own may raise anything
        kind = type(error).__name__
        raise MediaError(
            f"{path} cannot be read as {name} ({kind}). Restore it from a copy or leave it out."
        ) from error
    if rgb.dtype != np.uint8 or rgb.ndim != 3 or rgb.shape[2] != 3 or not rgb.size:
        raise MediaError(
            f"{path} was read by {name} as {rgb.dtype} of shape {rgb.shape}; a photo is uint8 of "
            "shape (h, w, 3). Mend the reader."
        )
    if rgb.shape[0] * rgb.shape[1] > max_pixels:
        raise MediaError(
            f"{path} has {rgb.shape[0] * rgb.shape[1]} pixels, at most {max_pixels} are read. "
            "Make it smaller or raise the limit."
        )
    return rgb


@cache
def _offered() -> dict[str, tuple[str, Format]]:
    """The formats that packages offer, by the endings of their files; the first name wins."""
    found: dict[str, tuple[str, Format]] = {}
    for name in names_of("format", {}):
        one = made("format", name, resolve("format", name, {}), Format)  # type: ignore[type-abstract]
        for suffix in one.suffixes:
            found.setdefault(suffix.lower(), (name, one))
    return found

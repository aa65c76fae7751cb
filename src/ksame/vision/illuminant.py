"""What a photo tells of the light that a face stands in."""

import numpy as np

from ksame.arrays import AnyFloats, Bools, Floats, Floats32, Image, percentiles

_SIDE = 160  # px: every n-th pixel of the photo, so that at most this many are left on a side
_CLIPPED = 0.97  # of full scale: brighter pixels have lost their colour
_BLACK = 1e-3  # added before logarithms: a third of the darkest grey level
_LUMINANCE = np.array([0.2126, 0.7152, 0.0722], np.float32)  # of linear sRGB
_FEWEST = 50  # pixels that must be left beside the faces


def _srgb_curve() -> Floats32:
    values = np.arange(256) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4).astype(
        np.float32
    )


_LINEAR = _srgb_curve()


def linear(image: Image) -> Floats32:
    """Amounts of light, 0 to 1, of sRGB pixels."""
    return _LINEAR.take(image)


def luminance(light: Floats32) -> Floats32:
    """The luminance of linear RGB."""
    weighed: Floats32 = light @ _LUMINANCE
    return weighed


def logarithm(light: AnyFloats) -> Floats:
    """Logarithms of amounts of light: a change of the light shifts them all by one number."""
    return np.log(light.astype(np.float64) + _BLACK)


def surroundings(image: Image, boxes: Floats) -> Floats:
    """Logarithms that tell the light of the photo beside its faces.

    Shades of grey, grey edges, mean, and mean of the brightest tenth, three channels each; then
    six percentiles of the luminance; then, without logarithm, the share of clipped pixels and the
    share of the photo that is no face.

    Parameters
    ----------
    image
        RGB.
    boxes : (n, 4) array
        The faces of the photo, xyxy; they are left out.
    """
    step = max(1, -(-max(image.shape[:2]) // _SIDE))
    light = linear(image[step // 2 :: step, step // 2 :: step])
    beside = np.ones(light.shape[:2], bool)
    for x0, y0, x1, y1 in np.maximum(boxes / step, 0):
        beside[int(y0) : int(np.ceil(y1)), int(x0) : int(np.ceil(x1))] = False
    share = beside.mean()
    if beside.sum() < _FEWEST:
        beside[:] = True
    pixels = light[beside]
    brightest_channel = np.maximum(np.maximum(pixels[:, 0], pixels[:, 1]), pixels[:, 2])
    unclipped = pixels[brightest_channel < _CLIPPED]
    grey = unclipped if len(unclipped) >= _FEWEST else pixels
    bright = luminance(pixels)
    levels = percentiles(bright, (5, 25, 50, 75, 90, 95, 99))
    brightest = pixels[bright >= levels[4]].mean(axis=0)
    parts = (_norm(grey), _edges(light, beside), pixels.mean(axis=0), brightest)
    return np.concatenate(
        [
            *(logarithm(part) for part in parts),
            logarithm(np.delete(levels, 4)),
            [float((brightest_channel >= _CLIPPED).mean()), float(share)],
        ]
    )


def _norm(values: Floats32) -> Floats:
    """The fourth root of each channel's mean fourth power: between their mean and the brightest."""
    squares = np.square(values, dtype=np.float64)
    mean: Floats = np.einsum("ic,ic->c", squares, squares) / len(values)
    return np.sqrt(np.sqrt(mean))


def _edges(light: Floats32, beside: Bools) -> Floats:
    """The Minkowski mean of each channel's steps between neighbours."""
    across, down = np.abs(np.diff(light, axis=1)), np.abs(np.diff(light, axis=0))
    steps = np.concatenate([across[beside[:, 1:]], down[beside[1:]]])
    return _norm(steps) if len(steps) else np.zeros(3)

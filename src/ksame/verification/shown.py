"""How frames of a released clip are shown: as RGB, upright, HDR as ordinary pictures."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from av.video.frame import VideoFrame
from av.video.reformatter import Colorspace, Interpolation

from ksame.arrays import Floats, Image
from ksame.verification.reading import Malformed, count, entry, items, whole

_PQ, _HLG = 16, 18  # transfers of high dynamic range (ITU-T H.273)
_WHITE_NITS = 203.0  # cd/m2 of a white page in HDR (ITU-R BT.2408)
_WHITE_SCENE = 0.2650  # of the scene's light in HLG: the same page
_KNEE = 0.5  # of white: what is brighter is pressed together
_EXACT = Interpolation.BILINEAR | Interpolation.ACCURATE_RND | Interpolation.BITEXACT
_MATRICES = {
    1: Colorspace.ITU709, 4: Colorspace.FCC, 5: Colorspace.ITU601, 6: Colorspace.ITU601,
    7: Colorspace.SMPTE240M, 9: Colorspace.BT2020, 10: Colorspace.BT2020,
}  # fmt: skip
# quarter turns counterclockwise, and whether mirrored before, by the signs of the display matrix
_TURNS = {
    (1, 0, 0, 1): (0, False), (0, 1, -1, 0): (3, False), (-1, 0, 0, -1): (2, False),
    (0, -1, 1, 0): (1, False), (-1, 0, 0, 1): (0, True), (0, -1, -1, 0): (3, True),
    (1, 0, 0, -1): (2, True), (0, 1, 1, 0): (1, True),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shown:
    """How a clip's frames are shown: matrix and range of its colours, and which way is up."""

    matrix: Colorspace
    full: bool
    turn: tuple[int, bool]
    curve: Image | None  # from 10 bit samples of HDR to what is seen

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> "Shown":
        """As the ledger's facts say."""
        colour = items(entry(facts, "colour", "facts"), "colour", count)
        width, height = (count(entry(facts, name, "facts"), name) for name in ("width", "height"))
        if len(colour) != 4:
            raise Malformed("a clip's colour has not four numbers")
        guess = Colorspace.ITU709 if width >= 1280 or height > 576 else Colorspace.ITU601
        matrix = _MATRICES.get(colour[3], guess)
        return cls(matrix, colour[0] == 2, _turn(facts.get("matrix")), curve_of(colour[2]))

    def picture(self, frame: VideoFrame) -> Image:
        """A decoded frame as RGB, upright."""
        made = frame.reformat(
            format="rgb24" if self.curve is None else "gbrp10le",
            src_colorspace=self.matrix,
            src_color_range=2 if self.full else 1,
            dst_color_range=2,
            interpolation=_EXACT,
        ).to_ndarray()
        rgb = made if self.curve is None else self.curve[made]
        quarters, mirrored = self.turn
        seen = np.asarray(rgb, np.uint8)
        return np.ascontiguousarray(np.rot90(seen[:, ::-1] if mirrored else seen, quarters))


def _turn(matrix: Any) -> tuple[int, bool]:
    if matrix is None:
        return 0, False
    nine = items(matrix, "matrix", whole)
    if len(nine) != 9:
        raise Malformed("a display matrix has not nine numbers")
    a, b, c, d = (int(np.sign(nine[i])) for i in (0, 1, 3, 4))
    return _TURNS.get((a, b, c, d), (0, False))


@cache
def curve_of(transfer: int) -> Image | None:
    """What a 10 bit sample of HDR looks like on an ordinary screen; None for other transfers."""
    if transfer not in (_PQ, _HLG):
        return None
    signal = np.arange(1024) / 1023
    light = _pq(signal) / _WHITE_NITS if transfer == _PQ else _hlg(signal) / _WHITE_SCENE
    over = np.maximum(light - _KNEE, 0)
    light = np.minimum(light, _KNEE) + (1 - _KNEE) * -np.expm1(-over / (1 - _KNEE))
    gamma = 1.055 * light ** (1 / 2.4) - 0.055
    srgb = np.where(light <= 0.0031308, 12.92 * light, gamma)
    curve: Image = np.rint(255 * srgb).astype(np.uint8)
    return curve


def _pq(signal: Floats) -> Floats:
    """Candela a square metre of a PQ signal (SMPTE ST 2084)."""
    root = signal ** (32 / 2523)
    base = np.maximum(root - 0.8359375, 0) / (18.8515625 - 18.6875 * root)
    return np.asarray(10_000 * base ** (16384 / 2610))


def _hlg(signal: Floats) -> Floats:
    """The scene's light of an HLG signal (ITU-R BT.2100)."""
    bright = (np.exp((signal - 0.55991073) / 0.17883277) + 0.28466892) / 12
    return np.asarray(np.where(signal <= 0.5, signal * signal / 3, bright))

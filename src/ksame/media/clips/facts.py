"""What a clip is beside its pictures: everything of the stream that must come out again."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ksame.arrays import Image, Ints

UNSPECIFIED = 2
"""What ITU-T H.273 writes for primaries, transfer or matrix that nobody stated."""

LIMITED_RANGE, FULL_RANGE = 1, 2
HLG, PQ = 18, 16
"""The two transfers of high dynamic range, as H.273 counts them."""

BT709, BT601, SRGB = 1, 6, 13
"""Primaries and matrices of HD and SD video, and the transfer of screens."""

_HD_WIDTH, _HD_HEIGHT = 1280, 576
"""Untagged video from this size on is BT.709, below it BT.601: what players assume."""

_RIGHT_ANGLES = {
    # (a, b, c, d) of the display matrix in units of 65536: quarter turns counterclockwise for
    # numpy.rot90, and whether the picture is mirrored left to right first
    (1, 0, 0, 1): (0, False),
    (0, 1, -1, 0): (3, False),
    (-1, 0, 0, -1): (2, False),
    (0, -1, 1, 0): (1, False),
    (-1, 0, 0, 1): (0, True),
    (0, -1, -1, 0): (3, True),
    (1, 0, 0, -1): (2, True),
    (0, 1, 1, 0): (1, True),
}


@dataclass(frozen=True)
class Colour:
    """Colour tags of a stream, in the numbers of ITU-T H.273 (range: 0 unknown, 1 limited, 2 full).

    `matrix` is what the stream states; where it states none, `matrix_by_size` guesses.
    """

    range: int = 0
    primaries: int = UNSPECIFIED
    transfer: int = UNSPECIFIED
    matrix: int = UNSPECIFIED

    @property
    def is_hdr(self) -> bool:
        """Whether the transfer is that of high dynamic range."""
        return self.transfer in (HLG, PQ)


@dataclass(frozen=True)
class AudioFacts:
    """One audio stream of a clip: where it is, its codec, and its form."""

    index: int
    codec: str
    rate: int
    channels: int


@dataclass(frozen=True, eq=False)
class ClipFacts:
    """Everything of a video stream that a release must show again.

    Attributes
    ----------
    width, height : int
        Of the stored pictures, before the display matrix turns them.
    matrix : tuple of 9 int, or None
        The display matrix of the container, as ISO 14496-12 stores it.
    time_base : Fraction
        Seconds of one tick.
    timestamps : int64 array
        When every frame is shown, in ticks, strictly increasing.
    duration : int
        Ticks from the first frame's time stamp to the end of the last frame.
    rate : Fraction
        Average frames a second.
    pixel_format : str
        The planar form in which the clip is encoded again; it has the source's chroma and depth
        as far as the encoder can.
    aspect : Fraction
        Width of a pixel over its height.
    keys, cuts : tuple of int
        Frame numbers where decoding can begin, and where a new shot begins.
    seekable : bool
        Whether every frame had a time stamp of its own, so that frames are found by it.
    notes : tuple of str
        What could not be kept, for the report; no name is in it.
    """

    width: int
    height: int
    matrix: tuple[int, ...] | None
    time_base: Fraction
    timestamps: Ints = field(repr=False)
    duration: int
    rate: Fraction
    colour: Colour
    pixel_format: str
    aspect: Fraction = Fraction(1)
    audio: tuple[AudioFacts, ...] = ()
    codec: str = ""
    stream: int = 0
    keys: tuple[int, ...] = field(default=(0,), repr=False)
    cuts: tuple[int, ...] = field(default=(), repr=False)
    seekable: bool = True
    notes: tuple[str, ...] = ()

    @property
    def frames(self) -> int:
        """How many frames the clip shows."""
        return len(self.timestamps)

    @property
    def seconds(self) -> float:
        """How long the clip is."""
        return float(self.duration * self.time_base)

    @property
    def bits(self) -> int:
        """Bits of a sample in the released clip."""
        return 10 if "10" in self.pixel_format else 8

    @property
    def upright_size(self) -> tuple[int, int]:
        """Width and height of the pictures that `read_frames` yields."""
        turned = self._turn[0] % 2 == 1
        return (self.height, self.width) if turned else (self.width, self.height)

    def upright(self, stored: Image) -> Image:
        """A stored picture as it is shown: turned and mirrored as the display matrix says."""
        quarters, mirrored = self._turn
        return np.rot90(stored[:, ::-1] if mirrored else stored, quarters)

    def stored(self, upright: Image) -> Image:
        """The inverse of `upright`."""
        quarters, mirrored = self._turn
        turned = np.rot90(upright, -quarters)
        return turned[:, ::-1] if mirrored else turned

    def seconds_at(self, frame: int) -> float:
        """When a frame is shown, in seconds from the first."""
        return float(int(self.timestamps[frame] - self.timestamps[0]) * self.time_base)

    def as_json(self) -> dict[str, Any]:
        """The facts as a ledger holds them: equal for equal streams, without any name."""
        return {
            "width": self.width,
            "height": self.height,
            "frames": self.frames,
            "matrix": list(self.matrix) if self.matrix else None,
            "time_base": [self.time_base.numerator, self.time_base.denominator],
            "timestamps": pack_times(self.timestamps),
            "duration": self.duration,
            "aspect": [self.aspect.numerator, self.aspect.denominator],
            "pixel_format": self.pixel_format,
            "colour": [
                # what states no range has the limited one
                max(self.colour.range, LIMITED_RANGE),
                self.colour.primaries,
                self.colour.transfer,
                self.colour.matrix,
            ],
        }

    @cached_property
    def _turn(self) -> tuple[int, bool]:
        """Quarter turns and mirroring; a matrix of other angles turns nothing."""
        if self.matrix is None:
            return 0, False
        a, b, c, d = (self.matrix[i] for i in (0, 1, 3, 4))
        unit = max(abs(a), abs(b)) or 1
        return _RIGHT_ANGLES.get(
            (_sign(a, unit), _sign(b, unit), _sign(c, unit), _sign(d, unit)), (0, False)
        )


def matrix_by_size(width: int, height: int) -> int:
    """The matrix that players assume for video without tags."""
    return BT709 if width >= _HD_WIDTH or height > _HD_HEIGHT else BT601


def _sign(value: int, unit: int) -> int:
    """-1, 0 or 1, and something else for what is no right angle."""
    share = value / unit
    return int(share) if share in (-1.0, 0.0, 1.0) else 2


def pack_times(times: Ints) -> dict[str, Any]:
    """Time stamps as their first and the runs of equal steps: short for steady rates."""
    steps = np.diff(times)
    if not len(steps):
        return {"first": int(times[0]), "steps": []}
    starts = np.flatnonzero(np.r_[True, steps[1:] != steps[:-1]])
    counts = np.diff(np.r_[starts, len(steps)])
    runs = [[int(steps[i]), int(n)] for i, n in zip(starts, counts, strict=True)]
    return {"first": int(times[0]), "steps": runs}


def unpack_times(packed: dict[str, Any]) -> Ints:
    """The inverse of `pack_times`."""
    steps = [np.full(count, step, np.int64) for step, count in packed["steps"]]
    return np.cumsum(np.concatenate([np.array([packed["first"]], np.int64), *steps]))

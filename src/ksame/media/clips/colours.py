"""Between the planes that a clip stores and the RGB that everything else works on."""

import numpy as np
from av.video.frame import VideoFrame
from av.video.reformatter import Colorspace, Interpolation, VideoReformatter

from ksame.arrays import Array, Image
from ksame.media.clips.facts import FULL_RANGE, ClipFacts

_EXACT = Interpolation.BICUBIC | Interpolation.ACCURATE_RND | Interpolation.BITEXACT
"""One result on every processor: what is encoded must not depend on it."""

_MATRICES = {
    1: Colorspace.ITU709,
    4: Colorspace.FCC,
    5: Colorspace.ITU601,
    6: Colorspace.ITU601,
    7: Colorspace.SMPTE240M,
    9: Colorspace.BT2020,
    10: Colorspace.BT2020,
}

_HD_WIDTH, _HD_HEIGHT = 1280, 576
"""Untagged video from this size on is BT.709, below it BT.601: what players assume."""


class Converter:
    """Turns frames of one clip into RGB and back, with one matrix and range both ways."""

    def __init__(self, facts: ClipFacts) -> None:
        self._facts = facts
        self._matrix = working_matrix(facts)
        self._full = facts.colour.range == FULL_RANGE
        self._in, self._out, self._back = (VideoReformatter() for _ in range(3))

    def to_planes(self, source: VideoFrame) -> VideoFrame:
        """The source's pixels in the encoded form, in a frame that holds nothing else."""
        facts = self._facts
        if source.format.is_rgb or source.format.name == "pal8":
            return self.from_rgb(self._flat(source))
        planes = self._in.reformat(
            source,
            format=facts.pixel_format,
            src_colorspace=self._matrix,
            dst_colorspace=self._matrix,
            src_color_range=self._range,
            dst_color_range=self._range,
            interpolation=_EXACT,
            threads=1,
        )
        # side data of the source (captions, user data, Dolby Vision) must not meet the encoder
        clean = VideoFrame(facts.width, facts.height, facts.pixel_format)
        for target, plane in zip(samples(clean), samples(planes), strict=True):
            target[:] = plane
        return clean

    def to_rgb(self, source: VideoFrame, planes: VideoFrame) -> Image:
        """The upright picture of a frame."""
        if source.format.is_rgb or source.format.name == "pal8":
            return np.ascontiguousarray(self._facts.upright(self._flat(source)))
        rgb = self._out.reformat(
            planes,
            format="rgb24",
            src_colorspace=self._matrix,
            src_color_range=self._range,
            dst_color_range=FULL_RANGE,
            interpolation=_EXACT,
            threads=1,
        )
        return np.ascontiguousarray(self._facts.upright(rgb.to_ndarray()))

    def from_rgb(self, stored: Image) -> VideoFrame:
        """A picture in stored orientation in the encoded form."""
        frame = VideoFrame.from_ndarray(np.ascontiguousarray(stored), format="rgb24")
        converted: VideoFrame = self._back.reformat(
            frame,
            format=self._facts.pixel_format,
            dst_colorspace=self._matrix,
            src_color_range=FULL_RANGE,
            dst_color_range=self._range,
            interpolation=_EXACT,
            threads=1,
        )
        return converted

    @property
    def _range(self) -> int:
        return FULL_RANGE if self._full else 1

    @staticmethod
    def _flat(source: VideoFrame) -> Image:
        """RGB pixels of a source without a matrix, laid over white where it is transparent."""
        rgba = source.to_ndarray(format="rgba")
        alpha = rgba[..., 3:].astype(np.uint16)
        return ((rgba[..., :3] * alpha + 255 * (255 - alpha) + 127) // 255).astype(np.uint8)


def working_matrix(facts: ClipFacts) -> Colorspace:
    """The matrix between planes and RGB: the stated one, else what players assume by size."""
    if facts.colour.matrix in _MATRICES:
        return _MATRICES[facts.colour.matrix]
    hd = facts.width >= _HD_WIDTH or facts.height > _HD_HEIGHT
    return Colorspace.ITU709 if hd else Colorspace.ITU601


def samples(frame: VideoFrame) -> list[Array]:
    """The planes of a planar frame as writeable arrays without their padding."""
    deep = frame.format.components[0].bits > 8
    found = []
    for plane in frame.planes:
        kind = np.uint16 if deep else np.uint8
        rows = np.frombuffer(plane, kind).reshape(plane.height, -1)
        found.append(rows[:, : plane.width])
    return found

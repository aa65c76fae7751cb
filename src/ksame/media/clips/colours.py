"""Between the planes that a clip stores and the RGB that everything else works on."""

from typing import cast

import numpy as np
from av.video.frame import VideoFrame
from av.video.reformatter import Colorspace, Interpolation, VideoReformatter

from ksame.arrays import Array, Image
from ksame.media.clips.facts import FULL_RANGE, LIMITED_RANGE, ClipFacts, matrix_by_size
from ksame.media.clips.formats import is_rgb
from ksame.media.clips.hdr import from_ordinary, to_ordinary

_EXACT = Interpolation.BILINEAR | Interpolation.ACCURATE_RND | Interpolation.BITEXACT
"""One result on every processor: what is encoded must not depend on it."""

_SEEN = Interpolation.BILINEAR | Interpolation.BITEXACT
"""The same for pictures to look at, up to a level off and in less than half of the time."""

_MATRICES = {
    1: Colorspace.ITU709,
    4: Colorspace.FCC,
    5: Colorspace.ITU601,
    6: Colorspace.ITU601,
    7: Colorspace.SMPTE240M,
    9: Colorspace.BT2020,
    10: Colorspace.BT2020,
}


class Converter:
    """Turns frames of one clip into RGB and back, with one matrix and range both ways."""

    def __init__(self, facts: ClipFacts) -> None:
        self._facts = facts
        self._matrix = working_matrix(facts)
        self._range = FULL_RANGE if facts.colour.range == FULL_RANGE else LIMITED_RANGE
        self._transfer = facts.colour.transfer if facts.colour.is_hdr else None
        self._in, self._out, self._back = (VideoReformatter() for _ in range(3))

    def to_planes(self, source: VideoFrame) -> VideoFrame:
        """The source's pixels in the encoded form, in a frame that holds nothing else."""
        if is_rgb(source.format):
            return self.from_rgb(_flat(source))
        planes = self._in.reformat(
            source,
            format=self._facts.pixel_format,
            src_colorspace=self._matrix,
            dst_colorspace=self._matrix,
            src_color_range=self._range,
            dst_color_range=self._range,
            interpolation=_EXACT,
            threads=1,
        )
        # side data of the source (captions, user data, Dolby Vision) must not meet the encoder
        return copied(planes)

    def to_rgb(self, source: VideoFrame, planes: VideoFrame) -> Image:
        """The upright picture of a frame."""
        if is_rgb(source.format):
            return np.ascontiguousarray(self._facts.upright(_flat(source)))
        rgb = self._out.reformat(
            planes,
            format="rgb24" if self._transfer is None else "gbrp10le",
            src_colorspace=self._matrix,
            src_color_range=self._range,
            dst_color_range=FULL_RANGE,
            interpolation=_SEEN,
            threads=1,
        )
        pixels = cast(Array, rgb.to_ndarray())
        if self._transfer is not None:
            pixels = to_ordinary(pixels, self._transfer)
        return np.ascontiguousarray(self._facts.upright(pixels))

    def from_rgb(self, stored: Image) -> VideoFrame:
        """A picture in stored orientation, or a part of one, in the encoded form."""
        if self._transfer is None:
            frame = VideoFrame.from_ndarray(np.ascontiguousarray(stored), format="rgb24")
        else:
            deep = from_ordinary(stored, self._transfer)
            frame = VideoFrame.from_ndarray(deep, format="gbrp10le")
        return self._back.reformat(
            frame,
            format=self._facts.pixel_format,
            dst_colorspace=self._matrix,
            src_color_range=FULL_RANGE,
            dst_color_range=self._range,
            interpolation=_EXACT,
            threads=1,
        )


def working_matrix(facts: ClipFacts) -> Colorspace:
    """The matrix between planes and RGB: the stated one, else what players assume by size."""
    stated = facts.colour.matrix
    if stated not in _MATRICES:
        stated = matrix_by_size(facts.width, facts.height)
    return _MATRICES[stated]


def samples(frame: VideoFrame) -> list[Array]:
    """The planes of a planar frame as writeable arrays without their padding."""
    kind = np.uint16 if frame.format.components[0].bits > 8 else np.uint8
    found = []
    for plane in frame.planes:
        rows = np.frombuffer(memoryview(plane), kind).reshape(plane.height, -1)
        found.append(rows[:, : plane.width])
    return found


def copied(planes: VideoFrame) -> VideoFrame:
    """A frame with the same pixels and nothing else."""
    clean = VideoFrame(planes.width, planes.height, planes.format.name)
    for target, plane in zip(samples(clean), samples(planes), strict=True):
        target[:] = plane
    return clean


def _flat(source: VideoFrame) -> Image:
    """RGB pixels of a source without a matrix, laid over white where it is transparent."""
    rgba = cast(Image, source.to_ndarray(format="rgba"))
    if rgba[..., 3].min() == 255:
        return rgba[..., :3]
    alpha = rgba[..., 3:].astype(np.uint16)
    flat = (rgba[..., :3] * alpha + 255 * (255 - alpha) + 127) // 255
    return flat.astype(np.uint8)

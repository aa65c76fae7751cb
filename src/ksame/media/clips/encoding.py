"""One segment becomes coded frames: the same bytes on every run, on one thread."""

import os
from types import TracebackType
from typing import cast

import av
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from ksame.arrays import Image
from ksame.errors import InputError
from ksame.media.clips.colours import Converter
from ksame.media.clips.facts import ClipFacts
from ksame.media.clips.formats import check_codec
from ksame.media.clips.frames import Frame
from ksame.media.clips.merging import merged
from ksame.media.clips.opening import writing
from ksame.media.clips.segments import Segment

QUALITY = 18
"""Constant rate factor: below this, eyes see no loss (18 of 51 in H.264)."""

_KEY_EVERY = 250
"""Frames between key frames at most, so that players can seek."""


class SegmentWriter:
    """Encodes the frames of one segment into a file that `join` takes.

    The bytes are a function of the pictures, the facts and the settings: one thread, no clock, no
    random numbers. Frames are coded in the order in which they are shown (no B-frames), so a
    frame has one time stamp, and the joined clip needs no reordering. Nothing but pixels of the
    given frames enters: captions, user data and side data of the source have no way in.

    Use it as a context manager: leaving it normally checks that every frame came; leaving it by
    an exception abandons the file.
    """

    def __init__(
        self,
        out: str | os.PathLike[str],
        facts: ClipFacts,
        segment: Segment,
        codec: str = "h264",
        quality: int = QUALITY,
    ) -> None:
        self._facts, self._segment = facts, segment
        self._convert = Converter(facts)
        self._count = 0
        self._abandoned = False
        self._container = av.open(
            os.fspath(out), "w", format="mp4", options={"fflags": "+bitexact"}
        )
        self._stream = cast(
            VideoStream,
            self._container.add_stream(
                check_codec(codec), rate=facts.rate, options=_options(codec, quality)
            ),
        )
        _describe(self._stream.codec_context, facts)
        self._clean = av.bitstream.BitStreamFilterContext(_WITHOUT_MESSAGES[codec], self._stream)

    def write(self, picture: Frame | Image, seen: Frame | None = None) -> None:
        """Encode the next frame.

        Parameters
        ----------
        picture : Frame or (h, w, 3) uint8 array
            An unchanged frame, or an upright picture.
        seen : Frame, optional
            The frame that the picture was made from: pixels that are equal in both keep the
            source's own samples, at its own depth.

        Raises
        ------
        InputError
            The picture's size is not the clip's, or the segment is full.
        """
        if self._count == len(self._segment):
            raise InputError(f"the segment has {len(self._segment)} frames and got one more.")
        planes = picture.planes if isinstance(picture, Frame) else self._planes(picture, seen)
        planes.pts = int(
            self._facts.timestamps[self._segment.start + self._count]
            - self._facts.timestamps[self._segment.start]
        )
        planes.time_base = self._facts.time_base
        self._count += 1
        self._mux(planes)

    def close(self) -> None:
        """Finish the file.

        Raises
        ------
        InputError
            Frames of the segment are missing.
        """
        if self._count != len(self._segment):
            self._container.close()
            raise InputError(f"the segment has {len(self._segment)} frames and got {self._count}.")
        self._mux(None)
        with writing():
            self._container.close()

    def abandon(self) -> None:
        """Give the segment up: its file is of no use, and leaving the context checks nothing."""
        self._abandoned = True

    def __enter__(self) -> "SegmentWriter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None and not self._abandoned:
            self.close()
        else:
            self._container.close()

    def _mux(self, planes: VideoFrame | None) -> None:
        with writing():
            for packet in self._stream.encode(planes):
                for clean in self._clean.filter(packet):
                    self._container.mux(clean)

    def _planes(self, picture: Image, seen: Frame | None) -> VideoFrame:
        """The picture in the encoded form; equal pixels are the source's own."""
        expected = (*self._facts.upright_size[::-1], 3)
        if picture.shape != expected:
            raise InputError(
                f"a frame of this clip is {expected}; this picture is {picture.shape}."
            )
        if seen is None:
            return self._convert.from_rgb(self._facts.stored(picture))
        return merged(picture, seen.rgb, seen.planes, self._facts, self._convert)


_WITHOUT_MESSAGES = {
    # supplemental messages (NAL unit types): the encoder's note of itself among them
    "h264": "filter_units=remove_types=6",
    "hevc": "filter_units=remove_types=39-40",
}


def _options(codec: str, quality: int) -> dict[str, str]:
    """Settings of an encoder: one thread, no B-frames, nothing of the source's side data."""
    if codec == "h264":
        return {
            "crf": str(quality),
            "preset": "veryfast",
            "a53cc": "0",
            "threads": "1",
            # the encoder's macroblock tree gives other bytes now and then (seen on small pictures)
            "x264-params": f"bframes=0:mbtree=0:keyint={_KEY_EVERY}:threads=1",
        }
    return {
        "crf": str(quality + 2),
        "preset": "superfast",
        "x265-params": (
            f"bframes=0:keyint={_KEY_EVERY}:pools=none:frame-threads=1:wpp=0:info=0:log-level=none"
        ),
    }


def _describe(context: av.VideoCodecContext, facts: ClipFacts) -> None:
    """Size, form, time and colour of the stream."""
    context.width, context.height = facts.width, facts.height
    context.pix_fmt = facts.pixel_format
    context.time_base = facts.time_base
    context.framerate = facts.rate
    context.thread_count = 1
    context.max_b_frames = 0
    if facts.aspect != 1:
        context.sample_aspect_ratio = facts.aspect
    colour = facts.colour
    context.color_range = colour.range
    context.color_primaries = colour.primaries
    context.color_trc = colour.transfer
    context.colorspace = colour.matrix

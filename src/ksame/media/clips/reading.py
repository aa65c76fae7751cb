"""The facts of a clip, by decoding all of it once."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from av.container import InputContainer
from av.sidedata.sidedata import SideData
from av.stream import Disposition
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from ksame.errors import MediaError
from ksame.media.clips.cuts import CutFinder
from ksame.media.clips.facts import (
    BT709,
    FULL_RANGE,
    LIMITED_RANGE,
    SRGB,
    AudioFacts,
    ClipFacts,
    Colour,
    matrix_by_size,
)
from ksame.media.clips.formats import MOST_BITS, encoded_format, is_rgb
from ksame.media.clips.opening import opened, video_stream
from ksame.media.clips.wholeness import check_whole

MAX_PIXELS = 40_000_000
"""Pixels of a frame that are read by default: 8K video has 33 million."""

_LARGEST_TICKS = 2**31 - 1
"""Ticks a second that an mp4 can count in."""

_MICROSECONDS = Fraction(1, 1_000_000)


@dataclass
class _Pass:
    """What is gathered while the frames go by; a few numbers a frame."""

    times: list[int] = field(default_factory=list)
    keys: list[int] = field(default_factory=list)
    cuts: list[int] = field(default_factory=list)
    first: VideoFrame | None = None
    last_length: int = 0
    own_times: bool = True


def read_facts(path: str | os.PathLike[str], max_pixels: int = MAX_PIXELS) -> ClipFacts:
    """Decode a clip once and say what it is.

    Every frame that is counted has been decoded without an error. Memory does not grow with the
    clip but for a few numbers a frame.

    Raises
    ------
    MediaError
        The clip is missing, empty, truncated, damaged, has no video, changes its size on the way
        or has frames of more than ``max_pixels``; the message holds no name.
    """
    with opened(path) as container:
        stream = video_stream(container)
        # before a decoder asks for the memory
        _check_pixels((stream.codec_context.width, stream.codec_context.height), max_pixels)
        check_whole(path, container.format.name)
        seen = _watch(container, stream, max_pixels)
        if seen.first is None:
            raise MediaError("the clip has no frame that can be decoded. Leave it out.")
        _check_count(stream, len(seen.times))
        return _facts(container, stream, seen)


def cut_frames(path: str | os.PathLike[str], facts: ClipFacts) -> list[int]:
    """Numbers of the frames at which a new shot begins; they were found with the facts."""
    return list(facts.cuts)


def decoded(
    container: InputContainer, stream: VideoStream, *, damaged: bool = False
) -> Iterator[VideoFrame]:
    """The frames of a stream in the order in which they are shown, on one thread.

    Raises
    ------
    MediaError
        A frame is damaged, unless ``damaged`` ones are asked for.
    """
    stream.codec_context.thread_count = 1
    for packet in container.demux(stream):
        for frame in packet.decode():
            if frame.is_corrupt and not damaged:
                raise MediaError(
                    "a frame of the clip is damaged. Restore the clip from a copy or leave it out."
                )
            yield frame


def _watch(container: InputContainer, stream: VideoStream, max_pixels: int) -> _Pass:
    """Decode every frame; note its time, whether it is a key frame, and cuts.

    Nobody sees these frames: the filter that smooths the edges of blocks, up to half of the time
    that decoding takes, is left out. A cut is told on thumbnails, which have no such edges.
    """
    stream.codec_context.options = {"skip_loop_filter": "all"}
    seen = _Pass()
    finder = CutFinder()
    size: tuple[int, int] | None = None
    for number, frame in enumerate(decoded(container, stream)):
        if size is None:
            size = frame.width, frame.height
            seen.first = frame
            _check_pixels(size, max_pixels)
        elif size != (frame.width, frame.height):
            raise MediaError(
                f"the clip changes its size from {size[0]}x{size[1]} to "
                f"{frame.width}x{frame.height}. Convert it to one size, or cut it there."
            )
        _note_time(seen, frame, stream)
        if frame.key_frame or number == 0:
            seen.keys.append(number)
        if finder.is_cut(frame):
            seen.cuts.append(number)
    return seen


def _note_time(seen: _Pass, frame: VideoFrame, stream: VideoStream) -> None:
    """The frame's time stamp, or the next free tick where it has none of its own."""
    length = frame.duration or seen.last_length or _usual_length(stream)
    time = frame.pts
    if time is None:
        seen.own_times = False
        time = seen.times[-1] + seen.last_length if seen.times else 0
    if seen.times and time <= seen.times[-1]:
        seen.own_times = False
        time = seen.times[-1] + 1
    seen.times.append(time)
    seen.last_length = length


def _usual_length(stream: VideoStream) -> int:
    """Ticks of a frame at the stream's average rate."""
    rate = stream.average_rate or stream.guessed_rate
    if not rate or not stream.time_base:
        return 1
    return max(1, round(1 / (rate * stream.time_base)))


def _check_pixels(size: tuple[int, int], max_pixels: int) -> None:
    """Refuse frames that are too large to work on."""
    pixels = size[0] * size[1]
    if pixels > max_pixels:
        raise MediaError(
            f"the clip's frames have {pixels} pixels; at most {max_pixels} are read. "
            "Make the clip smaller or raise --max-pixels."
        )


def _check_count(stream: VideoStream, frames: int) -> None:
    """Refuse a clip whose index lists frames that its data does not have."""
    # other containers state no count, or one that was guessed when recording began
    listed = stream.frames if "mp4" in stream.container.format.name else 0
    if listed > frames and _data_ends_early(stream, frames):
        raise MediaError(
            f"the clip is truncated: {listed} frames are listed, {frames} can be decoded. "
            "Restore it from a copy, or convert what is left of it to mp4."
        )


def _data_ends_early(stream: VideoStream, frames: int) -> bool:
    """Whether frames are missing, not just hidden by an edit list, which shortens the stream."""
    if not stream.duration or not stream.average_rate or not stream.time_base:
        return True
    expected = stream.duration * stream.time_base * stream.average_rate
    return frames < expected - 1


def _facts(container: InputContainer, stream: VideoStream, seen: _Pass) -> ClipFacts:
    """The facts, from the stream's header, its first frame and the pass over all frames."""
    first = seen.first
    assert first is not None
    assert stream.time_base is not None
    notes = [*_losses(container, first)]
    times = np.array(seen.times, np.int64)
    base = Fraction(stream.time_base)
    end = _stated_end(container, stream, int(times[0]))
    if end is None or end <= int(times[-1]):
        end = int(times[-1]) + max(seen.last_length, 1)
    # mp4 counts in whole parts of a second: 1001/30000 becomes 1/30000
    times, end, base = times * base.numerator, end * base.numerator, Fraction(1, base.denominator)
    if times[0] < 0:
        notes.append("the clip began before time 0; it begins at 0 now.")
        times, end = times - times[0], end - int(times[0])
    if base.denominator > _LARGEST_TICKS:
        raise MediaError(
            f"the clip counts time in 1/{base.denominator} s; an mp4 can count in "
            f"1/{_LARGEST_TICKS} s. Convert it to mp4 first."
        )
    context = stream.codec_context
    pixel_format = encoded_format(first.format, first.width, first.height)
    seconds = (end - int(times[0])) * base
    return ClipFacts(
        width=first.width,
        height=first.height,
        matrix=_display_matrix(first),
        time_base=base,
        timestamps=times,
        duration=end - int(times[0]),
        rate=Fraction(len(times) / seconds).limit_denominator(1001),
        colour=_colour(first),
        pixel_format=pixel_format,
        aspect=Fraction(stream.sample_aspect_ratio or 1) or Fraction(1),
        audio=_audio(container),
        codec=context.name,
        stream=stream.index,
        keys=tuple(seen.keys),
        cuts=tuple(seen.cuts),
        seekable=seen.own_times,
        notes=tuple(notes),
    )


def _stated_end(container: InputContainer, stream: VideoStream, first: int) -> int | None:
    """When the container says that the video ends, in the stream's ticks."""
    assert stream.time_base is not None
    if stream.duration:
        start = stream.start_time if stream.start_time is not None else first
        return start + stream.duration
    if len(container.streams) == 1 and container.duration:
        return round(container.duration * _MICROSECONDS / stream.time_base)
    return None


def _display_matrix(frame: VideoFrame) -> tuple[int, ...] | None:
    """How the container says that pictures are turned; None where it says nothing."""
    found = frame.side_data.get("DISPLAYMATRIX")
    if not isinstance(found, SideData):
        return None
    return tuple(int(v) for v in np.frombuffer(bytes(found), np.int32))


def _losses(container: InputContainer, frame: VideoFrame) -> Iterator[str]:
    """What of a clip cannot be kept."""
    bits = max(component.bits for component in frame.format.components)
    if bits > MOST_BITS:
        yield f"the clip has {bits} bits a sample; it is released with {MOST_BITS}."
    if frame.format.has_palette or any(c.is_alpha for c in frame.format.components):
        yield "what is transparent in the clip was laid over white."
    if frame.interlaced_frame:
        yield "the clip's fields were kept as lines of whole frames."
    moving = [s for s in container.streams.video if not s.disposition & Disposition.attached_pic]
    if len(moving) > 1:
        yield f"the clip has {len(moving)} video streams; only the first is released."


def _colour(frame: VideoFrame) -> Colour:
    """The colour tags as stated; the old names of full-range forms state a range too."""
    stated = int(frame.color_range)
    if is_rgb(frame.format):
        # it is encoded as YUV, with the matrix of its size; its colours are those of screens
        matrix = matrix_by_size(frame.width, frame.height)
        return Colour(LIMITED_RANGE, BT709, SRGB, matrix)
    return Colour(
        range=FULL_RANGE if frame.format.name.startswith("yuvj") else stated,
        primaries=int(frame.color_primaries),
        transfer=int(frame.color_trc),
        matrix=int(frame.colorspace),
    )


def _audio(container: InputContainer) -> tuple[AudioFacts, ...]:
    """The audio streams that can be decoded or copied."""
    return tuple(
        AudioFacts(stream.index, stream.codec_context.name, stream.rate or 0, stream.channels)
        for stream in container.streams.audio
        if stream.codec_context is not None
    )

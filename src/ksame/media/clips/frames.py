"""Frames of a clip: upright RGB to look at, and the planes they came from to encode again."""

import os
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import cast

from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from ksame.arrays import Image
from ksame.errors import MediaError
from ksame.media.clips.colours import Converter
from ksame.media.clips.facts import ClipFacts
from ksame.media.clips.going_on import Going, taken
from ksame.media.clips.opening import opened
from ksame.media.clips.reading import decoded
from ksame.media.clips.segments import Segment

_EARLIER = (0, 1, 2, 4, 8)
"""Key frames before the nearest one from which decoding is tried."""


@dataclass(frozen=True, eq=False)
class Frame:
    """A frame as it was read.

    Attributes
    ----------
    number : int
        Counted from the first frame of the clip.
    rgb : (h, w, 3) uint8 array
        Upright, as the clip is shown.
    planes : VideoFrame
        The stored picture in the form in which it is encoded again. Nothing but pixels is in it.
    """

    number: int
    rgb: Image = field(repr=False)
    planes: VideoFrame = field(repr=False)


def read_frames(
    path: str | os.PathLike[str], facts: ClipFacts, segment: Segment | None = None
) -> Iterator[Image]:
    """The pictures of a segment (of the whole clip), upright, one after the other.

    Exactly ``len(segment)`` of them come, in order; one is held at a time.

    Raises
    ------
    MediaError
        The clip no longer has the frames that the facts list.
    """
    convert = Converter(facts)
    for source in _sought(path, facts, segment or Segment(0, facts.frames)):
        alike = source.format.name == facts.pixel_format
        yield convert.to_rgb(source, source if alike else convert.to_planes(source))


def read_pairs(
    path: str | os.PathLike[str], facts: ClipFacts, segment: Segment | None = None
) -> Iterator[Frame]:
    """As `read_frames`, with the planes that `SegmentWriter` keeps unchanged pixels from."""
    wanted = segment or Segment(0, facts.frames)
    convert = Converter(facts)
    number = wanted.start
    for source in _sought(path, facts, wanted):
        planes = convert.to_planes(source)
        yield Frame(number, convert.to_rgb(source, planes), planes)
        number += 1


def _sought(
    path: str | os.PathLike[str], facts: ClipFacts, wanted: Segment
) -> Iterator[VideoFrame]:
    """The decoded frames of a segment: found by their time stamps, else counted from the start.

    A decoder that stands nearer than the nearest key frame goes on.
    """
    rest = Segment(wanted.start, facts.frames)
    nearest = bisect_right(facts.keys, wanted.start) - 1 if facts.seekable else 0
    given = 0
    if (going := taken(path, facts.stream, range(facts.keys[nearest], wanted.start + 1))) is None:
        going = Going(path, facts.stream, wanted.start, _by_key(path, facts, rest, nearest))
    for frame in going.until(wanted):
        yield frame
        given += 1
    if given < len(wanted):
        # a container that cannot seek to its own time stamps is read from the start
        rest = Segment(wanted.start + given, facts.frames)
        going = Going(path, facts.stream, rest.start, _by_count(path, facts, rest))
        yield from going.until(Segment(rest.start, wanted.stop))
    going.leave(facts.frames)


def _by_key(
    path: str | os.PathLike[str], facts: ClipFacts, wanted: Segment, nearest: int
) -> Iterator[VideoFrame]:
    """Frames found by their times, decoded from the nearest key frame or one before it."""
    if not facts.seekable or wanted.start == 0:
        return
    given = False
    for earlier in _EARLIER:
        if given or earlier > nearest:
            return
        # some containers seek too far: an earlier key frame is asked for then
        for frame in _by_time(path, facts, wanted, facts.keys[nearest - earlier]):
            yield frame
            given = True


def _by_time(
    path: str | os.PathLike[str], facts: ClipFacts, wanted: Segment, key: int
) -> Iterator[VideoFrame]:
    """Frames of a segment, decoded from a key frame on; ends early where a time is not met."""
    times = facts.timestamps
    number = wanted.start
    with opened(path) as container:
        stream = _video(container, facts)
        tick = Fraction(stream.time_base or 1).numerator
        container.seek(int(times[key]) // tick, stream=stream, backward=True, any_frame=False)
        # frames that lean on what lies before the key frame are damaged, and not asked for
        for frame in decoded(container, stream, damaged=True):
            time = None if frame.pts is None else frame.pts * tick
            if time is None or time > times[number]:
                return
            if time == times[number]:
                if frame.is_corrupt:
                    return
                yield frame
                number += 1
                if number == wanted.stop:
                    return


def _by_count(
    path: str | os.PathLike[str], facts: ClipFacts, wanted: Segment
) -> Iterator[VideoFrame]:
    """Frames counted from the start of the clip."""
    number = 0
    with opened(path) as container:
        for frame in decoded(container, _video(container, facts)):
            if number >= wanted.start:
                yield frame
            number += 1
            if number == wanted.stop:
                return
    raise MediaError(
        f"the clip has {number} frames now and had {facts.frames} when it was first read. "
        "Leave the clip as it is while it is worked on."
    )


def _video(container: InputContainer, facts: ClipFacts) -> VideoStream:
    """The stream that the facts are about."""
    return cast(VideoStream, container.streams[facts.stream])

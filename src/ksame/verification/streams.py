"""What a released clip's stream is, compared with what the ledger says of the original."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.sidedata.sidedata import SideData
from av.video.frame import VideoFrame

from ksame.verification.reading import Malformed, count, entry, items, table

_NAMES = ("width", "height", "frames", "duration")
MOST_FRAMES = 10_000_000  # of a ledger's clip: more is no clip


Look = Callable[[int, VideoFrame], Iterator[str]]
"""Says what is wrong with a decoded frame, given its number."""


def check_stream(path: Path, clip: Mapping[str, Any], look: Look | None = None) -> Iterator[str]:
    """Size, rotation, times, duration, colours and sound of a clip are those of the ledger.

    Every frame is decoded once and shown to ``look``; one is held at a time.
    """
    try:
        facts = table(entry(clip, "facts", "a clip"), "facts")
        times = _times(facts)
        base = Fraction(*_pair(facts, "time_base"))
        told = {name: count(entry(facts, name, "facts"), name) for name in _NAMES}
    except (Malformed, ZeroDivisionError) as error:
        yield f"its facts are malformed: {error}"
        return
    try:
        with av.open(f"file:{path}", metadata_errors="ignore") as container:
            yield from _check_sound(container, clip.get("audio"))
            stream = container.streams.video[0]
            if stream.time_base != base:
                yield "counts time in other steps than the original"
            if stream.duration != told["duration"]:
                yield "is not as long as the original"
            number, first = 0, None
            for number, frame in enumerate(container.decode(stream), 1):
                first = first or frame
                if number > len(times) or frame.pts != times[number - 1]:
                    yield f"frame {number - 1} is not shown when the original's is"
                    return
                if look is not None:
                    yield from look(number - 1, frame)
            if number != told["frames"]:
                yield f"has {number} frames; the original has {told['frames']}"
            if first is not None:
                yield from _check_frame(first, Fraction(stream.sample_aspect_ratio or 1), facts)
    except (av.error.FFmpegError, IndexError, ValueError, MemoryError) as error:
        yield f"cannot be decoded ({type(error).__name__})"


def _check_frame(frame: VideoFrame, aspect: Fraction, facts: Mapping[str, Any]) -> Iterator[str]:
    """The facts that every frame of the stream has in common."""
    if (frame.width, frame.height) != (facts["width"], facts["height"]):
        yield "has not the size of the original"
    turned = frame.side_data.get("DISPLAYMATRIX")
    matrix = (
        np.frombuffer(bytes(turned), np.int32).tolist() if isinstance(turned, SideData) else None
    )
    if matrix != facts.get("matrix"):
        yield "is not turned as the original"
    form = frame.format.name.replace("yuvj", "yuv")
    if form != facts.get("pixel_format"):
        yield "has not the depth and the colour samples that the ledger says"
    stated = int(frame.color_range)
    full = 2 if frame.format.name.startswith("yuvj") else max(stated, 1)
    tags = [full, int(frame.color_primaries), int(frame.color_trc), int(frame.colorspace)]
    if tags != facts.get("colour"):
        yield "has not the colour tags of the original"
    if [aspect.numerator, aspect.denominator] != facts.get("aspect"):
        yield "has not the shape of pixels of the original"


def _check_sound(container: av.container.InputContainer, audio: object) -> Iterator[str]:
    """Sound is there only where the ledger says that it was kept or masked."""
    if container.streams.audio and audio not in ("keep", "mask"):
        yield "has sound that the ledger does not list"
    if len(container.streams) != 1 + len(container.streams.audio):
        yield "has streams that are neither pictures nor sound"


def _times(facts: Mapping[str, Any]) -> list[int]:
    """The time stamps of the ledger: a first one and runs of equal steps."""
    told = table(entry(facts, "timestamps", "facts"), "timestamps")
    times = [count(entry(told, "first", "timestamps"), "first")]
    for step, repeated in items(entry(told, "steps", "timestamps"), "steps", _run):
        if len(times) + repeated > MOST_FRAMES:
            raise Malformed("more times than a clip has frames")
        times += range(times[-1] + step, times[-1] + step * repeated + 1, step)
    return times


def _run(value: Any, where: str) -> tuple[int, int]:
    step, *rest = items(value, where, count)
    if len(rest) != 1 or not step:
        raise Malformed(f"{where} is no run of steps")
    return step, rest[0]


def _pair(facts: Mapping[str, Any], name: str) -> tuple[int, int]:
    pair = items(entry(facts, name, "facts"), name, count)
    if len(pair) != 2:
        raise Malformed(f"{name} is no fraction")
    return pair[0], pair[1]

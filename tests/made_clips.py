"""Clips for tests, made with PyAV: any times, size, depth, rotation, audio and metadata."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from ksame.media.clips import ClipFacts, Frame, SegmentWriter, join, read_pairs, split

QUARTER_TURN = (0, 65536, 0, -65536, 0, 0, 0, 0, 1 << 30)
"""A display matrix that turns pictures clockwise."""


@dataclass(frozen=True)
class Recipe:
    """What a clip for a test is made of; the defaults are a short plain mp4."""

    frames: int = 12
    width: int = 64
    height: int = 48
    codec: str = "libx264"
    pixels: str = "yuv420p"
    times: Sequence[int] = ()
    time_base: Fraction = Fraction(1, 1000)
    matrix: tuple[int, ...] | None = None
    colour: tuple[int, int, int, int] = (0, 2, 2, 2)
    audio: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    coding: dict[str, str] = field(default_factory=dict)
    muxing: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    aspect: Fraction | None = None


def picture(number: int, width: int, height: int, *, second_shot: bool = False) -> np.ndarray:
    """A picture that shows its number: a bright bar of that place on a slope of colours."""
    rows, columns = np.mgrid[:height, :width]
    rgb = np.stack([rows * 255 // height, columns * 255 // width, 0 * rows + 90], -1)
    if second_shot:
        rgb = 255 - rgb // 3
    # back and forth, so that nothing jumps
    left = abs(number * 3 % (2 * (width - 8)) - (width - 8))
    rgb[:, left : left + 8] = 230
    return rgb.astype(np.uint8)


PLAIN = Recipe()


def make_clip(path: Path, recipe: Recipe = PLAIN) -> Path:
    """Write the clip; its format follows from the suffix."""
    steady = [40 * i for i in range(recipe.frames)]
    times = list(recipe.times) or steady
    with av.open(str(path), "w", options=dict(recipe.muxing)) as container:
        container.metadata.update(recipe.metadata)
        stream = container.add_stream(recipe.codec, rate=25, options=dict(recipe.coding))
        stream.width, stream.height, stream.pix_fmt = recipe.width, recipe.height, recipe.pixels
        context = stream.codec_context
        context.time_base = recipe.time_base
        if recipe.aspect:
            context.sample_aspect_ratio = recipe.aspect
        context.color_range, context.color_primaries, context.color_trc, context.colorspace = (
            recipe.colour
        )
        if recipe.matrix:
            stream.set_display_matrix(recipe.matrix)
        sound = _voice(container, recipe.audio) if recipe.audio else None
        for number, time in enumerate(times):
            second = recipe.cut is not None and number >= recipe.cut
            rgb = picture(number, recipe.width, recipe.height, second_shot=second)
            frame = av.VideoFrame.from_ndarray(rgb, format="rgb24")
            frame = frame.reformat(format=recipe.pixels)
            frame.pts, frame.time_base = time, recipe.time_base
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
        if sound is not None:
            _speak(container, sound, len(times))
    return path


def _voice(container: av.container.OutputContainer, codec: str) -> av.AudioStream:
    sound = container.add_stream(codec, rate=44100)
    sound.codec_context.layout = "stereo"
    sound.codec_context.bit_rate = 128_000
    return sound


def _speak(container: av.container.OutputContainer, sound: av.AudioStream, frames: int) -> None:
    """A buzz with a resonance, as long as the pictures."""
    rate = 44100
    seconds = np.arange(frames * rate // 25) / rate
    wave = 0.2 * np.sign(np.sin(2 * np.pi * 120 * seconds)) * np.sin(2 * np.pi * 900 * seconds)
    for start in range(0, len(wave) - 1023, 1024):
        piece = np.stack([wave[start : start + 1024]] * 2).astype(np.float32)
        frame = av.AudioFrame.from_ndarray(piece, format="fltp", layout="stereo")
        frame.sample_rate, frame.pts, frame.time_base = rate, start, Fraction(1, rate)
        container.mux(sound.encode(frame))
    container.mux(sound.encode(None))


def released(
    source: Path, facts: ClipFacts, out: Path, change=None, codec="h264", audio="drop"
) -> Path:
    """The clip written again, segment by segment, each picture changed by a function."""
    files = []
    for number, segment in enumerate(split(facts)):
        file = out.with_name(f"{out.stem}.{number}.segment")
        with SegmentWriter(file, facts, segment, codec=codec) as writer:
            for frame in read_pairs(source, facts, segment):
                _write(writer, frame, change)
        files.append(file)
    join(files, facts, out, audio=audio, source=source)
    return out


def _write(writer: SegmentWriter, frame: Frame, change) -> None:
    if change is None:
        writer.write(frame)
    else:
        writer.write(change(frame.rgb), frame)

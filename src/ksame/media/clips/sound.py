"""The audio of a clip on its way to the release: dropped, copied packet by packet, or changed."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.codec.context import Flags
from av.container import InputContainer, OutputContainer
from av.packet import Packet

from ksame.arrays import Floats
from ksame.errors import InputError
from ksame.media.clips.facts import ClipFacts
from ksame.media.clips.opening import opened
from ksame.media.clips.voices import VoiceChanger

AUDIO = ("drop", "keep", "mask")
"""What can be done with the audio of a clip."""

_BIT_RATE = 128_000
_GAP = 0.05
"""Seconds without samples after which silence is put in, so that sound stays with the picture."""

_RATES = (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000)
"""Samples a second that AAC can have."""


@dataclass(frozen=True)
class Track:
    """An audio stream of the source and where it goes."""

    index: int
    out: AudioStream
    masked: bool


def check_audio(audio: str) -> None:
    """Refuse what is no way to treat audio.

    Raises
    ------
    InputError
        It is not one of ``drop``, ``keep`` and ``mask``.
    """
    if audio not in AUDIO:
        raise InputError(f"audio={audio!r} is not known. Take one of {', '.join(AUDIO)}.")


def audio_notes(facts: ClipFacts, audio: str) -> tuple[str, ...]:
    """What happens to the audio of a clip, for people to read; nothing where it has none."""
    check_audio(audio)
    if not facts.audio:
        return ()
    if audio == "drop":
        return ("the audio was dropped.",)
    if audio == "mask":
        return ("the voice was changed; nothing is claimed of it.",)
    lost = sorted({track.codec for track in facts.audio if not _fits(track.codec)})
    kept = "the audio was copied: voices identify."
    if not lost:
        return (kept,)
    dropped = (
        f"audio in {', '.join(lost)} was dropped, because an mp4 cannot hold it. "
        "Convert the clip's audio to AAC, or take --audio mask, which does."
    )
    return (dropped,) if len(lost) == len({t.codec for t in facts.audio}) else (kept, dropped)


def add_tracks(
    container: OutputContainer, source: InputContainer, facts: ClipFacts, audio: str
) -> list[Track]:
    """Streams of the output for the audio that goes on."""
    tracks = []
    for found in facts.audio:
        stream = cast(AudioStream, source.streams[found.index])
        if audio == "keep" and _fits(found.codec):
            out = container.add_stream_from_template(stream, opaque=True)
            tracks.append(Track(found.index, out, masked=False))
        elif audio == "mask":
            out = container.add_stream("aac", rate=_rate(found.rate), bit_rate=_BIT_RATE)
            out.codec_context.layout = "mono" if found.channels == 1 else "stereo"
            # without it the encoder writes its own name into the first packet
            out.codec_context.flags |= Flags.bitexact
            tracks.append(Track(found.index, out, masked=True))
    return tracks


def coded_sound(source: str | os.PathLike[str], track: Track) -> "Iterator[Packet[Any]]":
    """The packets of an audio stream for the output, in order of time."""
    with opened(source) as container:
        stream = cast(AudioStream, container.streams[track.index])
        if track.masked:
            yield from _masked(container, stream, track.out)
            return
        for packet in container.demux(stream):
            if packet.size and packet.dts is not None:
                packet.stream = track.out
                yield packet


def _masked(
    container: InputContainer, stream: AudioStream, out: AudioStream
) -> "Iterator[Packet[Any]]":
    """The stream decoded, every channel's voice changed, and encoded as AAC."""
    layout = out.codec_context.layout
    rate = out.codec_context.sample_rate
    changers = [VoiceChanger(rate) for _ in range(layout.nb_channels)]
    resampler = av.AudioResampler(format="fltp", layout=layout.name, rate=rate)
    start: float | None = None
    taken = given = 0
    for frame in container.decode(stream):
        if start is None:
            start = float(frame.time or 0.0)
        for piece in resampler.resample(frame):
            sound = piece.to_ndarray().astype(np.float64)
            late = round((float(frame.time or 0.0) - start) * rate) - taken
            if late > _GAP * rate:
                sound = np.concatenate([np.zeros((len(sound), late)), sound], axis=1)
            taken += sound.shape[1]
            made = _stacked([c.change(s) for c, s in zip(changers, sound, strict=True)])
            yield from _encoded(out, made, start, given)
            given += made.shape[1]
    if start is None:
        return
    made = _stacked([changer.finish() for changer in changers])
    yield from _encoded(out, made, start, given)
    yield from out.encode(None)


def _encoded(out: AudioStream, samples: Floats, start: float, position: int) -> "list[Packet[Any]]":
    """Hand samples to the encoder with the time of their first one."""
    if not samples.shape[1]:
        return []
    context = out.codec_context
    clipped = np.ascontiguousarray(np.clip(samples, -1, 1).astype(np.float32))
    frame = AudioFrame.from_ndarray(clipped, format="fltp", layout=context.layout.name)
    frame.sample_rate = context.sample_rate
    frame.time_base = Fraction(1, context.sample_rate)
    frame.pts = round(start * context.sample_rate) + position
    return list(out.encode(frame))


def _stacked(channels: list[Floats]) -> Floats:
    return np.stack(channels)


def _fits(codec: str) -> bool:
    """Whether an mp4 can hold audio of a codec."""
    plain = codec.removesuffix("float").removesuffix("_fixed").removesuffix("_at")
    return plain in _MP4_AUDIO


_MP4_AUDIO = {"aac", "mp3", "mp2", "ac3", "eac3", "opus", "libopus", "flac", "alac", "dca"}
"""Codecs with a registered place in mp4 that players know."""


def _rate(source: int) -> int:
    """The least rate of AAC that loses nothing of the source's."""
    return next((rate for rate in _RATES if rate >= source), _RATES[-1])

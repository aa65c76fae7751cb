"""Segments become a clip: coded frames are copied, time stamps are those of the facts."""

import heapq
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import av
from av.packet import Packet
from av.video.stream import VideoStream

from ksame.errors import InputError
from ksame.files import CLEARED_TIME
from ksame.media.clips.boxes import blank_user_data
from ksame.media.clips.facts import ClipFacts
from ksame.media.clips.opening import opened, writing
from ksame.media.clips.sound import add_tracks, audio_notes, check_audio, coded_sound

_MUXER = {
    # no writer's name, no clock; handlers without names
    "fflags": "+bitexact",
    "movflags": "+faststart",
    "empty_hdlr_name": "1",
}


def join(
    segments: Sequence[str | os.PathLike[str]],
    facts: ClipFacts,
    out: str | os.PathLike[str],
    *,
    audio: str = "drop",
    source: str | os.PathLike[str] | None = None,
) -> tuple[str, ...]:
    """Write the clip that segment files make, without encoding pictures again.

    Nothing of the source but what the facts list is in the file: no tags, chapters, subtitles,
    data streams, names or dates. The bytes are a function of the arguments.

    Parameters
    ----------
    segments : sequence of path
        Files of `SegmentWriter`, in order; together they hold every frame of the clip.
    facts : ClipFacts
        Where time stamps, duration, rotation and shape of pixels come from.
    out : path
        The mp4 file.
    audio : {"drop", "keep", "mask"}
        Nothing, the source's packets bit by bit, or changed voices.
    source : path, optional
        The clip that audio is taken from.

    Returns
    -------
    notes : tuple of str
        What was done with the audio, where the source has any.

    Raises
    ------
    InputError
        The segments hold another number of frames than the facts.
    MediaError
        The source's audio cannot be read, or the file cannot be written.
    """
    check_audio(audio)
    if audio != "drop" and source is None:
        raise InputError(f"audio={audio!r} needs the clip that it comes from; source is None.")
    ticks = str(facts.time_base.denominator)
    options = _MUXER | {"video_track_timescale": ticks, "movie_timescale": ticks}
    count = 0
    with writing(), ExitStack() as stack:
        container = stack.enter_context(av.open(os.fspath(out), "w", format="mp4", options=options))
        first = stack.enter_context(av.open(os.fspath(segments[0])))
        video = container.add_stream_from_template(first.streams.video[0], opaque=True)
        video.time_base = facts.time_base
        if facts.matrix is not None:
            video.set_display_matrix(facts.matrix)
        sounds: list[Iterator[Packet[Any]]] = []
        if audio != "drop" and source is not None:
            with opened(source) as original:
                tracks = add_tracks(container, original, facts, audio)
            sounds = [coded_sound(source, track) for track in tracks]
        pictures: Iterator[Packet[Any]] = _coded(segments, facts, video)
        for packet in heapq.merge(pictures, *sounds, key=_when):
            count += packet.stream is video
            container.mux(packet)
    if count != facts.frames:
        raise InputError(f"the segments hold {count} frames; the clip has {facts.frames}.")
    blank_user_data(out)
    # when a clip was written tells something, too
    os.utime(out, (CLEARED_TIME, CLEARED_TIME))
    return audio_notes(facts, audio)


def _when(packet: "Packet[Any]") -> float:
    """When a packet is needed, in seconds."""
    assert packet.dts is not None
    return float(packet.dts * packet.time_base)


def _coded(
    segments: Sequence[str | os.PathLike[str]], facts: ClipFacts, video: VideoStream
) -> "Iterator[Packet[VideoStream]]":
    """The coded frames of all segments, in order, each with its time and length."""
    times = facts.timestamps
    end = times[0] + facts.duration
    number = 0
    for path in segments:
        with av.open(os.fspath(path)) as container:
            for packet in container.demux(container.streams.video[0]):
                if not packet.size:
                    continue
                if number == facts.frames:
                    raise InputError(f"the segments hold more than the clip's {number} frames.")
                following = times[number + 1] if number + 1 < facts.frames else end
                packet.stream = video
                packet.time_base = facts.time_base
                packet.pts = packet.dts = int(times[number])
                packet.duration = int(following - times[number])
                number += 1
                yield packet

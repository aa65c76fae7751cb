"""Segments become a clip: coded frames are copied, time stamps are those of the facts."""

import os
from collections.abc import Iterator, Sequence

import av
from av.packet import Packet

from ksame.errors import InputError
from ksame.media.clips.facts import ClipFacts

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
) -> None:
    """Write the clip that segment files make, without encoding anything again.

    Parameters
    ----------
    segments : sequence of path
        Files of `SegmentWriter`, in order; together they hold every frame of the clip.
    facts : ClipFacts
        Where time stamps, duration, rotation and shape of pixels come from.
    out : path
        The mp4 file.

    Raises
    ------
    InputError
        The segments hold another number of frames than the facts.
    """
    ticks = str(facts.time_base.denominator)
    options = _MUXER | {"video_track_timescale": ticks, "movie_timescale": ticks}
    with av.open(os.fspath(out), "w", format="mp4", options=options) as container:
        with av.open(os.fspath(segments[0])) as first:
            video = container.add_stream_from_template(first.streams.video[0], opaque=True)
        video.time_base = facts.time_base
        if facts.matrix is not None:
            video.set_display_matrix(facts.matrix)
        count = 0
        for packet in _coded(segments):
            if count == facts.frames:
                raise InputError(f"the segments hold more than the clip's {count} frames.")
            packet.stream = video
            _stamp(packet, facts, count)
            container.mux(packet)
            count += 1
    if count != facts.frames:
        raise InputError(f"the segments hold {count} frames; the clip has {facts.frames}.")


def _coded(segments: Sequence[str | os.PathLike[str]]) -> Iterator[Packet]:
    """The coded frames of all segments, in order."""
    for path in segments:
        with av.open(os.fspath(path)) as container:
            for packet in container.demux(container.streams.video[0]):
                if packet.size:
                    yield packet


def _stamp(packet: Packet, facts: ClipFacts, number: int) -> None:
    """Give a coded frame the time and the length that the facts say."""
    times = facts.timestamps
    end = times[number + 1] if number + 1 < facts.frames else times[0] + facts.duration
    packet.time_base = facts.time_base
    packet.pts = packet.dts = int(times[number])
    packet.duration = int(end - times[number])

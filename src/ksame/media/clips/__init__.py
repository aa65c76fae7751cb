"""Clips in and out of files: frames, their times and their colours, and nothing else.

    facts = read_facts(path)
    for segment in split(facts):
        with SegmentWriter(file, facts, segment) as writer:
            for frame in read_pairs(path, facts, segment):
                writer.write(changed(frame.rgb), frame)
    join(files, facts, out)

Nothing here knows of faces.
"""

from ksame.media.clips.encoding import SegmentWriter
from ksame.media.clips.facts import AudioFacts, ClipFacts, Colour, pack_times, unpack_times
from ksame.media.clips.frames import Frame, read_frames, read_pairs
from ksame.media.clips.joining import join
from ksame.media.clips.opening import CLIP_SUFFIXES
from ksame.media.clips.reading import cut_frames, read_facts
from ksame.media.clips.segments import Segment, split
from ksame.media.clips.sound import AUDIO, audio_notes

__all__ = [
    "AUDIO",
    "CLIP_SUFFIXES",
    "AudioFacts",
    "ClipFacts",
    "Colour",
    "Frame",
    "Segment",
    "SegmentWriter",
    "audio_notes",
    "cut_frames",
    "join",
    "pack_times",
    "read_facts",
    "read_frames",
    "read_pairs",
    "split",
    "unpack_times",
]

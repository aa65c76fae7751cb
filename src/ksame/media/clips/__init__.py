"""Clips in and out of files: frames, their times and their colours, and nothing else.

    facts = read_facts(path)
    for segment in split(facts):
        with SegmentWriter(file, facts, segment) as writer:
            for frame in read_pairs(path, facts, segment):
                writer.write(changed(frame.rgb), frame)
    join(files, facts, out)

Nothing here knows of faces. The names are imported when they are first used.
"""

from typing import TYPE_CHECKING

from ksame.lazy import lazy_names

if TYPE_CHECKING:
    from ksame.media.clips.encoding import SegmentWriter
    from ksame.media.clips.facts import AudioFacts, ClipFacts, Colour, pack_times, unpack_times
    from ksame.media.clips.frames import Frame, read_frames, read_pairs
    from ksame.media.clips.joining import join
    from ksame.media.clips.reading import cut_frames, read_facts
    from ksame.media.clips.segments import Segment, split
    from ksame.media.clips.sound import AUDIO, audio_notes
    from ksame.media.clips.suffixes import CLIP_SUFFIXES

_HOMES = {
    "AUDIO": "ksame.media.clips.sound",
    "AudioFacts": "ksame.media.clips.facts",
    "CLIP_SUFFIXES": "ksame.media.clips.suffixes",
    "ClipFacts": "ksame.media.clips.facts",
    "Colour": "ksame.media.clips.facts",
    "Frame": "ksame.media.clips.frames",
    "Segment": "ksame.media.clips.segments",
    "SegmentWriter": "ksame.media.clips.encoding",
    "audio_notes": "ksame.media.clips.sound",
    "cut_frames": "ksame.media.clips.reading",
    "join": "ksame.media.clips.joining",
    "pack_times": "ksame.media.clips.facts",
    "read_facts": "ksame.media.clips.reading",
    "read_frames": "ksame.media.clips.frames",
    "read_pairs": "ksame.media.clips.frames",
    "split": "ksame.media.clips.segments",
    "unpack_times": "ksame.media.clips.facts",
}

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

__getattr__ = lazy_names(__name__, _HOMES)

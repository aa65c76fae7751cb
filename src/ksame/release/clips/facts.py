"""The facts of a clip in the store: read once, known to every worker."""

from dataclasses import asdict
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ksame.store import Store

if TYPE_CHECKING:
    from ksame.media.clips import ClipFacts

CLIPS: Final = "clips"  # the kind under which the store keeps facts of clips
_FRACTIONS: Final = ("time_base", "rate", "aspect")


def save_facts(store: Store, key: str, facts: "ClipFacts") -> None:
    """Keep a clip's facts."""
    note = asdict(facts)
    times = note.pop("timestamps")
    for name in _FRACTIONS:
        note[name] = str(note[name])
    store.save(CLIPS, key, {"timestamps": times}, note)


@lru_cache(maxsize=4)
def load_facts(store: Store, key: str) -> "ClipFacts":
    """A clip's facts. The key is a digest, so none is ever stale."""
    from ksame.media.clips import AudioFacts, ClipFacts, Colour

    note = store.note(CLIPS, key)
    for name in _FRACTIONS:
        note[name] = Fraction(note[name])
    for name in ("keys", "cuts", "notes"):
        note[name] = tuple(note[name])
    note["matrix"] = None if note["matrix"] is None else tuple(note["matrix"])
    note["colour"] = Colour(**note["colour"])
    note["audio"] = tuple(AudioFacts(**one) for one in note["audio"])
    return ClipFacts(timestamps=store.load(CLIPS, key)["timestamps"], **note)

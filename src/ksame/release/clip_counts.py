"""What a certificate says of the clips of a release."""

from collections import Counter
from typing import Any

from ksame.release.ledger import Ledger


def clip_counts(ledger: Ledger) -> dict[str, Any]:
    """Counts over all clips: frames, tracks, seconds, and frames in which something was filled."""
    told = ledger.clips.values()
    if not told:
        return {}
    counts = {
        "clips": len(ledger.clips),
        "frames": sum(clip["frames"] for clip in told),
        "seconds": round(sum(clip["seconds"] for clip in told), 3),
        "tracks": sum(face.file in ledger.clips for face in ledger.faces),
        "filled_frames": sum(clip["filled_frames"] for clip in told),
        "audio": dict(sorted(Counter(clip["audio"] for clip in told).items())),
    }
    return {"clips": counts}

"""Clips in and out: are frames, times, size, rotation, duration and colours those of the original?

    python benchmarks/video_facts.py --json FILE --data DIR [--clips NAME ...]

Every clip of ``clips`` and ``video`` in DIR is read, written in its segments as a release writes
it, with nobody replaced, and read again. Whole releases are measured by ``video.py``; this takes
all clips in minutes.
"""

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from ksame.errors import MediaError
from ksame.media.clips import (
    CLIP_SUFFIXES,
    SegmentWriter,
    join,
    read_facts,
    read_pairs,
    split,
)


def main() -> None:
    """Print a row a clip and write all rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--clips", nargs="*", default=[], help="parts of the names of clips")
    chosen = parser.parse_args()
    rows = []
    for folder in ("clips", "video"):
        for path in sorted((chosen.data / folder).rglob("*")):
            named = not chosen.clips or any(part in str(path) for part in chosen.clips)
            if path.suffix.lower() in CLIP_SUFFIXES and named:
                rows.append(compared(path))
                print(rows[-1], flush=True)
    equal = sum(row["differs"] == [] for row in rows)
    withheld = sum("withheld" in row for row in rows)
    figures = {"clips": len(rows), "clips_with_equal_facts": equal, "clips_withheld": withheld}
    print(figures)
    chosen.json.write_text(json.dumps(figures | {"facts": rows}, indent=1) + "\n", encoding="utf-8")


def compared(path: Path) -> dict[str, Any]:
    """What differs between a clip and what is written of it, or why it is withheld."""
    try:
        facts = read_facts(path)
    except MediaError as error:
        return {"clip": path.name, "withheld": str(error), "differs": None}
    with tempfile.TemporaryDirectory() as name:
        files = []
        for number, segment in enumerate(split(facts)):
            files.append(Path(name) / f"{number}.mp4")
            with SegmentWriter(files[-1], facts, segment) as writer:
                for frame in read_pairs(path, facts, segment):
                    writer.write(frame)
        join(files, facts, Path(name) / "joined.mp4")
        again = read_facts(Path(name) / "joined.mp4")
    before, after = facts.as_json(), again.as_json()
    return {
        "clip": path.name,
        "frames": facts.frames,
        "size": f"{facts.width}x{facts.height}",
        "seconds": round(facts.seconds, 3),
        "segments": len(files),
        "differs": [one for one in before if before[one] != after[one]],
    }


if __name__ == "__main__":
    main()

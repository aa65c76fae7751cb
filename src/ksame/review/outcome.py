"""A finished release, as the page shows it: its figures, and every photo before and after."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ksame.errors import KsameError
from ksame.release.publish import Release
from ksame.vault.ledgers import open_ledger


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the last screen shows; the originals come from the private ledger."""

    out: Path
    report: Path
    certificate: Mapping[str, Any] = field(repr=False)
    pairs: Sequence[tuple[Path, Path]] = field(repr=False)
    withheld: Sequence[tuple[str, str]] = field(default=(), repr=False)
    frames: Sequence[int] = ()  # of each pair; 0 for a photo

    @classmethod
    def of(cls, release: Release) -> "Outcome":
        """Read off a release; where its ledger cannot be opened there is no before to show."""
        book = release.book or _opened(release.ledger)
        files: Mapping[str, str] = book.get("files", {})
        clips: Mapping[str, Any] = book.get("clips", {})
        pairs = [(Path(original), release.out / name) for name, original in sorted(files.items())]
        frames = [int(clips[name]["frames"]) if name in clips else 0 for name in sorted(files)]
        told = [(Path(file).name.encode("utf-8", "replace").decode(), why)
                for file, why in release.withheld]  # fmt: skip
        return cls(release.out, release.report, release.certificate, pairs, told, frames)

    def as_json(self) -> dict[str, Any]:
        """For the page."""
        c = self.certificate
        told = ("photos", "people", "faces", "hidden", "k", "decisions", "claims", "not_claimed")
        return {
            **{name: c[name] for name in told},
            "groups": sorted(group["people"] for group in c["groups"]),
            "pairs": list(self.frames),
            "withheld": [list(entry) for entry in self.withheld],
            "attacks": [
                {"recogniser": a["recogniser"], "rate": a["rank1"]["rate"]}
                for a in c["measured"].get("attacks", [])
                if a.get("rank1")
            ],
            "out": self.out.name,
        }


def _opened(ledger: Path) -> Mapping[str, Any]:
    """The ledger of a release that was there before; in a vault it needs the key that is held."""
    try:
        return open_ledger(ledger)
    except KsameError:
        return {}

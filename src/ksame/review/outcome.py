"""A finished release, as the page shows it: its figures, and every photo before and after."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ksame.files import read_json
from ksame.release.publish import Release


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the last screen shows; the originals come from the private ledger."""

    out: Path
    report: Path
    certificate: Mapping[str, Any] = field(repr=False)
    pairs: Sequence[tuple[Path, Path]] = field(repr=False)
    withheld: Sequence[tuple[str, str]] = field(default=(), repr=False)

    @classmethod
    def of(cls, release: Release) -> "Outcome":
        """Read off a release; without a plain ledger there is no before to show."""
        try:
            files: Mapping[str, str] = read_json(release.ledger)["files"]
        except (OSError, ValueError, KeyError):
            files = {}
        pairs = [(Path(original), release.out / name) for name, original in sorted(files.items())]
        told = [(Path(file).name.encode("utf-8", "replace").decode(), why)
                for file, why in release.withheld]  # fmt: skip
        return cls(release.out, release.report, release.certificate, pairs, told)

    def as_json(self) -> dict[str, Any]:
        """For the page."""
        c = self.certificate
        told = ("photos", "people", "faces", "hidden", "k", "decisions", "claims", "not_claimed")
        return {
            **{name: c[name] for name in told},
            "groups": sorted(group["people"] for group in c["groups"]),
            "pairs": len(self.pairs),
            "withheld": [list(entry) for entry in self.withheld],
            "attacks": [
                {"recogniser": a["recogniser"], "rate": a["rank1"]["rate"]}
                for a in c["measured"].get("attacks", [])
                if a.get("rank1")
            ],
            "out": self.out.name,
        }

"""What a check hands back."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken claim: where it broke and how. Names no person."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a check: what was checked, and what does not hold."""

    checked: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether every claim that was checked holds."""
        return not self.findings

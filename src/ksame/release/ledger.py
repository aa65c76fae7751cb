"""The ledger of a release: private, beside OUT, readable by its owner alone.

It links every released face to its original, so it is as sensitive as the photos themselves. Who
is who can be corrected in it (``faces[].person``) and given back as ``--persons OUT.ledger.json``:
the faces are then taken from it instead of being detected again.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ksame.errors import InputError

FORMAT = "ksame-ledger-1"


@dataclass(frozen=True, slots=True)
class FaceEntry:
    """One face of a released photo.

    ``group`` is None for a face that was blacked out; ``hidden`` is then the black box (xyxy).
    ``placement`` is the (2, 3) similarity from the photo to the canonical head frame, and
    ``state`` names the variant of the surrogate (its expression) that was placed.
    """

    file: str
    box: tuple[float, ...]
    points: tuple[tuple[float, float], ...]
    person: str | None
    group: int | None
    placement: tuple[tuple[float, ...], ...] | None = None
    state: str | None = None
    hidden: tuple[int, int, int, int] | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class GroupEntry:
    """One group: the people shown, the others who share its surrogate unseen, and its donors.

    ``regions`` tells, per expression, which cells (16 px) of the head frame the surrogate fills:
    bits of a 32 x 28 grid, row by row, in hexadecimal. ``withheld`` names, per expression, people
    of the group whose photo with it was withheld after the surrogate was made: they share that look
    unseen.
    """

    group: int
    surrogate: str
    people: Sequence[str]
    others: Sequence[str] = ()
    donors: Sequence[str] = ()
    regions: Mapping[str, str] = field(default_factory=dict)
    withheld: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ledger:
    """All that links a release to its originals."""

    certificate: str
    job: str
    seed: int = field(repr=False)
    nonce: str = field(repr=False)
    options: Mapping[str, Any] = field(repr=False)
    files: Mapping[str, str] = field(repr=False)
    originals: Mapping[str, str] = field(repr=False)
    faces: Sequence[FaceEntry] = field(repr=False)
    groups: Sequence[GroupEntry] = field(repr=False)
    withheld: Sequence[Mapping[str, str]] = field(default=(), repr=False)
    uncertain: Sequence[Mapping[str, Any]] = field(default=(), repr=False)

    def as_json(self) -> dict[str, Any]:
        """The ledger as it is written."""
        return {"format": FORMAT, **asdict(self)}


def read_ledger(path: Path) -> dict[str, Any]:
    """Read a ledger, for its corrected people.

    Raises
    ------
    InputError
        The file is no ledger of ksame's.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        kind = type(error).__name__
        raise InputError(f"{path.name} cannot be read as a ledger ({kind}); check it") from None
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InputError(f"{path.name} is no ledger of this version ({FORMAT}); check the path")
    return value

"""What a release must know of an earlier one that it continues, read from that one's ledger."""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from ksame.arrays import Floats32
from ksame.errors import InputError
from ksame.people.sources import AUTO
from ksame.release.options import NOBODY
from ksame.release.plan import Plan

NUMBERED: Final = re.compile(r"(?:person|nobody)-(\d{5,})")  # the names that ksame gives
_LEDGER: Final = "ksame-ledger-2"


@dataclass(frozen=True, slots=True)
class KnownGroup:
    """A group of an earlier release: everybody who shares its face, and the face."""

    surrogate: str
    code: tuple[float, ...] = field(repr=False)
    people: frozenset[str] = field(repr=False)

    @classmethod
    def of_entry(cls, entry: Mapping[str, Any]) -> "KnownGroup":
        """A group as a ledger lists it, with the people who share its face unseen."""
        people = frozenset(map(str, (*entry["people"], *entry.get("others", ()))))
        return cls(str(entry["surrogate"]), tuple(map(float, entry["code"])), people)

    def as_json(self) -> dict[str, Any]:
        """As a later ledger tells it."""
        return {
            "surrogate": self.surrogate,
            "code": list(self.code),
            "people": sorted(self.people),
        }


@dataclass(frozen=True, slots=True)
class Earlier:
    """What a release must know of those that it continues.

    ``templates`` are unit vectors: how a recogniser describes a person, over all photos.
    """

    certificate: str
    by_faces: bool  # whether people were told apart by their faces: names mean nothing then
    groups: tuple[KnownGroup, ...] = field(repr=False)
    templates: Mapping[str, Floats32] = field(repr=False)

    def group_of(self) -> dict[str, int]:
        """The number of everybody's group."""
        return {person: g for g, group in enumerate(self.groups) for person in group.people}

    def next_number(self) -> int:
        """The first number that no name of an earlier release has."""
        names = {*self.templates, *self.group_of()}
        taken = [int(found[1]) for name in names if (found := NUMBERED.fullmatch(name))]
        return max(taken, default=-1) + 1


def read_earlier(plan: Plan) -> Earlier | None:
    """The release that a plan continues; None where it begins anew.

    Raises
    ------
    InputError
        The file is no ledger that can be continued, or what is asked for differs from it.
    VaultError
        It is a vault, and the key that ``KSAME_VAULT_KEY`` names does not open it.
    """
    if plan.continues is None:
        return None
    from ksame.vault import open_ledger

    name = plan.continues.name
    try:
        book = open_ledger(plan.continues)
        if book["format"] != _LEDGER or not book["face_model"]:
            raise KeyError("format")
        options = book["options"]
        groups = _groups(book)
        templates = {p: unpacked(text) for p, text in book["templates"].items()}
        earlier = Earlier(str(book["certificate"]), options["persons"] == AUTO, groups, templates)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{name} cannot be continued ({type(error).__name__}): it must be the ledger of a "
            "release with faces of the model, written by a version that can continue"
        ) from None
    _check(plan, name, book, earlier)
    return earlier


def _groups(book: Mapping[str, Any]) -> tuple[KnownGroup, ...]:
    """Every group of the ledger and of the releases before it."""
    listed = [*(book.get("continues") or {}).get("groups", ()), *book["groups"]]
    found: dict[frozenset[str], KnownGroup] = {}
    for group in map(KnownGroup.of_entry, listed):
        found.setdefault(group.people, group)
    return tuple(sorted(found.values(), key=lambda group: (group.surrogate, min(group.people))))


def _check(plan: Plan, name: str, book: Mapping[str, Any], earlier: Earlier) -> None:
    """Refuse what would break the promise of one of the releases."""
    from ksame.codecs.face.pinned import SHA256

    if plan.style != "model":
        raise InputError(
            f"method={plan.method!r} with composite={plan.composite!r} cannot continue a release: "
            "its faces are no faces of the model, which a ledger can restore"
        )
    if book["face_model"] != SHA256:
        raise InputError(f"{name} was made with another face model; use the version that made it")
    if book["options"]["k"] != plan.k:
        raise InputError(
            f"k={plan.k} differs from k={book['options']['k']} of the release that is continued; "
            "use the same"
        )
    if plan.reference not in (None, NOBODY):
        raise InputError("a continued release takes no reference photos; leave them out")
    if earlier.by_faces and plan.persons != AUTO and not plan.persons.endswith(".json"):
        raise InputError(
            f"people of {name} were found by their faces, so other names would make them new "
            "people; use persons='auto' or a corrected ledger"
        )
    if earlier.by_faces and plan.persons != AUTO and not _goes_on(plan.persons, earlier):
        raise InputError(
            "the corrected ledger does not continue the same release, so its numbers of people "
            f"mean others than those of {name}; correct the ledger of a release that continues it"
        )
    people = [person for group in earlier.groups for person in group.people]
    if len(people) != len(set(people)) or any(len(g.people) < plan.k for g in earlier.groups):
        raise InputError(f"{name} lists somebody in two groups, or a group below k; check it")


def _goes_on(ledger: str, earlier: Earlier) -> bool:
    """Whether a ledger numbers people as the earlier release does: its own, or one that goes on."""
    from ksame.vault import open_ledger

    book = open_ledger(Path(ledger))
    before = (book.get("continues") or {}).get("certificate")
    return earlier.certificate in (book.get("certificate"), before)


def known_besides(earlier: Earlier | None, people: Sequence[str]) -> list[tuple[int, Floats32]]:
    """Templates of those who are known and not among these people, numbered after them.

    A new face must be like nobody of the earlier releases either.
    """
    known = sorted(earlier.templates.keys() - set(people)) if earlier else []
    return [(len(people) + n, earlier.templates[p]) for n, p in enumerate(known) if earlier]


def unpacked(text: str) -> Floats32:
    """A person's template as a ledger tells it: a unit vector."""
    row = np.frombuffer(base64.b64decode(text, validate=True), "<f2").astype(np.float32)
    if not row.size or not np.isfinite(row).all():
        raise ValueError("no vector")
    return row / max(float(np.linalg.norm(row)), 1e-9)

"""A release that continues earlier ones: nobody changes the group, no group changes its people."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ksame.verification.agreement import canonical
from ksame.verification.documents import CERTIFICATE, Certificate, Ledger
from ksame.verification.reading import Malformed, entry, items, number, table, text
from ksame.verification.verdict import Finding


@dataclass(frozen=True, slots=True)
class _Before:
    """A group of an earlier release, as the ledger tells it."""

    surrogate: str
    code: tuple[float, ...] = field(repr=False)
    people: frozenset[str] = field(repr=False)


def check_continued(certificate: Certificate, ledger: Ledger) -> Iterator[Finding]:
    """Every group of the releases before is kept as it was, and what changed is counted anew."""
    stated, told = certificate.raw.get("continues"), ledger.raw.get("continues")
    if stated is None and told is None:
        return
    try:
        found = table(told, "continues")
        before = items(entry(found, "groups", "continues"), "continues.groups", _before)
        digest = text(entry(found, "certificate", "continues"), "continues.certificate")
    except Malformed as error:
        yield Finding("ledger", f"is malformed: {error}")
        return
    yield from _check_before(certificate, before)
    yield from _check_kept(ledger, before)
    if stated != _changes(ledger, before, digest):
        yield Finding(CERTIFICATE, "counts other changes than the ledger gives")


def _before(value: Any, where: str) -> _Before:
    found = table(value, where)
    return _Before(
        text(entry(found, "surrogate", where), f"{where}.surrogate"),
        items(entry(found, "code", where), f"{where}.code", number),
        frozenset(items(entry(found, "people", where), f"{where}.people", text)),
    )


def _check_before(certificate: Certificate, before: tuple[_Before, ...]) -> Iterator[Finding]:
    """The earlier groups in themselves: k people, one group a person, and the digest of a face."""
    count = Counter(person for group in before for person in group.people)
    if any(times > 1 for times in count.values()):
        yield Finding("ledger", "lists somebody in two groups of earlier releases")
    for group in before:
        short = f"surrogate {group.surrogate[:12]}"
        if len(group.people) < certificate.k:
            yield Finding(short, f"was shared by {len(group.people)} people, k={certificate.k}")
        told = canonical(["model face", list(group.code)])
        if hashlib.sha256(told).hexdigest() != group.surrogate:
            yield Finding(short, "its digest is not that of its code in an earlier release")


def _check_kept(ledger: Ledger, before: tuple[_Before, ...]) -> Iterator[Finding]:
    """Intersecting a group with what it was before leaves all of it, or nobody."""
    earlier = {person: group for group in before for person in group.people}
    for group in ledger.groups:
        people = group.people | group.others
        for was in {earlier[person] for person in people if person in earlier}:
            if was.people != people:
                yield Finding(group.short, "has other people than in an earlier release")
            if was.surrogate != group.surrogate:
                yield Finding(group.short, "shows people whom another one stood for before")


def _changes(ledger: Ledger, before: tuple[_Before, ...], digest: str) -> dict[str, Any]:
    """What the certificate must say."""
    known = {person for group in before for person in group.people}
    shown = {face.person for face in ledger.faces if face.group is not None}
    kept = sum(bool(known & (group.people | group.others)) for group in ledger.groups)
    return {
        "certificate": digest,
        "groups_before": len(before),
        "groups_kept": kept,
        "groups_new": len(ledger.groups) - kept,
        "people_before": len(known),
        "people_known": len(shown & known),
        "people_new": len(shown - known),
    }

"""People counted anew, from the faces of the ledger."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from ksame.verification.documents import CERTIFICATE, Certificate, Face, Group, Ledger
from ksame.verification.verdict import Finding

GREY = "grey "


def check_people(certificate: Certificate, ledger: Ledger) -> Iterator[Finding]:
    """Every surrogate, and every look of it that is shown, has at least k people."""
    yield from _check_faces(ledger)
    shown: dict[int, set[str]] = defaultdict(set)
    faces: Counter[int] = Counter()
    for face in ledger.faces:
        if face.group is not None and face.person is not None:
            shown[face.group].add(face.person)
            faces[face.group] += 1
    published = Counter((g.surrogate, g.people, g.faces) for g in certificate.groups)
    for group in ledger.groups:
        seen = shown.get(group.group, set())
        if group.people != seen or group.others & seen:
            yield Finding(group.short, "its people are not those of its faces")
        people = len(seen | group.others)
        if people < certificate.k:
            yield Finding(group.short, f"is shared by {people} people, k={certificate.k}")
        if not published[group.surrogate, people, faces[group.group]]:
            yield Finding(group.short, "ledger and certificate count it differently")
        yield from _check_looks(certificate, ledger, group)
    numbers = Counter(group.group for group in ledger.groups)
    if set(shown) - set(numbers):
        yield Finding("ledger", f"{len(set(shown) - set(numbers))} groups are not listed")
    if len(numbers) != len(ledger.groups):
        yield Finding("ledger", "lists a group twice")


def _check_faces(ledger: Ledger) -> Iterator[Finding]:
    """A face has a person and a surrogate in its place, or it is hidden by a black box."""
    for face in ledger.faces:
        if face.group is None:
            if face.hidden is None and not face.kept:  # kept ones: see decisions.py
                yield Finding(face.file, "a face has neither a surrogate nor a black box")
        elif face.person is None or not _is_placed(face):
            yield Finding(face.file, "a replaced face has no person, place or look")


def _is_placed(face: Face) -> bool:
    """Whether the ledger says where a head was laid, or how a face was rendered."""
    laid = face.placement is not None and face.state is not None
    return laid != (face.numbers is not None)


def _check_looks(certificate: Certificate, ledger: Ledger, group: Group) -> Iterator[Finding]:
    """People per look: those seen with it, and those of the group who share it unseen."""
    looks: dict[str, set[str]] = defaultdict(set)
    for face in ledger.faces:
        if face.group != group.group or face.state is None or face.person is None:
            continue
        if face.state not in group.looks:
            yield Finding(face.file, "a face shows a look that its group does not have")
        looks[_look(face.state, certificate.strict)].add(face.person)
    unseen: dict[str, set[str]] = defaultdict(set)
    for state, people in group.unseen.items():
        unseen[_look(state, certificate.strict)] |= people
        if not people <= group.people | group.others:
            yield Finding(group.short, "counts people for a look who are not of the group")
    for look, seen in sorted(looks.items()):
        people_of_look = len(seen | unseen[look])
        if people_of_look < certificate.k:
            said = f"{people_of_look} people show it as {look}, k={certificate.k}"
            yield Finding(group.short, said)


def _look(state: str, strict: bool) -> str:
    """What counts as a look of its own: where pixels are shared, a grey head is another one."""
    return state if strict else state.removeprefix(GREY)


def check_one_surrogate(ledger: Ledger) -> Iterator[Finding]:
    """A person with two surrogates could be found by intersecting their groups."""
    groups: dict[str, set[int]] = defaultdict(set)
    files: dict[str, str] = {}
    for face in ledger.faces:
        if face.group is not None and face.person is not None:
            groups[face.person].add(face.group)
            files[face.person] = face.file
    for person, found in groups.items():
        if len(found) > 1:
            yield Finding(files[person], f"its person has {len(found)} surrogates instead of one")


def check_unseen_people(certificate: Certificate, ledger: Ledger) -> Iterator[Finding]:
    """Where people count towards k who are in no photo, the first claim says how many are."""
    least = min((len(group.people) for group in ledger.groups), default=certificate.k)
    first = certificate.claims[0] if certificate.claims else ""
    told = re.findall(r"left with one in (\d+)", first)
    expected = [] if least >= certificate.k else [str(least)]
    if told != expected:
        yield Finding(
            CERTIFICATE, f"its first claim does not say that {least} people of a group are shown"
        )


def check_photo_counts(certificate: Certificate, ledger: Ledger) -> Iterator[Finding]:
    """How often a guess by numbers of photos is right, and that nobody has more than allowed."""
    shown: dict[int, Counter[str]] = defaultdict(Counter)
    photos: dict[str, set[str]] = defaultdict(set)
    for face in ledger.faces:
        if face.group is not None and face.person is not None:
            shown[face.group][face.person] += 1
            photos[face.person].add(face.file)
    most = certificate.raw.get("per_person")
    if isinstance(most, int) and any(len(files) > most for files in photos.values()):
        yield Finding("ledger", f"somebody is in more than per_person={most} photos")
    measured = certificate.raw.get("measured")
    told = measured.get("counts") if isinstance(measured, dict) else None
    total = sum(count.total() for count in shown.values())
    rate = sum(max(count.values()) for count in shown.values()) / total if total else 0.0
    worst = max((max(c.values()) / c.total() for c in shown.values()), default=0.0)
    if not isinstance(told, dict) or [told.get("rate"), told.get("worst")] != [
        round(rate, 4),
        round(worst, 4),
    ]:
        yield Finding(CERTIFICATE, "tells another rate for guesses by numbers of photos")


def check_lenders(ledger: Ledger) -> Iterator[Finding]:
    """Hair and outline are one person's: were it a member's, all k would be taken for that one."""
    for group in ledger.groups:
        if group.head is not None and group.head in group.people | group.others:
            yield Finding(group.short, "wears the hair of one of its own people")

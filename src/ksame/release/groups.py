"""Pass 3: people into groups of at least k, and who lends the face to each group."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from ksame.errors import GuaranteeError
from ksame.release.find import SeenPhoto, load_array, load_portrait
from ksame.release.people import Spot, Who
from ksame.release.plan import Plan
from ksame.release.scratch import Scratch

Floats = npt.NDArray[np.float64]

_THUMBNAIL = (56, 64)  # pixel and eigen codes: the head frame, shrunk to this width and height
_COMPONENTS = 60  # of the eigen code


@dataclass(frozen=True, slots=True)
class SharedFace:
    """One group: who shares its surrogate, and whose faces it is made from."""

    people: tuple[str, ...] = field(repr=False)
    donors: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Codes:
    """One vector per person, everybody's class, and who is there for reference only."""

    codes: Mapping[str, Floats] = field(repr=False)
    classes: Mapping[str, tuple[str, ...]] = field(repr=False)
    reference: frozenset[str] = field(default=frozenset(), repr=False)


def faces_by_person(photos: Sequence[SeenPhoto], who: Who) -> dict[str, list[Spot]]:
    """The replaceable faces of every person; people without any are not grouped."""
    faces: dict[str, list[Spot]] = defaultdict(list)
    for (n, i), person in sorted(who.persons.items()):
        if photos[n].failure is None and photos[n].faces[i].failure is None:
            faces[person].append((n, i))
    return dict(faces)


def group_people(plan: Plan, people_codes: Codes, seed: int) -> list[SharedFace]:
    """Group people inside their classes so that k or more share a face.

    Raises
    ------
    GuaranteeError
        A class has fewer than k people (2k for ``furthest``), or there are fewer than k reference
        people to take donors from.
    """
    codes, classes, reference = people_codes.codes, people_codes.classes, people_codes.reference
    parts: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for person in sorted(codes):
        parts[classes.get(person, ())].append(person)
    shared: list[SharedFace] = []
    for number, (values, people) in enumerate(sorted(parts.items())):
        shown = [person for person in people if person not in reference]
        if not shown:
            continue
        _check_enough(plan, values, len(people))
        rows = np.stack([codes[person] for person in people]).astype(np.float64)
        members, donors = _divide(plan, rows, seed + number)
        for group, lenders in zip(members, donors, strict=True):
            shared.append(_shared(people, group, lenders))
    if plan.donors == "reference":
        shared = _with_reference_donors(plan, shared, people_codes)
    return [group for group in shared if not reference.issuperset(group.people)]


def _check_enough(plan: Plan, values: tuple[str, ...], people: int) -> None:
    """Refuse a class that cannot give every one of its people k - 1 others."""
    needed = plan.needed
    if people >= needed:
        return
    named = ", ".join(f"{n}={v}" for n, v in zip(plan.classes, values, strict=True))
    if plan.classes == ("tone",):
        named = ""  # parts of like skin are never too small unless the whole set is
    where = f"class {named}" if named else "this set"
    rule = f"k={plan.k}" + (" with furthest groups" if needed > plan.k else "")
    remedy = "Add people, lower k, or name a --reference set"
    if named:
        remedy += ", or select on fewer classes"
    raise GuaranteeError(f"{rule} needs at least {needed} people; {where} has {people}. {remedy}.")


def _divide(
    plan: Plan, rows: Floats, seed: int
) -> tuple[list[npt.NDArray[np.intp]], list[npt.NDArray[np.intp]]]:
    """Row numbers of the members of each group, and of the donors of its surrogate."""
    from ksame import grouping

    name = plan.recipe.grouping
    if name == "furthest":
        swap = grouping.furthest(rows, plan.k, random_state=seed)
        labels, source = np.asarray(swap.labels), np.asarray(swap.source)
    else:
        labels = np.asarray(getattr(grouping, name)(rows, plan.k, random_state=seed))
        source = np.arange(labels.max() + 1)
    members = [np.flatnonzero(labels == g) for g in range(len(source))]
    if min(map(len, members)) < plan.k:
        raise GuaranteeError(
            f"the {name} grouping left a group below k={plan.k}; nothing is released"
        )
    return members, [members[int(g)] for g in source]


def _shared(
    people: Sequence[str], group: npt.NDArray[np.intp], lenders: npt.NDArray[np.intp]
) -> SharedFace:
    return SharedFace(tuple(people[i] for i in group), tuple(people[i] for i in lenders))


def _with_reference_donors(
    plan: Plan, shared: Sequence[SharedFace], people: Codes
) -> list[SharedFace]:
    """Make every surrogate of k reference people of the group's class, so that nobody released
    seems to be in another's photo: the furthest ones for ``furthest``, else the nearest."""
    codes, classes = people.codes, people.classes
    replaced = []
    for group in shared:
        wanted = classes.get(group.people[0], ())
        lenders = [
            p for p in sorted(people.reference & codes.keys()) if classes.get(p, ()) == wanted
        ]
        if len(lenders) < plan.k:
            raise GuaranteeError(
                f"--donors reference needs at least k={plan.k} reference people of every class; "
                f"one class has {len(lenders)}. Add reference people or lower k."
            )
        mean = np.mean([codes[person] for person in group.people], axis=0)
        far = np.array([np.linalg.norm(codes[person] - mean) for person in lenders])
        order = np.argsort(-far if plan.recipe.grouping == "furthest" else far, kind="stable")
        replaced.append(SharedFace(group.people, tuple(lenders[i] for i in order[: plan.k])))
    return replaced


def person_codes(
    plan: Plan, faces: Mapping[str, Sequence[Spot]], photos: Sequence[SeenPhoto], scratch: Scratch
) -> dict[str, Floats]:
    """One vector per person: the mean over the person's faces, read one face at a time."""
    from ksame.composite.code import without_tone

    kind = plan.recipe.code
    codes = {}
    for person, spots in faces.items():
        total: Floats | None = None
        for n, i in spots:
            sha256 = photos[n].sha256
            if kind == "identity":
                code = load_array(scratch, sha256, i, "code").astype(np.float64)
            else:
                code = _thumbnail(scratch, sha256, i)
            total = code if total is None else total + code
        assert total is not None
        codes[person] = total / len(spots)
    if kind == "identity" and plan.recipe.grouping == "furthest":
        # else the furthest face is always the one of another skin colour
        return {person: without_tone(code) for person, code in codes.items()}
    return _project(codes) if kind == "eigen" else codes


def _thumbnail(scratch: Scratch, sha256: str, face: int) -> Floats:
    """The head of a face in grey, small, for grouping by pixels (N 4.1)."""
    layer = load_portrait(scratch, sha256, face).layer
    grey = cv2.cvtColor(np.ascontiguousarray(layer[..., :3]), cv2.COLOR_RGB2GRAY)
    small: Floats = cv2.resize(grey, _THUMBNAIL, interpolation=cv2.INTER_AREA).astype(np.float64)
    return small.ravel()


def _project(codes: Mapping[str, Floats]) -> dict[str, Floats]:
    """Coordinates in the space of the set's own eigenfaces (N fig. 7-8)."""
    rows = np.stack(list(codes.values()))
    centred = rows - rows.mean(axis=0)
    left, scale, _ = np.linalg.svd(centred, full_matrices=False)
    coordinates = (left * scale)[:, :_COMPONENTS]
    return dict(zip(codes, coordinates, strict=True))

"""The faces of the groups, made once each and kept in the scratch folder."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ksame.release.array_files import SUFFIX, load_arrays, load_note, save_arrays
from ksame.release.expressions import PLAIN, expressions_to_show, shared_by
from ksame.release.find import SeenPhoto, load_portrait, load_traits
from ksame.release.groups import Codes, SharedFace
from ksame.release.people import Spot
from ksame.release.plan import Plan
from ksame.release.scratch import Scratch

if TYPE_CHECKING:
    from ksame.composite import Portrait, Surrogate

CELL = 16  # pixels of the head frame; the grid on which the ledger tells a surrogate's region
HEADS = 10  # candidates for the hair that are looked at
FaceFile = tuple[str, int]  # sha256 of a photo, number of the face in it


@dataclass(frozen=True, slots=True)
class Made:
    """What is told of a surrogate: its digest, the region that it fills in each expression, and
    which of the candidates lent hair and outline."""

    digest: str
    regions: Mapping[str, str]
    head: int | None = None


@dataclass(frozen=True, slots=True)
class Making:
    """The order to make one surrogate: per donor, and per candidate for the hair, their faces.

    ``names`` are the candidates' people; they stay in the main process. ``poses`` are the
    expressions that each person of the group shows, of which ``k`` people must share one.
    ``members`` has a face of each person of the group, if theirs is what the face moves away from;
    ``natural`` is whether the face alone is put into photos.
    """

    root: Path
    group: int
    donors: tuple[tuple[FaceFile, ...], ...]
    heads: tuple[tuple[FaceFile, ...], ...]
    layer: str
    k: int
    poses: tuple[tuple[str, ...], ...]
    grey: bool = False
    names: tuple[str, ...] = field(default=(), repr=False)
    members: tuple[FaceFile, ...] = ()
    natural: bool = False


def chosen_faces(spots: Sequence[Spot], photos: Sequence[SeenPhoto]) -> tuple[FaceFile, ...]:
    """The most frontal face of a person for each expression, the plain one first."""
    by_state: dict[str, list[Spot]] = defaultdict(list)
    for n, i in spots:
        by_state[photos[n].faces[i].state].append((n, i))
    best = [
        min(found, key=lambda s: (abs(photos[s[0]].faces[s[1]].yaw), photos[s[0]].sha256, s[1]))
        for _, found in sorted(by_state.items(), key=lambda item: (item[0] != PLAIN, item[0]))
    ]
    return tuple((photos[n].sha256, i) for n, i in best)


def order_surrogates(
    plan: Plan,
    shared: Sequence[SharedFace],
    faces: Mapping[str, Sequence[Spot]],
    photos: Sequence[SeenPhoto],
    people: Codes,
    scratch: Scratch,
) -> list[Making]:
    """One order per group."""
    files = {person: chosen_faces(spots, photos) for person, spots in faces.items()}
    # a photo without colour needs a surrogate without colour, whoever is on it
    grey = any(face.state.startswith("grey") for photo in photos for face in photo.faces)
    orders = []
    for g, group in enumerate(shared):
        names = _head_candidates(plan, group, people) if plan.recipe.layer == "warped" else []
        lenders, heads = (tuple(files[p] for p in chosen) for chosen in (group.donors, names))
        poses = tuple(_poses(faces[person], photos) for person in group.people)
        moves = plan.recipe.grouping == "furthest"  # a face unlike theirs is what is asked for
        members = tuple(files[p][0] for p in group.people) if moves else ()
        making = Making(scratch.root, g, lenders, heads, plan.recipe.layer, plan.k, poses, grey)
        natural = plan.composite == "natural"
        orders.append(replace(making, names=tuple(names), members=members, natural=natural))
    return orders


def _poses(spots: Sequence[Spot], photos: Sequence[SeenPhoto]) -> tuple[str, ...]:
    """The expressions that a person shows; whether a photo has colour is no expression."""
    return tuple(sorted({_pose(photos[n].faces[i].state) for n, i in spots}))


def _pose(state: str) -> str:
    return state.rsplit(" ", 1)[-1]


def with_heads(
    shared: Sequence[SharedFace], orders: Sequence[Making], made: Sequence[Made]
) -> list[SharedFace]:
    """The groups with whoever lent the hair among their donors."""
    return [
        group
        if surrogate.head is None
        else SharedFace(group.people, (*group.donors, order.names[surrogate.head]))
        for group, order, surrogate in zip(shared, orders, made, strict=True)
    ]


def _head_candidates(plan: Plan, group: SharedFace, people: Codes) -> list[str]:
    """People whose hair and outline may dress the surrogate: nearest to it by their codes.

    Nobody of the group itself, else that person alone would be recognised in all k; and nobody who
    gave the face, as long as there is anybody else.
    """
    kind = people.classes.get(group.people[0], ())
    allowed = people.reference if plan.donors == "reference" else people.codes.keys()
    others = [
        person
        for person in sorted(allowed & people.codes.keys() - set(group.people))
        if people.classes.get(person, ()) == kind
    ]
    others = [person for person in others if person not in group.donors] or others
    if not others:
        return []
    mean = np.mean([people.codes[person] for person in group.donors], axis=0)
    far = [float(np.linalg.norm(people.codes[person] - mean)) for person in others]
    return [others[i] for i in np.argsort(far, kind="stable")[:HEADS]]


def make_surrogate(making: Making) -> Made:
    """Make and store the surrogate of one group, unless it is stored."""
    scratch = Scratch(making.root)
    path = scratch.surrogates / f"{making.group}{SUFFIX}"
    if path.is_file():
        return Made(**load_note(path))
    whole, head = _synthesise(making, scratch)
    allowed = expressions_to_show(making.poses, {_pose(state) for state in whole.looks}, making.k)
    looks = {state: look for state, look in whole.looks.items() if _pose(state) in allowed}
    surrogate = replace(whole, looks=looks)
    regions = {str(state): _region(look.solid) for state, look in surrogate.looks.items()}
    made = Made(surrogate.digest(), regions, head)
    save_surrogate(path, surrogate, made)
    return made


def _region(solid: npt.NDArray[np.bool_]) -> str:
    """The cells of the head frame that a head fills entirely, as hexadecimal bits."""
    rows, columns = solid.shape[0] // CELL, solid.shape[1] // CELL
    cells = solid[: rows * CELL, : columns * CELL].reshape(rows, CELL, columns, CELL)
    return np.packbits(cells.all(axis=(1, 3))).tobytes().hex()


def _synthesise(making: Making, scratch: Scratch) -> "tuple[Surrogate, int | None]":
    from ksame.composite import choose_head, synthesise

    donors = [[load_portrait(scratch, *file) for file in person] for person in making.donors]
    if making.layer == "plain":
        return mean_as_it_lies(donors, making.grey), None
    poses = shared_by(making.poses, making.k)
    chosen, head = None, []
    if making.heads:
        # a few numbers tell whose hair suits; the pictures are read for the chosen one alone
        suited = [[load_traits(scratch, *file) for file in files] for files in making.heads]
        chosen = choose_head(donors, suited)
        head = [load_portrait(scratch, *file) for file in making.heads[chosen]]
    people = [load_portrait(scratch, *file) for file in making.members]
    return synthesise(donors, head, making.grey, poses, people, making.natural), chosen


def mean_as_it_lies(donors: "Sequence[Sequence[Portrait]]", grey: bool) -> "Surrogate":
    """The mean of registered heads, pixel by pixel, without bringing them to one shape (N 4.1).

    Contours lie over one another (N calls it ghosting). By linearity the same picture is the mean
    of the eigenface codes with all components kept, so that ``pixel`` and ``eigen`` share it and
    differ in their groups.
    """
    from ksame.composite import Look, Surrogate
    from ksame.composite.surrogate import without_colour

    own = [min(person, key=lambda p: (p.state != "neutral", abs(p.yaw))) for person in donors]
    head = np.mean([portrait.layer for portrait in own], axis=0)
    alpha = np.maximum(head[..., 3:], 1) / 255
    face = np.clip(np.rint(head[..., :3] / alpha), 0, 255).astype(np.uint8)
    points = np.mean([portrait.points for portrait in own], axis=0)
    tone = np.mean([portrait.tone for portrait in own], axis=0)
    look = Look(points, face, np.rint(head).astype(np.uint8), tone)
    looks = {"neutral": look, **({"grey neutral": without_colour(look)} if grey else {})}
    return Surrogate(looks, len(donors))


def save_surrogate(path: Path, surrogate: "Surrogate", made: Made) -> None:
    """Store a surrogate without loss, with what is told of it."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    for state, look in surrogate.looks.items():
        for part in fields(look):
            arrays[f"{state}/{part.name}"] = getattr(look, part.name)
    arrays["donors"] = np.array(surrogate.donors)
    save_arrays(path, arrays, asdict(made))


@lru_cache(maxsize=8)
def load_surrogate(root: Path, group: int) -> "Surrogate":
    """A stored surrogate; the last few stay in memory."""
    from ksame.composite import Look, Surrogate

    arrays = load_arrays(Scratch(root).surrogates / f"{group}{SUFFIX}")
    donors = int(arrays.pop("donors"))
    looks: dict[Any, dict[str, npt.NDArray[Any]]] = defaultdict(dict)
    for name, array in arrays.items():
        state, part = name.split("/")
        looks[state][part] = array
    return Surrogate({state: Look(**found) for state, found in looks.items()}, donors)

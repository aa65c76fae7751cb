"""The faces of the groups, made once each and kept in the scratch folder."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ksame.release.find import SeenPhoto, load_portrait
from ksame.release.groups import SharedFace
from ksame.release.people import Spot
from ksame.release.plan import Plan
from ksame.release.scratch import Scratch, load_arrays, save_arrays

if TYPE_CHECKING:
    from ksame.composite import Surrogate

CELL = 16  # pixels of the head frame; the grid on which the ledger tells a surrogate's region
OPAQUE = 252
FaceFile = tuple[str, int]  # sha256 of a photo, number of the face in it


@dataclass(frozen=True, slots=True)
class Made:
    """What is told of a surrogate: its digest, and per expression the region that it fills."""

    digest: str
    regions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Making:
    """The order to make one surrogate: per donor, the faces to use."""

    root: Path
    group: int
    donors: tuple[tuple[FaceFile, ...], ...]
    head: tuple[FaceFile, ...] = ()
    layer: str = "warped"


def chosen_faces(spots: Sequence[Spot], photos: Sequence[SeenPhoto]) -> tuple[FaceFile, ...]:
    """The most frontal face of a person for each expression: what a surrogate is made from."""
    by_state: dict[str, list[Spot]] = defaultdict(list)
    for n, i in spots:
        by_state[photos[n].faces[i].state].append((n, i))
    best = [
        min(found, key=lambda s: (abs(photos[s[0]].faces[s[1]].yaw), photos[s[0]].sha256, s[1]))
        for _, found in sorted(by_state.items())
    ]
    return tuple((photos[n].sha256, i) for n, i in best)


def order_surrogates(
    plan: Plan,
    shared: Sequence[SharedFace],
    faces: Mapping[str, Sequence[Spot]],
    photos: Sequence[SeenPhoto],
    scratch: Scratch,
) -> list[Making]:
    """One order per group."""
    return [
        Making(
            scratch.root,
            g,
            tuple(chosen_faces(faces[person], photos) for person in group.donors),
            (),
            plan.recipe.layer,
        )
        for g, group in enumerate(shared)
    ]


def make_surrogate(making: Making) -> Made:
    """Make and store the surrogate of one group, unless it is stored."""
    scratch = Scratch(making.root)
    path = scratch.surrogates / f"{making.group}.npz"
    if not path.is_file():
        save_surrogate(path, _synthesise(making, scratch))
    surrogate = load_surrogate(making.root, making.group)
    return Made(surrogate.digest(), {str(s): _region(x.head) for s, x in surrogate.looks.items()})


def _region(head: npt.NDArray[np.uint8]) -> str:
    """The cells of the head frame that a head fills entirely, as hexadecimal bits."""
    height, width = head.shape[:2]
    rows, columns = height // CELL, width // CELL
    alpha = head[: rows * CELL, : columns * CELL, 3].reshape(rows, CELL, columns, CELL)
    return np.packbits(alpha.min(axis=(1, 3)) >= OPAQUE).tobytes().hex()


def _synthesise(making: Making, scratch: Scratch) -> "Surrogate":
    from ksame.composite import synthesise

    donors = [[load_portrait(scratch, *file) for file in person] for person in making.donors]
    head = [load_portrait(scratch, *file) for file in making.head]
    return synthesise(donors, head)


def save_surrogate(path: Path, surrogate: "Surrogate") -> None:
    """Store a surrogate without loss."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    for state, look in surrogate.looks.items():
        for field in fields(look):
            arrays[f"{state}/{field.name}"] = getattr(look, field.name)
    arrays["donors"] = np.array(surrogate.donors)
    save_arrays(path, arrays)


@lru_cache(maxsize=8)
def load_surrogate(root: Path, group: int) -> "Surrogate":
    """A stored surrogate; the last few stay in memory."""
    from ksame.composite import Look, Surrogate

    arrays = load_arrays(Scratch(root).surrogates / f"{group}.npz")
    donors = int(arrays.pop("donors"))
    looks: dict[Any, dict[str, npt.NDArray[Any]]] = defaultdict(dict)
    for name, array in arrays.items():
        state, field = name.split("/")
        looks[state][field] = array
    return Surrogate({state: Look(**found) for state, found in looks.items()}, donors)

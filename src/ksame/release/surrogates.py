"""The heads of the groups, made once each and kept in the store."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ksame._version import __version__
from ksame.arrays import Array
from ksame.release.cells import Cells, surrogate_cells, surrogate_digest
from ksame.release.expressions import looks_to_show, shared_by
from ksame.release.laying import (
    BESIDE,
    HEAD_ALONE,
    HEADS,
    FaceFile,
    LaidFace,
    lay_out,
    load_portrait,
    load_traits,
)
from ksame.states import State
from ksame.store import Store, key_of

if TYPE_CHECKING:
    from ksame.composite import Portrait, Surrogate


@dataclass(frozen=True, slots=True)
class Head:
    """What is told of a head: its digest, the sha256 over its pixels, the cells of each of its
    looks, and which of the candidates lent hair and outline."""

    digest: str
    pixels: str
    looks: Cells
    head: int | None = None


@dataclass(frozen=True, slots=True)
class HeadOrder:
    """The order to make one head.

    Attributes
    ----------
    donors, heads : per donor, and per candidate for the hair, their faces
    aligned : whether faces are brought to one shape before they are averaged
    states : the states of each person's faces, of which ``k`` people must share one
    grey : whether the collection has photos without colour
    members : a face of each person of the group, if theirs is what the face moves away from
    natural : whether the face alone is put into photos
    laid : the faces over which the whole head is laid
    seed : decides the steps of those who cannot take their group's common place
    """

    store: Store
    donors: tuple[tuple[FaceFile, ...], ...]
    heads: tuple[tuple[FaceFile, ...], ...]
    aligned: bool
    k: int
    states: tuple[tuple[State, ...], ...]
    grey: bool = False
    members: tuple[FaceFile, ...] = ()
    natural: bool = False
    laid: tuple[LaidFace, ...] = field(default=(), repr=False)
    seed: int = field(default=0, repr=False)

    @property
    def key(self) -> str:
        """What the head and the places of it depend on."""
        made_from = [self.donors, self.heads, self.members, self.states]
        asked = [self.aligned, self.k, self.grey, self.natural]
        laid = [asdict(face) for face in self.laid]
        return key_of(HEADS, __version__, made_from, asked, laid, self.seed)


def make_head(order: HeadOrder) -> Head:
    """Make and keep the head of one group, unless it is kept already."""
    if (kept := order.store.note(HEADS, order.key)) is not None:
        return Head(**kept)
    whole, lender = _synthesise(order)
    allowed = _allowed(order, whole.looks)
    surrogate = replace(whole, looks={s: look for s, look in whole.looks.items() if s in allowed})
    cells, pixels = surrogate_cells(surrogate), surrogate.digest()
    head = Head(surrogate_digest(pixels, cells), pixels, cells, lender)
    _save(order, surrogate, head, lay_out(order.store, order.laid, order.seed, surrogate))
    return head


def _allowed(order: HeadOrder, looks: Collection[State]) -> Collection[State]:
    """The looks that a group may show."""
    if not order.natural:
        return looks_to_show(order.states, looks, order.k)
    # natural keeps the photo's own light, so that colour is the photo's and not the surrogate's
    poses = looks_to_show(_poses(order.states), {state.pose for state in looks}, order.k)
    return {state for state in looks if state.pose in poses}


def _poses(states: Sequence[Sequence[State]]) -> list[set[State]]:
    """Per person, the expressions alone: whether a photo has colour does not count."""
    return [{state.pose for state in own} for own in states]


def _synthesise(order: HeadOrder) -> "tuple[Surrogate, int | None]":
    from ksame.composite import choose_head, synthesise

    store = order.store
    donors = [
        [load_portrait(store, file, HEAD_ALONE) for file in person] for person in order.donors
    ]
    if not order.aligned:
        return mean_as_it_lies(donors, order.grey), None
    poses = shared_by(_poses(order.states), order.k)
    chosen, head = None, []
    if order.heads:
        # a few numbers tell whose hair suits; the pictures are read for the chosen one alone
        suited = [[load_traits(store, file) for file in files] for files in order.heads]
        chosen = choose_head(donors, suited)
        head = [load_portrait(store, file, HEAD_ALONE) for file in order.heads[chosen]]
    people = [load_portrait(store, file, HEAD_ALONE) for file in order.members]
    return synthesise(donors, head, order.grey, poses, people, order.natural), chosen


def mean_as_it_lies(donors: "Sequence[Sequence[Portrait]]", grey: bool) -> "Surrogate":
    """The mean of registered heads, pixel by pixel, without bringing them to one shape (N 4.1).

    Contours lie over one another (N calls it ghosting). By linearity the same picture is the mean
    of the eigenface codes with all components kept, so that ``pixel`` and ``eigen`` share it and
    differ in their groups.
    """
    from ksame.composite import Look, Surrogate
    from ksame.composite.surrogate import without_colour

    own = [
        min(person, key=lambda p: (p.state is not State.NEUTRAL, abs(p.yaw))) for person in donors
    ]
    head = np.mean([portrait.layer for portrait in own], axis=0)
    alpha = np.maximum(head[..., 3:], 1) / 255
    face = np.clip(np.rint(head[..., :3] / alpha), 0, 255).astype(np.uint8)
    points = np.mean([portrait.points for portrait in own], axis=0)
    tone = np.mean([portrait.tone for portrait in own], axis=0)
    look = Look(points, face, np.rint(head).astype(np.uint8), tone)
    looks = {State.NEUTRAL: look}
    if grey:
        looks[State.GREY_NEUTRAL] = without_colour(look)
    return Surrogate(looks, len(donors))


def _save(order: HeadOrder, surrogate: "Surrogate", head: Head, laid: Mapping[str, Array]) -> None:
    """Keep a head without loss, with what is told of it and where it is laid."""
    arrays: dict[str, Array] = dict(laid)
    for state, look in surrogate.looks.items():
        for part in fields(look):
            arrays[f"{state}/{part.name}"] = getattr(look, part.name)
    arrays["donors"] = np.array(surrogate.donors)
    order.store.save(HEADS, order.key, arrays, asdict(head))


@lru_cache(maxsize=8)
def load_surrogate(store: Store, key: str) -> "Surrogate":
    """A kept head; the last few stay in memory. The key is a digest, so none is ever stale."""
    from ksame.composite import Look, Surrogate

    arrays = store.load(HEADS, key)
    donors = int(arrays.pop("donors"))
    looks: dict[State, dict[str, Array]] = defaultdict(dict)
    for name, array in arrays.items():
        if name.startswith(BESIDE):
            continue
        state, part = name.split("/")
        looks[State(state)][part] = array
    return Surrogate({state: Look(**found) for state, found in looks.items()}, donors)

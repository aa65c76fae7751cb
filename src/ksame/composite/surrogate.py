"""The head that a group shares."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np

from ksame.arrays import Bools, Floats, Floats32, Image
from ksame.composite.away import Away, away_from, lightened
from ksame.composite.blend import GREY_WEIGHTS, smoothstep
from ksame.composite.expression import borrow
from ksame.composite.frame import HEAD, WHOLE, around_face
from ksame.composite.layers import as_bytes, dress, extended, premultiplied, unmultiplied
from ksame.composite.means import MeanFace, mean_face, mean_mesh
from ksame.composite.mesh import Warp
from ksame.composite.portrait import Portrait, best_first, best_portrait
from ksame.errors import InputError
from ksame.states import POSES, TURNED, State

_NEARLY_ALL: Final = (0.85, 0.98)  # of the people: where fewer are seen, the rim is carried on
_SOME: Final = (0.3, 0.7)  # of the people: where the outline of a mean head lies
_OPAQUE: Final = 252  # of 255: less lets a photo through by more than rounding


@dataclass(frozen=True, eq=False)
class Look:
    """A surrogate in one expression.

    Attributes
    ----------
    points : (478, 2) array
        Mean mesh of the donors.
    face : (512, 448, 3) uint8 array
        Mean texture of the donors on that mesh: what ``natural`` takes the face from.
    head : (512, 448, 4) uint8 array
        The whole head, premultiplied RGBA: what ``strict`` places.
    tone : (3,) array
        Its skin's mean colour.
    neck : (512, 448) uint8 array
        Which share of the head's alpha is neck: that part ends where the photo's own neck does.
    """

    points: Floats = field(repr=False)
    face: Image = field(repr=False)
    head: Image = field(repr=False)
    tone: Floats = field(repr=False)
    neck: Image = field(
        repr=False, default_factory=lambda: np.zeros((HEAD.height, HEAD.width), np.uint8)
    )

    @property
    def solid(self) -> Bools:
        """Which pixels show nothing but the head: the same in every ``strict`` photo."""
        opaque: Bools = (self.head[..., 3] >= _OPAQUE) & (self.neck == 0)
        return opaque


@dataclass(frozen=True)
class Surrogate:
    """The head that stands for all people of a group, in each expression that it has."""

    looks: Mapping[State, Look] = field(repr=False)
    donors: int

    def look(self, state: State) -> Look:
        """The look for a state; the neutral one (or the first) where the group has no such look."""
        plain = State.NEUTRAL.without_colour if state.grey else State.NEUTRAL
        return self.looks.get(state) or self.looks.get(plain) or next(iter(self.looks.values()))

    def shown_state(self, state: State) -> State:
        """The state of the look that is shown for a state."""
        look = self.look(state)
        return next(name for name, other in self.looks.items() if other is look)

    def digest(self) -> str:
        """Sha256 over the pixels of all looks."""
        found = hashlib.sha256()
        for state in sorted(self.looks):
            look = self.looks[state]
            found.update(state.encode())
            found.update(look.head.tobytes())
            found.update(look.neck.tobytes())
            found.update(look.face.tobytes())
        return found.hexdigest()


def synthesise(
    donors: Sequence[Sequence[Portrait]],
    head: Sequence[Portrait] = (),
    grey: bool = False,
    poses: Collection[State] = POSES,
    people: Sequence[Portrait] = (),
    fringes: bool = True,
) -> Surrogate:
    """Make the surrogate of a group.

    The face is the mean of the donors' textures on the mean of their meshes, each person with the
    same weight (M, alg. 4.1, with the mesh as shape model). A look for an expression is made only
    if all donors show it, so that every pixel of the face has all of them behind it.

    Parameters
    ----------
    donors : sequence of sequences of Portrait
        Per person, that person's portraits.
    head : sequence of Portrait
        Portraits of one person outside the group, from whom hair, outline, ears and the grain of
        the skin are taken. Without it these are means too, and hair looks like felt.
    grey : bool
        Whether the collection has photos without colour: then every look is made in grey as well.
    poses : collection of State
        The poses that are of use, besides the neutral one.
    people : sequence of Portrait
        A portrait of each person that the surrogate stands for, if it is to move away from them.
    fringes : bool
        Whether ``Look.face`` keeps the donors' fringes, as ``natural`` wants it; it takes time.
    """
    if not donors or not all(donors):
        raise InputError("a surrogate needs at least one donor, and each donor a portrait.")
    shared = set.intersection(*({p.pose for p in person} for person in donors))
    manner = _Manner(away_from(people, donors) if people else None, fringes)
    if State.NEUTRAL in shared:
        looks: dict[State, Look] = {State.NEUTRAL: _in_pose(donors, head, State.NEUTRAL, manner)}
    else:
        best = [[best_portrait(person)] for person in donors]
        looks = {State.NEUTRAL: _look(best, best_first(head), manner)}
    for pose in [pose for pose in POSES[1:] if pose in poses]:
        if pose in shared:
            looks[pose] = _in_pose(donors, head, pose, manner)
        elif borrowed := _borrowed(looks[State.NEUTRAL], head, pose):
            looks[pose] = borrowed
    if grey or any(p.grey for person in (*donors, head) for p in person):
        looks |= {pose.without_colour: without_colour(look) for pose, look in looks.items()}
    return Surrogate(looks, len(donors))


@dataclass(frozen=True)
class _Manner:
    """What holds for all looks of a surrogate."""

    away: Away | None
    fringes: bool


def _in_pose(
    donors: Sequence[Sequence[Portrait]], head: Sequence[Portrait], pose: State, manner: _Manner
) -> Look:
    """The look of a pose, from portraits in that pose alone."""
    chosen = [[p for p in person if p.pose == pose] for person in donors]
    fitting = [p for p in head if p.pose == pose]
    if not fitting and pose not in TURNED:  # a frontal head can wear another frontal expression
        fitting = [p for p in best_first(head) if p.pose not in TURNED]
    return _look(chosen, fitting, manner)


def _borrowed(neutral: Look, head: Sequence[Portrait], pose: State) -> Look | None:
    """An expression that not all donors show, as the head's owner, who is no member, shows it."""
    before, after = ([p for p in head if p.pose == which] for which in (State.NEUTRAL, pose))
    if pose in TURNED or not before or not after:
        return None
    points, face = borrow(neutral.points, neutral.face, neutral.tone, before[0], after[0])
    layer, neck = dress(face, after[0], Warp(points), points, neutral.tone)
    return Look(points=points, face=as_bytes(face), head=layer, tone=neutral.tone, neck=neck)


def _look(donors: Sequence[Sequence[Portrait]], head: Sequence[Portrait], manner: _Manner) -> Look:
    # heads turned by other angles hide other parts: their mean has no clean far edge
    mesh = head[0].points if head and head[0].pose in TURNED else mean_mesh(donors)
    away = manner.away
    points = mesh if away is None else away.moved(mesh)
    # with a head to wear, nothing of the mean is seen far from the face
    part = around_face(points) if head else WHOLE
    mean = mean_face(donors, Warp(points), part, hair=manner.fringes or not head)
    lighter = None if away is None else away.lighter_on(mean)
    if not head:
        colour = unmultiplied(mean.layer)
        face = lightened(extended(colour, mean.alpha, *_NEARLY_ALL), lighter)
        matte = smoothstep(mean.alpha, *_SOME)
        neck = np.mean([mean.warp(p.neck, p.points) for ps in donors for p in ps], axis=0)
        shown = premultiplied(lightened(colour, lighter), matte)
        return Look(
            points=points, face=as_bytes(face), head=shown, tone=mean.tone, neck=as_bytes(neck)
        )
    skin = face = _in_frame(lightened(mean.without_fringes(), lighter), mean)
    if manner.fringes:
        whole = extended(unmultiplied(mean.layer), mean.alpha, *_NEARLY_ALL)
        face = _in_frame(lightened(whole, lighter), mean)
    layer, own_neck = dress(skin, head[0], mean.warp, points, mean.tone)
    return Look(points=points, face=as_bytes(face), head=layer, tone=mean.tone, neck=own_neck)


def _in_frame(colour: Floats32, mean: MeanFace) -> Floats32:
    """A mean's colours in the whole frame."""
    whole = np.zeros((HEAD.height, HEAD.width, 3), np.float32)
    whole[mean.part] = colour
    return whole


def without_colour(look: Look) -> Look:
    """The same look for a photo without colour."""
    face, head = (cv2.cvtColor(i[..., :3], cv2.COLOR_RGB2GRAY) for i in (look.face, look.head))
    tone = np.full(3, look.tone @ GREY_WEIGHTS)
    dark = np.dstack([head, head, head, look.head[..., 3]])
    grey = np.dstack([face] * 3)
    return Look(points=look.points, face=grey, head=dark, tone=tone, neck=look.neck)

"""What the last look finds in a finished photo is hidden, and the replaced faces beside it stay."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ksame.arrays import Floats, Image
from ksame.faces import Face
from ksame.geometry import iou, share_inside
from ksame.release.find import FOUND
from ksame.release.finished_files import read_back
from ksame.release.hiding import hide
from ksame.release.last_look import SURE_IN_FILES, excused, look_again, still_bare
from ksame.release.orders import PhotoOrder
from ksame.release.plain_faces import only_plain_faces
from ksame.release.styles.contract import Box, Protected

if TYPE_CHECKING:
    from ksame.render import Laid

_ON_IT: Final = 0.5  # of a bare face, on the box of a drawn one
# The third network's score of a face that the detector sees in the finished picture alone. Of 72
# such, the least of a real face is 0.27; hands, a goat and gaps between two faces have 0 to 0.2
_SEEN: Final = 0.22
_LIKE: Final = 0.4  # intersection over union with a known face's box: the same face
# looks at a finished picture, hiding what is left; most need one, a crowd of 374 more than twelve
_ROUNDS: Final = 24


@dataclass(frozen=True, slots=True)
class LateFace:
    """A face that only the finished picture showed, and the box (xyxy) that was hidden for it."""

    box: tuple[float, ...]
    points: tuple[tuple[float, float], ...]
    hidden: Box

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> "LateFace":
        """A late face as a ledger, or the note of a written photo, lists it."""
        points = tuple((x, y) for x, y in entry["points"])
        return cls(tuple(entry["box"]), points, (*entry["hidden"],))


@dataclass(frozen=True, slots=True)
class Looked:
    """A photo in which the last look finds nothing more to hide.

    ``found`` are the faces on protected regions, ``late`` those that were hidden now; ``data`` is
    the file, ``picture`` what it shows.
    """

    protected: Protected = field(repr=False)
    found: list[Face] = field(repr=False)
    late: tuple[LateFace, ...]
    data: bytes = field(repr=False)
    picture: Image = field(repr=False)


@dataclass(frozen=True)
class Judge:
    """Tells faces from things in what the last look alone sees in a photo.

    Compression and new faces beside it let the detector see a face in a hand or a wall that it did
    not see before. It is judged in the photo, by the same models and limits as everything that was
    found there at first. And as the detector did not see it there, another one must, apart from the
    faces that are ``known`` (boxes, xyxy). Whatever lies like one of these is that face, and what
    the detector is sure of now is one: no other network alone takes it for a thing.

    A photo that is finished several times has one judge, who remembers what was asked.
    """

    original: Image = field(repr=False)
    known: Floats = field(repr=False)
    _judged: dict[tuple[bytes, ...], bool] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, order: PhotoOrder, original: Image) -> "Judge":
        """The judge of a photo whose faces are listed in its order."""
        known = np.array([face.box for face in order.faces], np.float64).reshape(-1, 4)
        return cls(original, known)

    def faces_and_things(self, left: Sequence[Face]) -> tuple[list[Face], list[tuple[float, ...]]]:
        """What is left to hide, and the boxes of what the models take for no face."""
        faces = [face for face in left if self.is_face(face)]
        things = [
            tuple(round(float(value), 2) for value in face.box)
            for face in left
            if not self.is_face(face)
        ]
        return faces, things

    def is_face(self, face: Face) -> bool:
        """Whether there is a face in the photo."""
        score = np.float64(face.score)
        asked = (face.box.tobytes(), face.points.tobytes(), score.tobytes())
        if asked not in self._judged:
            self._judged[asked] = self._decide(face)
        return self._judged[asked]

    def _decide(self, face: Face) -> bool:
        from ksame.release.styles.poses import find_pose
        from ksame.vision.second_look import SURE, third_opinion

        is_known = bool((iou(face.box, self.known) > _LIKE).any())
        is_sure = is_known or face.score >= SURE
        seen = is_sure or third_opinion(self.original, face, self.known) >= _SEEN
        return seen and find_pose(self.original, face)[1]


def hide_what_is_left(
    order: PhotoOrder,
    original: Image,
    protected: Protected,
    encode: Callable[[Image], bytes],
    judge: Judge | None = None,
) -> Looked | None:
    """Look again, and hide what is found on no protected region or is bare, until nothing is.

    What is looked at is the finished file, read back: whoever verifies it sees the same pixels.
    None where the photo must be withheld. ``judge`` is the photo's, where it is looked at again.
    """
    judge = judge or Judge.of(order, original)
    regions = [*protected.regions]
    # a bar over the eyes leaves the rest of a face, and claims nothing
    claims = order.style != "adhoc"
    replaced = np.array([face.box for face in order.faces if face.surrogate is not None])
    late: list[LateFace] = []
    plain = only_plain_faces(order.store, FOUND, order.found)

    def is_replaced(face: Face) -> bool:
        return claims and not still_bare(face, original, protected.rgb, replaced)

    for _ in range(_ROUNDS):
        data = encode(protected.rgb)
        picture = read_back(data)
        found, left = look_again(
            picture, regions, order.detector, order.untouched, is_replaced, plain
        )
        if claims:
            stay = excused(found, order.untouched)
            doubtful = excused(found, protected.ignored)
            left += [
                face
                for face, stays, doubted in zip(found, stay, doubtful, strict=True)
                # what was doubted in the photo and is plainly seen in the file is a face after all
                if not (stays or (doubted and face.score < SURE_IN_FILES)) and not is_replaced(face)
            ]
        if order.style == "model":
            left, things = judge.faces_and_things(left)
            protected = replace(protected, ignored=(*protected.ignored, *things))
            regions += [list(box) for box in things]
        if not left:
            return Looked(protected, found, tuple(late), data, picture)
        if order.on_failure == "withhold":
            break
        if order.on_failure == "fill":
            protected, closed = close_open_faces(protected, left)
            left = [face for face, is_closed in zip(left, closed, strict=True) if not is_closed]
        protected = replace(protected, ignored=_without(protected.ignored, left))
        protected, hidden = hide_late(protected, left, order.on_failure, order.seed)
        late += hidden
        regions += [box for face in hidden for box in (face.hidden, face.box)]
    return None


def _without(
    ignored: Sequence[tuple[float, ...]], left: Sequence[Face]
) -> tuple[tuple[float, ...], ...]:
    """The doubtful boxes without those that turned out to be faces."""
    are_faces = [any(excused([face], [box])[0] for face in left) for box in ignored]
    return tuple(box for box, is_face in zip(ignored, are_faces, strict=True) if not is_face)


def close_open_faces(protected: Protected, left: Sequence[Face]) -> tuple[Protected, list[bool]]:
    """Draw faces that are bare because of what is kept in front of them again, without it.

    Returns what is told of the photo then, and which of the bare faces lie on such a drawn face: it
    covers them now, and is looked at again before anything is filled.
    """
    from ksame.render import lay_over_fills

    laid, closed = [*protected.laid], [False] * len(left)
    for at, one in enumerate(laid):
        if one.front is None or not one.front.cells.any():
            continue
        box = np.array([one.rendered.box], np.float64)
        on_it = [float(share_inside(face.box, box)[0]) > _ON_IT for face in left]
        if any(on_it):
            laid[at] = one.also_beside([box[0]])
            closed = [was or is_on for was, is_on in zip(closed, on_it, strict=True)]
    if any(closed):
        protected = _told(protected, tuple(laid))
        lay_over_fills(protected.rgb, protected.laid)
    return protected, closed


def hide_late(
    protected: Protected, left: Sequence[Face], how: str, seed: int
) -> tuple[Protected, list[LateFace]]:
    """Hide faces in a photo whose others are replaced, in place; returns what is told of it then.

    Guarantee: a replaced face that a fill reaches over lies whole over it, as one beside a face
    that was filled at first does, and nothing of the photo is kept in front of it any more.
    """
    from ksame.render import filled_box, lay_over_fills

    boxes = [tuple(round(float(value), 2) for value in face.box) for face in left]
    if how == "fill":
        protected = _beside(protected, [filled_box(np.array(box)) for box in boxes])
        lay_over_fills(protected.rgb, protected.laid)  # fills go by what they lie beside
    hidden = [hide(protected.rgb, box, how, seed) for box in boxes]
    if how == "fill":
        lay_over_fills(protected.rgb, protected.laid)
    points = [
        tuple((round(float(x), 2), round(float(y), 2)) for x, y in face.points) for face in left
    ]
    return protected, [LateFace(*told) for told in zip(boxes, points, hidden, strict=True)]


def _beside(protected: Protected, fills: Sequence[Floats]) -> Protected:
    """The same with faces that keep nothing in front of them where one of the fills reaches."""
    return _told(protected, tuple(one.also_beside(fills) for one in protected.laid))


def _told(protected: Protected, laid: "tuple[Laid, ...]") -> Protected:
    """The same with faces that are laid otherwise, and what is told of them."""
    faces = [*protected.faces]
    for before, now in zip(protected.laid, laid, strict=True):
        told = faces[now.place].numbers
        if now.front is not before.front and told is not None:
            front = now.front.as_json() if now.front else None
            faces[now.place] = replace(faces[now.place], numbers={**told, "front": front})
    return replace(protected, faces=tuple(faces), laid=laid)

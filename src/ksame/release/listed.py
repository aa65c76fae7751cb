"""The faces that a corrected ledger lists for one photo, in place of a detector's.

A person may draw a face that no model sees, dismiss what is none, and say what somebody looks
like. What follows from that is the same whether the ledger was corrected by hand or on the review
page: this file is the only place where a person's word changes what is found.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ksame.arrays import Arrays, Image
from ksame.faces import Face, Faces
from ksame.geometry import share_inside

DECIMALS: Final = 2  # of boxes and points: a hundredth of a pixel
BY_HAND: Final = "drawn by a person; its pose cannot be told"
# looks in words, and the figures that stand for them: the middle of what each word covers
SEXES: Final[Mapping[str, float]] = {"female": 0.99, "male": 0.01}  # probability of female
AGE_BANDS: Final[Mapping[str, float]] = {"child": 10, "young": 27, "middle": 45, "old": 65}  # years
# the usual classes of the individual typology angle, in degrees
TONES: Final[Mapping[str, float]] = {
    "very light": 60,
    "light": 48,
    "intermediate": 35,
    "tan": 19,
    "brown": -10,
    "dark": -45,
}
LOOKS: Final[Mapping[str, Mapping[str, float]]] = {
    "gender": SEXES,
    "age_band": AGE_BANDS,
    "tone": TONES,
}
# where eyes, nose and mouth lie in a box that was drawn around a face, as shares of its sides
_USUAL_POINTS: Final = ((0.3, 0.4), (0.7, 0.4), (0.5, 0.6), (0.34, 0.8), (0.66, 0.8))
_FAINT: Final = 0.3  # score from which a detector's points are believed where a person sees a face
_ROOM: Final = 0.75  # of the box's longer side, looked at around a box that was drawn
OFF_PHOTO: Final = "a face listed in the ledger lies off it or is larger than it (correct its box)"
_LARGEST: Final = 2.0  # of a photo's longer side: a face in a photo is no larger
_SAME: Final = 0.5  # of each of two boxes that lies in the other, if they are of one face


@dataclass(frozen=True, slots=True)
class Listed:
    """What a ledger says of one photo; ``faces`` is None where a detector is to look.

    Attributes
    ----------
    faces : mappings with box, points, score, drawn and looks
    ignored : boxes that models took for no face
    dismissed : boxes that a person took for no face
    """

    faces: Sequence[Mapping[str, Any]] | None = field(repr=False)
    ignored: Sequence[Sequence[float]] = ()
    dismissed: Sequence[Sequence[float]] = ()

    @property
    def drawn(self) -> list[tuple[float, ...]]:
        """The boxes that a person drew."""
        return [tuple(face["box"]) for face in self.faces or () if face.get("drawn")]

    @property
    def looks(self) -> dict[tuple[float, ...], Mapping[str, str]]:
        """The looks that a person corrected, by the face's box."""
        return {tuple(f["box"]): f["looks"] for f in self.faces or () if f.get("looks")}

    def is_as_found(self, faces: Faces, dropped: Sequence[Sequence[float]]) -> bool:
        """Whether it lists nothing but what was found, looks apart."""
        if self.faces is None or self.dismissed or self.drawn:
            return False
        own = [(list(f["box"]), [list(p) for p in f["points"]], f["score"]) for f in self.faces]
        seen = [(f.box.tolist(), f.points.tolist(), f.score) for f in faces]
        left = sorted(map(list, self.ignored)) == sorted(map(list, dropped))
        return sorted(own) == sorted(seen) and left

    def fits(self, rgb: Image) -> bool:
        """Whether every listed face lies on the photo and is no larger than photos' faces are."""
        high, wide = rgb.shape[:2]
        boxes = np.array([face["box"] for face in self.faces or ()], np.float64).reshape(-1, 4)
        low, far = np.split(boxes, 2, axis=1)
        inside = (low < (wide, high)).all(axis=1) & (far > 0).all(axis=1)
        return bool((inside & ((far - low).max(axis=1) <= _LARGEST * max(high, wide))).all())

    def found(self, rgb: Image) -> Faces:
        """The listed faces; the points of a drawn one are looked for where none are given."""
        return Faces.of([_face(rgb, face) for face in self.faces or ()])

    def without_dismissed(self, faces: Faces) -> Faces:
        """The faces that no person took for none."""
        taken = {tuple(box) for box in self.dismissed}
        return faces[[i for i, box in enumerate(faces.xyxy.tolist()) if tuple(box) not in taken]]

    def completed(self, faces: Faces, arrays: Arrays) -> tuple[Faces, Arrays]:
        """What a style kept, with the drawn faces that its models deny: they are hidden."""
        dropped = [tuple(box) for box in arrays.get("dropped", np.zeros((0, 4))).tolist()]
        missing = [box for box in dropped if box in self.drawn]
        left = [box for box in dropped if box not in missing]
        left += [tuple(box) for box in self.ignored if tuple(box) not in left]
        if missing:
            faces = Faces.merge([faces, _hidden(faces, missing)]) if len(faces) else _alone(missing)
        if left or "dropped" in arrays:
            arrays = {**arrays, "dropped": np.array(left, np.float64).reshape(-1, 4)}
        return faces, arrays

    def with_looks(self, faces: Faces, arrays: Arrays) -> tuple[Faces, Arrays]:
        """Faces whose looks a person corrected; what nobody corrected stays as it was measured."""
        told = self.looks
        columns = {name: column.tolist() for name, column in faces.data.items()}
        changed: Arrays = {}
        for i, box in enumerate(faces.xyxy.tolist()):
            words = told.get(tuple(box), {})
            for name, word in words.items():
                if name in columns:
                    columns[name][i] = word
            if f"{i}/looks" in arrays and words:
                changed[f"{i}/looks"] = _figures(arrays[f"{i}/looks"], words)
        return faces.with_data(**columns), {**arrays, **changed}


def in_order(found: Faces) -> Faces:
    """Faces as a ledger lists them: the largest first, boxes and points to a hundredth of a pixel.

    Detected and listed faces pass through here alike, so that a ledger gives the same bytes.
    """
    faces = [
        Face(face.box.round(DECIMALS), round(float(face.score), 4), face.points.round(DECIMALS))
        for face in found
    ]
    return Faces.of(sorted(faces, key=lambda face: (-face.size, *face.box.tolist())))


def _face(rgb: Image, told: Mapping[str, Any]) -> Face:
    box = np.array(told["box"], np.float64)
    points = np.array(told["points"], np.float64)
    if points.shape != (5, 2):
        points = _points(rgb, box)
    return Face(box, float(told["score"]), points)


def _points(rgb: Image, box: Any) -> Any:
    """Eyes, nose and mouth in a box that a person drew: a faint detection's, or the usual ones."""
    found = seen_at(rgb, box)
    return usual_points(box) if found is None else found.points


def seen_at(rgb: Image, box: Any) -> Face | None:
    """What a detector faintly sees where a person sees a face, in pixels of the picture."""
    from ksame.vision import find_faces

    x0, y0, x1, y1 = box
    room = _ROOM * max(x1 - x0, y1 - y0)
    low = np.maximum([x0 - room, y0 - room], 0).astype(int)
    high = np.ceil([x1 + room, y1 + room]).astype(int)
    crop = np.ascontiguousarray(rgb[low[1] : high[1], low[0] : high[0]])
    shift = np.tile(low, 2).astype(np.float64)
    if min(crop.shape[:2]) > 1:
        for face in find_faces(crop, _FAINT):
            there = face.box + shift
            both = share_inside(there, box[None])[0], share_inside(box, there[None])[0]
            if min(both) > _SAME:
                return Face(there, face.score, face.points + low)
    return None


def usual_points(box: Any) -> Any:
    """Where eyes, nose and mouth usually lie in a box around a face."""
    x0, y0, x1, y1 = box
    usual: Any = np.array([x0, y0]) + np.array(_USUAL_POINTS) * [x1 - x0, y1 - y0]
    return usual


def _hidden(faces: Faces, boxes: Sequence[tuple[float, ...]]) -> Faces:
    """Rows for drawn faces without a pose, with the columns of the others."""
    empty = {n: np.array([c.dtype.type()] * len(boxes)) for n, c in faces.data.items()}
    return _alone(boxes).with_data(**empty)


def _alone(boxes: Sequence[tuple[float, ...]]) -> Faces:
    corners = np.array(boxes)
    sides = corners[:, None, 2:] - corners[:, None, :2]
    return Faces(
        xyxy=corners,
        points=(corners[:, None, :2] + np.array(_USUAL_POINTS) * sides).round(DECIMALS),
        score=np.ones(len(boxes)),
        failure=np.array([BY_HAND] * len(boxes)),
    )


def _figures(measured: Any, words: Mapping[str, str]) -> Any:
    """Probability of female, age, tone and its weight, with a person's words for some of them."""
    female, age, tone, sure = measured.tolist()
    female = SEXES.get(words.get("gender", ""), female)
    age = AGE_BANDS.get(words.get("age_band", ""), age)
    if words.get("tone") in TONES:
        tone, sure = TONES[words["tone"]], 1.0
    return np.array([female, age, tone, sure])

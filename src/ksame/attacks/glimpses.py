"""One face in one picture, as an attacker sees it: cut out, and where it lay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ksame.arrays import Floats, Image
from ksame.attacks.levels import Level, find_level
from ksame.attacks.sightings import sight
from ksame.geometry import apply, bounds, corners, inverse, iou, similarity
from ksame.recognition.crops import FACE, POINTS, SIDE, Crops, crop
from ksame.vision import Face

_SAME = 0.3  # intersection over union from which a face is the one at a box
_PLAIN = Level("none")


@dataclass(frozen=True)
class Place:
    """Where a face lies in a picture; of a clip, in which frame."""

    points: Floats = field(repr=False)
    box: Floats = field(repr=False)
    shape: tuple[int, int]
    frame: int = 0


@dataclass(frozen=True)
class Glimpse:
    """A face in one picture.

    `hidden`: no detector finds it any more, it was placed by its original's landmarks.
    `sighted` is what is seen of it as it lies in the picture, where that was asked for.
    """

    crop: Crops = field(repr=False)
    place: Place = field(repr=False)
    score: float
    level: Level = _PLAIN
    sighted: dict[str, Floats] | None = field(default=None, repr=False)
    hidden: bool = False


def glimpse_original(photo: Image, face: Face, look: bool, frame: int = 0) -> Glimpse:
    """A face that was found on an original."""
    place = Place(face.points, face.box, photo.shape[:2], frame)
    seen = sight(photo, face) if look else None
    return Glimpse(crop(photo, face.points), place, float(face.score), sighted=seen)


def glimpse_released(
    photo: Image,
    faces: Sequence[Face],
    box: Sequence[float] | None,
    place: Place | None,
    look: bool,
) -> Glimpse | None:
    """A released face by its own points, else by those of its original.

    None where no detector finds it and its original's place is not known either.
    """
    face = choose_face(faces, box if place is None else place.box.tolist())
    if face is not None:
        points, score = np.asarray(face.points), float(face.score)
    elif place is not None:
        points, score = place.points, 0.0
    else:
        return None
    there = _face_at(points)
    return Glimpse(
        crop(photo, points),
        Place(points, there.box, photo.shape[:2], place.frame if place else 0),
        score,
        _level(photo, points),
        sight(photo, there) if look else None,
        hidden=face is None,
    )


def scaled(place: Place, shape: tuple[int, int]) -> Place:
    """A place in a picture that was resized on the way."""
    if place.shape == shape:
        return place
    factor = np.array([shape[1] / place.shape[1], shape[0] / place.shape[0]])
    return Place(place.points * factor, place.box * np.tile(factor, 2), shape, place.frame)


def choose_face(faces: Sequence[Face], box: Sequence[float] | None) -> Face | None:
    """The face at a box, or the largest one: detectors list faces by size."""
    if not faces:
        return None
    if box is None:
        return faces[0]
    shares = iou(np.stack([face.box for face in faces]), np.asarray(box))
    best = int(shares.argmax())
    return faces[best] if shares[best] > _SAME else None


def _face_at(points: Floats) -> Face:
    """A face by its five points alone: the box is as large as YuNet's around such points."""
    to_photo = inverse(similarity(points, POINTS))
    return Face(box=bounds(apply(to_photo, corners(FACE.box))), score=1.0, points=points)


def _level(photo: Image, points: Floats) -> Level:
    """The alteration of a face, measured on the photo's own grid, in pixels of the crop."""
    scale = np.linalg.norm(POINTS[0] - POINTS[1]) / max(
        float(np.linalg.norm(points[0] - points[1])), 1e-6
    )
    middle = points.mean(axis=0)
    half = 0.28 * SIDE / scale
    limit = np.array([photo.shape[1], photo.shape[0]])
    low = np.clip(np.floor(middle - half).astype(int), 0, limit - 1)
    high = np.clip(np.ceil(middle + half).astype(int), low + 1, limit)
    part = photo[low[1] : high[1], low[0] : high[0]]
    if min(part.shape[:2]) < 24:
        return Level("none")
    found = find_level(part)
    return Level(found.kind, found.value * float(scale)) if found.kind != "none" else found

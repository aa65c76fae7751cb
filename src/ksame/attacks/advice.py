"""The privacy operating characteristic of a user's own faces, and the k that meets a target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from ksame.arrays import Array, Image
from ksame.attacks.glimpses import choose_face
from ksame.attacks.looks import compare_images
from ksame.errors import GuaranteeError, InputError
from ksame.media import find_photos, read_photo
from ksame.methods import KSameFurthest, KSamePixel
from ksame.metrics.cmc import ranking
from ksame.metrics.intervals import Rate, rate
from ksame.metrics.loss import euclid
from ksame.metrics.utility import Advice, OperatingPoint, advise
from ksame.people import PhotoPeople, cluster_people, find_source
from ksame.recognition.contract import Recogniser, compare
from ksame.recognition.crops import crop
from ksame.recognition.deep import SFace, as_crops
from ksame.recognition.eigenfaces import Eigenfaces
from ksame.vision import Face, embed_sface, find_faces

_SIDE = 120
_SAMPLE = 24

METHODS: dict[str, Callable[[int], Any]] = {
    "closest": lambda k: KSamePixel(k, random_state=0),
    "furthest": lambda k: KSameFurthest(k, random_state=0),
}


@dataclass(frozen=True)
class OwnFaces:
    """Faces of a user's photos in one frame, and who is on them; the repr gives counts only."""

    faces: Image = field(repr=False)
    persons: Array = field(repr=False)

    @property
    def people(self) -> int:
        """How many people were found."""
        return len(np.unique(self.persons))


def gather_faces(
    inputs: Sequence[str | Path],
    persons: str | Path = "auto",
    step: Callable[[int], None] = lambda n: None,
) -> OwnFaces:
    """The faces of photos and folders, in one frame, and whose they are.

    `persons` is read as every command reads it (`ksame.people.find_source`). With "auto" every
    face counts and people are found by clustering; else the faces that the source names.
    """
    roots = [Path(given) for given in inputs]
    photos = find_photos(roots)
    source = find_source(persons)
    listed = [None] * len(photos) if source is None else source.people_of(photos, roots)
    faces, owners, codes, places = [], [], [], []
    for number, (path, people) in enumerate(zip(photos, listed, strict=True)):
        step(1)
        if source is not None and people is None:
            continue
        photo = read_photo(path).rgb
        for face, person in _wanted(find_faces(photo, turned=False), people):
            faces.append(_small(crop(photo, face.points)))
            owners.append(person)
            places.append(number)
            if source is None:
                codes.append(embed_sface(photo, face))
    if not faces:
        raise InputError("no face was found in IN; choosing k needs photos of several people.")
    who: Array = np.asarray(owners)
    if source is None:
        who = np.asarray(cluster_people(np.stack(codes), places).labels)
    return OwnFaces(np.stack(faces), who)


def _wanted(found: Sequence[Face], people: PhotoPeople | None) -> list[tuple[Face, str]]:
    """The faces to take from a photo, with their people; all of them where nobody is named."""
    if people is None:
        return [(face, "") for face in found]
    chosen = [(choose_face(found, named.box), named.person) for named in people.faces]
    return [(face, person) for face, person in chosen if face is not None and person is not None]


def _small(face: Image) -> Image:
    return np.asarray(cv2.resize(face, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA))


def operating_points(
    own: OwnFaces,
    method: str = "closest",
    ks: Sequence[int] = (2, 3, 5, 10, 20, 50, 100),
    step: Callable[[int], None] = lambda n: None,
) -> list[OperatingPoint]:
    """Recognition, utility and loss of registered faces, for every k that the people allow.

    Recognition is the worse of Eigenfaces and SFace, released against original faces. Utility is
    the mean correlation of the expression coefficients between original and release. These are
    faces in a common frame: what a photo shows around them is `ksame attack`'s to measure.
    """
    if method not in METHODS:
        raise InputError(f"method={method!r} is not known; choose from {', '.join(METHODS)}.")
    if own.people < min(ks):
        raise _too_few(own, ks)
    flat = own.faces.reshape(len(own.faces), -1)
    recognisers: tuple[Recogniser, ...] = (Eigenfaces(0.98).fit(flat), SFace())
    points = []
    for k in ks:
        try:
            made = METHODS[method](k).fit_transform(flat.astype(np.float64), persons=own.persons)
        except GuaranteeError:
            break
        images = np.clip(np.rint(made), 0, 255).astype(np.uint8).reshape(own.faces.shape)
        sides = ((made, flat), (images, own.faces))
        rates = [
            _rank1(compare(r, *side), own.persons)
            for r, side in zip(recognisers, sides, strict=True)
        ]
        worst = max(rates, key=lambda r: r.value)
        loss = float(np.mean(euclid(flat, made)))
        points.append(OperatingPoint(k, 1 / k, worst, _expression(own.faces, images), loss))
        step(1)
    if not points:
        raise _too_few(own, ks)
    return points


def _too_few(own: OwnFaces, ks: Sequence[int]) -> GuaranteeError:
    return GuaranteeError(
        f"k={min(ks)} is the smallest k that is tried, and needs more people; these photos show "
        f"{own.people}. Add people, or say who is who (persons='folder' or a people.csv)."
    )


def choose_k(points: Sequence[OperatingPoint], target: float) -> Advice:
    """The smallest k that meets the target, by proof and by measurement."""
    return advise(points, target)


def _rank1(distances: Array, persons: Array) -> Rate:
    hits = ranking(distances, persons, persons).hits()
    return rate(float(hits.sum()), len(hits))


def _expression(faces: Image, images: Image) -> float:
    """Agreement of expression on some of the faces; 0 where no released face shows one."""
    some = np.unique(np.linspace(0, len(faces) - 1, min(_SAMPLE, len(faces))).astype(int))
    found = compare_images(list(as_crops(faces[some])), list(as_crops(images[some])))
    return max(found.expression or 0.0, 0.0)

"""The privacy operating characteristic of a user's own faces, and the k that meets a target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from ksame.attacks.quality import agreement
from ksame.errors import GuaranteeError, InputError
from ksame.media import find_photos, read_photo
from ksame.methods import KSameFurthest, KSamePixel
from ksame.metrics.cmc import ranking
from ksame.metrics.intervals import Rate, rate
from ksame.metrics.loss import euclid
from ksame.metrics.utility import Advice, OperatingPoint, advise
from ksame.recognition.contract import Recogniser, compare
from ksame.recognition.crops import crop
from ksame.recognition.deep import SFace, as_crops
from ksame.recognition.eigenfaces import Eigenfaces
from ksame.vision import cluster_people, embed_sface, find_faces

_SIDE = 120
_SAMPLE = 24

METHODS: dict[str, Callable[[int], Any]] = {
    "closest": lambda k: KSamePixel(k, random_state=0),
    "furthest": lambda k: KSameFurthest(k, random_state=0),
}


@dataclass(frozen=True)
class OwnFaces:
    """Faces of a user's photos in one frame, and who is on them; the repr gives counts only."""

    faces: npt.NDArray[np.uint8] = field(repr=False)
    persons: npt.NDArray[Any] = field(repr=False)

    @property
    def people(self) -> int:
        """How many people were found."""
        return len(np.unique(self.persons))


def gather_faces(
    inputs: Sequence[Path], persons: str = "auto", step: Callable[[int], None] = lambda n: None
) -> OwnFaces:
    """Every face of photos and folders; people by folder, by a people.csv or by clustering."""
    faces, owners, codes, photos = [], [], [], []
    listed = _listed(persons)
    for number, path in enumerate(find_photos(inputs)):
        photo = read_photo(path).rgb
        found = find_faces(photo, turned=False)
        chosen = found if persons == "auto" else found[:1]
        for face in chosen:
            small = cv2.resize(
                crop(photo, face.points), (_SIDE, _SIDE), interpolation=cv2.INTER_AREA
            )
            faces.append(small)
            owners.append(listed.get(path.resolve(), path.parent.name))
            photos.append(number)
            if persons == "auto":
                codes.append(embed_sface(photo, face))
        step(1)
    if not faces:
        raise InputError("no face was found in IN; choosing k needs photos of several people.")
    who: npt.NDArray[Any] = np.asarray(owners)
    if persons == "auto":
        who = np.asarray(cluster_people(np.stack(codes), photos).labels)
    return OwnFaces(np.stack(faces), who)


def _listed(persons: str) -> dict[Path, str]:
    if persons in ("auto", "folder"):
        return {}
    from ksame.datasets import read_people_csv

    table = read_people_csv(persons)
    return {p.resolve(): who for p, who in zip(table.images, table.persons, strict=True)}


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
        raise GuaranteeError(
            f"{own.people} people are too few for any k of {', '.join(map(str, ks))}. Add people."
        )
    return points


def choose_k(points: Sequence[OperatingPoint], target: float) -> Advice:
    """The smallest k that meets the target, by proof and by measurement."""
    return advise(points, target)


def _rank1(distances: npt.NDArray[Any], persons: npt.NDArray[Any]) -> Rate:
    hits = ranking(distances, persons, persons).hits()
    return rate(float(hits.sum()), len(hits))


def _expression(faces: npt.NDArray[np.uint8], images: npt.NDArray[np.uint8]) -> float:
    """Agreement of expression on some of the faces; 0 where no released face shows one."""
    some = np.unique(np.linspace(0, len(faces) - 1, min(_SAMPLE, len(faces))).astype(int))
    found = agreement(list(as_crops(faces[some])), list(as_crops(images[some])))
    return max(found.expression or 0.0, 0.0)

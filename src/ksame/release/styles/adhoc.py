"""Faces under an ad hoc mask, for comparison: it guarantees nothing (N section 2)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ksame.arrays import Arrays, Floats, Image
from ksame.faces import Faces
from ksame.release.adhoc import conceal_faces, crop_face
from ksame.release.find import FOUND
from ksame.release.orders import PhotoOrder
from ksame.release.styles.contract import FaceWritten, Protected

if TYPE_CHECKING:
    from ksame.release.find import Album, Spot
    from ksame.release.job import Job
    from ksame.release.share import Group, SharedFace
    from ksame.vision import Face


def keep(rgb: Image, found: "Sequence[Face]", attributes: Sequence[str]) -> tuple[Faces, Arrays]:
    """A small crop of each face, for the masks that mix faces."""
    arrays = {f"{i}/crop": crop_face(rgb, face.box.tolist()) for i, face in enumerate(found)}
    return faces_found(found, [None] * len(found)), arrays


def faces_found(
    found: "Sequence[Face]", failures: Sequence[str | None], **columns: Sequence[Any]
) -> Faces:
    """Detected faces as one value."""
    return Faces(
        xyxy=np.array([face.box for face in found], np.float64).reshape(-1, 4).round(2),
        points=np.array([face.points for face in found], np.float64).reshape(-1, 5, 2).round(2),
        score=np.array([face.score for face in found], np.float64),
        failure=np.array([why or "" for why in failures], np.str_),
        data={name: np.array(values) for name, values in columns.items()},
    )


def check_scenes(job: "Job", album: "Album") -> None:
    """Any photo will do."""


def codes(job: "Job", album: "Album", faces: "Mapping[str, Sequence[Spot]]") -> dict[str, Floats]:
    """Nobody is grouped."""
    return {}


def told(job: "Job", album: "Album", spots: "Sequence[Spot]") -> dict[str, str]:
    """Every photo is asked alone."""
    return {}


def tones(job: "Job", album: "Album", faces: "Mapping[str, Sequence[Spot]]") -> dict[str, float]:
    """Nobody is told apart."""
    return {}


def make(
    job: "Job",
    album: "Album",
    faces: "Mapping[str, Sequence[Spot]]",
    groups: "Sequence[Group]",
) -> "list[SharedFace]":
    """Nothing is shared."""
    return []


def protect(order: PhotoOrder, rgb: Image) -> Protected:
    """The photo with every face's box altered."""
    boxes = [face.box for face in order.faces]
    others = [
        order.store.load(FOUND, key, f"{face}/", ("crop",))["crop"] for key, face in order.others
    ]
    result = conceal_faces(rgb, boxes, order.method, others, order.seed)
    return Protected(result, (FaceWritten(),) * len(boxes), boxes)

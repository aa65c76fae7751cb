"""Fill the pool: breed candidates, look at them with recognisers, keep who resembles nobody.

A face is kept where neither SFace nor dlib accepts it, at 0.1% false accepts, as any training
person, as any person of the reference sets, or as a face that is kept already.
"""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt
from tools.face_model.breed import Parents, breed
from tools.face_model.look import render

from ksame.codecs.face.drawing import likeness
from ksame.codecs.face.model import FaceModel
from ksame.vision import (
    Attributes,
    embed_dlib,
    embed_sface,
    find_faces,
    find_landmarks,
    gender_age,
)
from ksame.vision.tone import apparent_tone

Floats32 = npt.NDArray[np.float32]

AGES = (4, 9, 14, 20, 27, 35, 45, 56, 68, 78)
TONES = (56.0, 44.0, 32.0, 20.0, 5.0, -15.0, -35.0, -52.0)
FALSE_ACCEPTS = 0.001
STEP = 1 / 32  # of a stored code's numbers: a hundredth of what tells two people apart
WANTED = 7  # faces of each kind
# how often a face is moved away, by how much, and from how many of those it resembles most
_STEPS, _FURTHER, _NEAREST = 4, 0.22, 6
SPREADS = {"sface": 0.08, "dlib": 0.05}  # usual differences between likenesses
# what a likeness may gain when the face is rendered at another size
MARGINS = {"sface": 0.02, "dlib": 0.018}
SAME_FACE = {"sface": 0.66, "dlib": -0.38}  # likenesses of two faces of the pool
_SIZE = 192


@dataclass(frozen=True)
class Gallery:
    """Whom no face may resemble: embeddings by recogniser, and the number of each one's code.

    The number is -1 for those who are no parents.
    """

    embeddings: dict[str, Floats32]
    parent: npt.NDArray[np.int64]


@dataclass
class Kept:
    """The pool while it grows."""

    codes: list[Floats32] = field(default_factory=list)
    female: list[float] = field(default_factory=list)
    age: list[float] = field(default_factory=list)
    tone: list[float] = field(default_factory=list)
    sface: list[Floats32] = field(default_factory=list)
    dlib: list[Floats32] = field(default_factory=list)


def limit_of(recogniser: str, embeddings: Floats32, person: npt.NDArray[np.generic]) -> float:
    """The likeness that 0.1% of the pairs of different people reach."""
    alike = likeness(recogniser, embeddings, embeddings)
    strangers = alike[person[:, None] != person[None]]
    return float(np.quantile(strangers, 1 - FALSE_ACCEPTS))


@dataclass(frozen=True)
class Search:
    """What is the same for every kind of face."""

    model: FaceModel
    parents: Parents
    gallery: Gallery
    limits: dict[str, float]
    tries: int


def fill(search: Search, jobs: int) -> Kept:
    """Breed faces of all looks until each kind has some, or its renderings are used up.

    Every kind has chances of its own, so that the pool is the same for any number of processes.
    """
    global _search
    _search = search  # the processes are forked, so that nothing is copied
    kinds = [Kind(*kind) for kind in product((True, False), AGES, TONES)]
    kept = Kept()
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork")) as pool:
        for kind, found in zip(kinds, pool.map(fill_kind, kinds), strict=True):
            fresh = sum(_keep(kept, face, kind) for face in found)
            print(f"{kind}: {fresh} of {len(found)}", flush=True)
    return kept


class Kind(NamedTuple):
    """The looks that are asked for."""

    female: bool
    age: int
    tone: float


_search: Search


def fill_kind(kind: Kind) -> list[Seen]:
    """Faces of one kind that resemble nobody.

    A candidate that is accepted as someone is moved on, away from the training people whom it is
    most like, a few times before it is given up.
    """
    cv2.setNumThreads(1)
    female, age, tone = kind
    rng = np.random.default_rng([20, int(female), age, int(tone + 100)])
    found, own = list[Seen](), Kept()
    code: Floats32 | None = None
    left = 0
    for number in range(_search.tries):
        # later tries, for kinds that all look like someone, move them away
        steps = _STEPS if number > _search.tries // 3 else 1
        if code is None or not left:
            near = age + rng.uniform(-3, 3), tone + rng.uniform(-6, 6)
            code, left = breed(_search.parents, rng, female, *near), steps
        if code is None:
            continue
        left -= 1
        code = (np.rint(code / STEP) * STEP).astype(np.float32)
        face = see(_search.model, code, _search.gallery, _search.limits, hurried=not left)
        if face is None:
            code = None
        elif max(float(part.max()) for part in face.alike.values()) >= 0:
            code = _away(code, _search.parents, _search.gallery, face.alike)
        else:
            code = None
            if _keep(own, face, kind):
                found.append(face)
                if len(found) == WANTED:
                    break
    return found


@dataclass(frozen=True)
class Seen:
    """A rendered candidate and what networks say of it.

    `alike` is by how much each person of the gallery is more alike than is allowed.
    """

    code: Floats32
    embeddings: dict[str, Floats32]
    alike: dict[str, Floats32]
    looks: Attributes
    tone: float


def see(
    model: FaceModel, code: Floats32, gallery: Gallery, limits: dict[str, float], hurried: bool
) -> Seen | None:
    """Show a face to the networks; None where it is not one face to all of them.

    Whoever is `hurried` wants to know of faces that resemble nobody alone.
    """
    rgb = render(model, code, size=_SIZE, ground=128)
    faces = find_faces(rgb, finest=320, turned=False)
    if len(faces) != 1 or faces[0].score < 0.8:
        return None
    embeddings, alike = {}, {}
    for name, embed in (("sface", embed_sface), ("dlib", embed_dlib)):
        own = embed(rgb, faces[0]).astype(np.float32)
        all_alike = likeness(name, own[None], gallery.embeddings[name])[0]
        embeddings[name] = own
        alike[name] = (all_alike - limits[name] + MARGINS[name]).astype(np.float32)
        if hurried and alike[name].max() >= 0:
            return None
    found = find_landmarks(rgb, faces[0], min_score=0.9)
    looks = gender_age(rgb, faces[0], found) if found else None
    if not found or not looks:
        return None
    return Seen(code, embeddings, alike, looks, apparent_tone(rgb, found.points))


def _away(
    code: Floats32, parents: Parents, gallery: Gallery, alike: dict[str, Floats32]
) -> Floats32:
    """A face of the same length, further from the parents whom it is most like."""
    total = sum(part / SPREADS[name] for name, part in alike.items())
    nearest = np.argsort(-np.where(gallery.parent >= 0, total, -np.inf), kind="stable")[:_NEAREST]
    length = float(np.linalg.norm(code))
    moved = code.copy()
    for row in nearest:
        other = parents.codes[gallery.parent[row]]
        unit = other / np.linalg.norm(other)
        moved -= _FURTHER * max(float(code @ unit), 0.15 * length) * unit
    moved *= length / np.linalg.norm(moved)
    return np.clip(moved, -3.4, 3.4).astype(np.float32)


def _keep(kept: Kept, face: Seen, kind: Kind) -> bool:
    """Keep a face of the asked sex that is told apart from those kept already."""
    female, age = kind.female, float(kind.age)
    # sex is hard to tell of children, and the network takes them for adults
    if abs(face.looks.female - female) > (0.5 if age >= 14 else 0.9):
        return False
    for name, others in (("sface", kept.sface), ("dlib", kept.dlib)):
        own = face.embeddings[name][None]
        if others and float(likeness(name, own, np.stack(others)).max()) >= SAME_FACE[name]:
            return False
    heard = 0.4 if age > 14 else 0.15
    kept.codes.append(face.code)
    kept.female.append(0.98 if female else 0.02)
    kept.age.append((1 - heard) * age + heard * face.looks.age)
    kept.tone.append(face.tone)
    kept.sface.append(face.embeddings["sface"])
    kept.dlib.append(face.embeddings["dlib"])
    return True

"""Faces of the model: people who do not exist, rendered into the photo from a list of numbers."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ksame.arrays import Arrays, Floats, Image
from ksame.codecs.face import FaceModel
from ksame.faces import Face, Faces
from ksame.release.attributes import UNKNOWN
from ksame.release.find import FOUND, Album, Spot
from ksame.release.hiding import hide
from ksame.release.job import Job
from ksame.release.model_faces import (
    CodeOrder,
    encode_faces,
    keep_face,
    load_identity,
    made_face,
)
from ksame.release.orders import PhotoOrder
from ksame.release.share import Group, SharedFace
from ksame.release.styles.adhoc import faces_found
from ksame.release.styles.contract import FaceWritten, Protected
from ksame.release.styles.poses import find_pose
from ksame.release.styles.suiting import drawn_faces, person_looks
from ksame.vision.looks import PersonLooks, pooled_looks

if TYPE_CHECKING:
    from ksame.vision import Landmarks

NO_POSE: Final = "its pose cannot be told"
# what counts as one when people are compared by their looks: classes too small join the nearest
_YEARS: Final = 20.0
_DEGREES: Final = 20.0  # of the skin's typology angle
_MIDDLE: Final = 30.0  # degrees: stands for a tone that cannot be told, as in grey photos
_OTHER_SEX: Final = 3.0  # as much as sixty years or degrees of tone: the sexes join last
_TONE_UNIT: Final = 0.008  # logarithms of brightness per degree of tone, as split_by_tone counts


def keep(rgb: Image, found: Sequence[Face], attributes: Sequence[str]) -> tuple[Faces, Arrays]:
    """Landmarks with depth, and looks; what three models take for no face is left alone."""
    kept: list[Face] = []
    failures: list[str | None] = []
    classes: list[dict[str, str]] = []
    dropped: list[Floats] = []
    arrays: Arrays = {}
    for face in found:
        marks, is_face = find_pose(rgb, face)
        if not is_face:
            dropped.append(face.box)
            continue
        kept.append(face)
        failures.append(None if marks is not None else NO_POSE)
        classes.append(dict.fromkeys(attributes, ""))
        if marks is not None:
            told, classes[-1] = _told(rgb, face, marks, attributes)
            arrays |= {f"{len(kept) - 1}/{name}": array for name, array in told.items()}
    arrays["dropped"] = np.array(dropped, np.float64).reshape(-1, 4)
    columns = {name: [told[name] for told in classes] for name in attributes}
    return faces_found(kept, failures, **columns), arrays


def _told(
    rgb: Image, face: Face, marks: "Landmarks", attributes: Sequence[str]
) -> tuple[Arrays, dict[str, str]]:
    """What later stages need of one face, and the classes that can be read off it."""
    from ksame.vision import blendshapes, expression_class
    from ksame.vision.looks import measure_looks

    looks = measure_looks(rgb, face, marks)
    mesh = np.column_stack([marks.points, marks.depth]).astype(np.float32)
    arrays: Arrays = {
        "landmarks": mesh,
        "marks_score": np.array(marks.score),
        "looks": np.array([looks.female, looks.age, looks.tone, looks.tone_sure]),
    }
    known = _words(pooled_looks([looks]))
    if "expression" in attributes:
        known["expression"] = expression_class(blendshapes(marks.points))
    return arrays, {name: known[name] for name in attributes}


def check_scenes(job: Job, album: Album) -> None:
    """Any photo will do."""


def codes(job: Job, album: Album, faces: Mapping[str, Sequence[Spot]]) -> dict[str, Floats]:
    """What the recipe compares people by: their looks, or their codes in the model."""
    recipe = job.plan.recipe
    assert recipe is not None
    if recipe.codec != "looks":
        return _model_codes(job, album, faces)
    if not job.plan.classes:  # nobody is told apart by looks
        return {person: np.zeros(3) for person in faces}
    found = {}
    for person, spots in faces.items():
        looks = person_looks(job, album, spots)
        tone = _MIDDLE if looks.tone is None else looks.tone
        found[person] = np.array([_OTHER_SEX * looks.female, looks.age / _YEARS, tone / _DEGREES])
    return found


def _model_codes(job: Job, album: Album, faces: Mapping[str, Sequence[Spot]]) -> dict[str, Floats]:
    """The mean over a person's faces of their codes in the model (M section 4.2)."""
    orders = [
        CodeOrder(job.store, picture.path, picture.key, job.plan.max_pixels)
        for picture in album.pictures
    ]
    rows = dict(enumerate(job.runner.run("codes", encode_faces, orders)))
    return {
        person: np.mean([rows[n][i] for n, i in spots], axis=0) for person, spots in faces.items()
    }


def told(job: Job, album: Album, spots: Sequence[Spot]) -> dict[str, str]:
    """Sex and age band by all photos of a person: a sure one counts more than two doubtful ones."""
    return _words(person_looks(job, album, spots))


def _words(looks: PersonLooks) -> dict[str, str]:
    sex = UNKNOWN if looks.sex == "unsure" else looks.sex
    return {"gender": sex, "age_band": looks.age_band}


def tones(job: Job, album: Album, faces: Mapping[str, Sequence[Spot]]) -> dict[str, float]:
    """Everybody's skin, from dark to light; whoever's cannot be told is in the middle."""
    found = {person: person_looks(job, album, spots).tone for person, spots in faces.items()}
    known = [tone for tone in found.values() if tone is not None]
    middle = float(np.median(known)) if known else 0.0
    return {
        person: (middle if tone is None else tone) * _TONE_UNIT for person, tone in found.items()
    }


def make(
    job: Job,
    album: Album,
    faces: Mapping[str, Sequence[Spot]],
    groups: Sequence[Group],
) -> list[SharedFace]:
    """The face of each group: one of nobody, or the mean of its lenders or of its proxies."""
    recipe = job.plan.recipe
    assert recipe is not None
    if recipe.making == "drawn":
        return drawn_faces(job, album, faces, groups)
    found = codes(job, album, faces)
    shared = []
    for group in groups:
        lent = np.stack([found[person] for person in group.donors if person in found])
        donors = () if recipe.shows_nobody else group.donors
        face = keep_face(job.store, made_face(recipe, lent, job.plan.k))
        told = {"code": face.code}
        shared.append(SharedFace(group.people, donors, face.digest, face.digest, told=told))
    return shared


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was seen of a photo: the parts around its faces, and what was drawn of each."""

    photo: tuple[Any, ...]
    parts: Sequence[Any]
    drawn: dict[tuple[Any, ...], Any] = field(default_factory=dict)


# The photo that was last protected in this thread: one that is finished again, because some of its
# faces are guarded more, has the others at hand. Another thread may protect another photo meanwhile
_last = threading.local()


def protect(order: PhotoOrder, rgb: Image) -> Protected:
    """The photo with every face replaced by a rendered one, and the others hidden."""
    from ksame.render import (
        Laid,
        filled_box,
        front_mask,
        lay_over_fills,
        measure,
        render,
        replace_face,
        wall_mask,
    )
    from ksame.vision import Landmarks
    from ksame.vision.glances import glance_at_parts
    from ksame.vision.whole_heads import with_whole_heads

    model, size = FaceModel.load(), (rgb.shape[1], rgb.shape[0])
    kept = order.store.load(FOUND, order.found)
    result = rgb.copy()
    written: dict[int, FaceWritten] = {}
    ignored = tuple(tuple(round(v, 2) for v in box) for box in kept["dropped"].tolist())
    regions = [list(box) for box in ignored]
    # small faces are far faces: near ones are laid over them
    shown = sorted(
        ((face, face.surrogate) for face in order.faces if face.surrogate is not None),
        key=lambda one: one[0].box[2] - one[0].box[0],
    )
    meshes = [kept[f"{face.number}/landmarks"].astype(np.float64) for face, _ in shown]
    seen = order.sha256, order.found, *(face.number for face, _ in shown)
    last: _Seen | None = getattr(_last, "seen", None)
    if last is None or last.photo != seen:
        _last.seen = None  # before anything is drawn: two photos' faces are never held at once
        points = [mesh[:, :2] for mesh in meshes]
        boxes = [np.array(face.box, np.float64) for face, _ in shown]
        last = _Seen(seen, with_whole_heads(rgb, boxes, points, glance_at_parts(rgb, points)))
        _last.seen = last
    drawn = last.drawn
    ovals = [
        filled_box(np.array(face.box))
        for face in order.faces
        if face.surrogate is None and order.on_failure == "fill"
    ]
    places = {face.number: place for place, face in enumerate(order.faces)}
    laid: list[Laid] = []
    for (face, surrogate), mesh, parts in zip(shown, meshes, last.parts, strict=True):
        how = face.number, face.guard, surrogate, order.seed
        if how not in drawn:
            marks = Landmarks(mesh[:, :2], mesh[:, 2], float(kept[f"{face.number}/marks_score"]))
            identity = load_identity(order.store, surrogate)
            jitter = np.random.default_rng([order.seed, face.number])
            numbers = measure(model, rgb, marks, identity, jitter, parts)
            if face.guard > 1:
                numbers = numbers.wider()
            rendered = render(model, identity, numbers, size)
            seen_front = wall_mask if face.guard else front_mask
            front = seen_front(rgb, rendered, parts)
            drawn[how] = numbers, rendered, front
        numbers, rendered, front = drawn[how]
        laid.append(Laid(rendered, front, place=places[face.number]).also_beside(ovals))
        front = laid[-1].front
        replace_face(result, rendered, front)
        told = numbers.as_json() | {
            "front": front.as_json() if front else None,
            "box": list(rendered.box),
        }
        written[face.number] = FaceWritten(numbers=told)
        regions += [list(map(float, rendered.box)), list(face.box)]
    for face in order.faces:
        if face.surrogate is None:
            box = hide(result, face.box, order.on_failure, order.seed)
            written[face.number] = FaceWritten(hidden=box)
            regions += [list(map(float, box)), list(face.box)]
    lay_over_fills(result, laid)
    faces = tuple(written[face.number] for face in order.faces)
    return Protected(result, faces, regions, ignored, tuple(laid))

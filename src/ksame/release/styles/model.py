"""Faces of the model: people who do not exist, rendered into the photo from a list of numbers."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from ksame.arrays import Arrays, Floats, Image
from ksame.faces import Face, Faces
from ksame.release.attributes import UNKNOWN
from ksame.release.find import Album, Spot
from ksame.release.hiding import hide
from ksame.release.job import Job
from ksame.release.model_faces import (
    CodeOrder,
    encode_faces,
    keep_face,
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


def protect(order: PhotoOrder, rgb: Image) -> Protected:
    """The photo with every face replaced by a rendered one, and the others hidden."""
    from ksame.release.styles.drawing import drawing_of, shown_faces
    from ksame.render import Laid, filled_box, lay_over_fills, replace_face

    drawing = drawing_of(order, rgb)
    result = rgb.copy()
    written: dict[int, FaceWritten] = {}
    dropped = drawing.kept["dropped"].tolist()
    ignored = tuple(tuple(round(v, 2) for v in box) for box in dropped)
    regions = [list(box) for box in ignored]
    ovals = [
        filled_box(np.array(face.box))
        for face in order.faces
        if face.surrogate is None and order.on_failure == "fill"
    ]
    places = {face.number: place for place, face in enumerate(order.faces)}
    laid: list[Laid] = []
    for face in shown_faces(order):
        drawn = drawing.face(order, rgb, face)
        one = Laid(drawn.rendered, drawn.front, place=places[face.number]).also_beside(ovals)
        laid.append(one)
        replace_face(result, one.rendered, one.front)
        told = drawn._replace(front=one.front).told()
        written[face.number] = FaceWritten(numbers=told)
        regions += [list(map(float, one.rendered.box)), list(face.box)]
    for face in order.faces:
        if face.surrogate is None:
            box = hide(result, face.box, order.on_failure, order.seed)
            written[face.number] = FaceWritten(hidden=box)
            regions += [list(map(float, box)), list(face.box)]
    lay_over_fills(result, laid)
    faces = tuple(written[face.number] for face in order.faces)
    return Protected(result, faces, regions, ignored, tuple(laid))

"""The built-in people: labels, landmarks, and whether recognisers take them for people."""

from __future__ import annotations

import csv
from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from ksame.datasets.demo_people import FOLDER, DemoPeople, demo_people
from ksame.errors import InputError

Floats = npt.NDArray[np.float64]


@pytest.fixture(scope="module")
def people() -> DemoPeople:
    return demo_people()


def test_the_set_is_complete_and_small(people: DemoPeople) -> None:
    names = set(people.persons)
    assert len(names) >= 60
    for expression in ("neutral", "smile", "surprise"):
        assert set(people.where(expression=expression).persons) == names
    assert len(people) == 3 * len(names)
    shipped = sum(file.stat().st_size for file in FOLDER.iterdir())
    assert shipped <= 3_200_000
    photos = {file.name for file in FOLDER.glob("*.jpg")}
    assert photos == {path.name for path in people.paths}


def test_true_masks_hold_the_head_and_nothing_else(people: DemoPeople) -> None:
    """Every landmark lies on the head; the corners and the neck below the chin do not."""
    assert (FOLDER / "heads.npz").stat().st_size < 300_000
    for i in range(0, len(people), 7):
        head, hair = people.head_mask(i), people.hair_mask(i)
        assert head.shape == people.image(i).shape[:2]
        x, y = np.rint(people.landmarks(i)).astype(int).T
        assert head[y[17:], x[17:]].all()  # the jaw's own points lie on the very border
        assert not head[0, [0, -1]].any()
        assert not hair[y[27:36], x[27:36]].any(), "there is no hair on a nose"
        assert 0.08 < head.mean() < 0.6
        # somebody's brows and lashes at least are hair
        assert (hair & head).sum() == hair.sum() > 100


def test_masks_follow_their_photo(people: DemoPeople) -> None:
    """A choice of photos keeps each mask with its picture: skin is not the colour of the wall."""
    chosen = people.take([9, 0])
    np.testing.assert_array_equal(chosen.head_mask(0), people.head_mask(9))
    for i in range(len(chosen)):
        image, head = chosen.image(i).astype(float), chosen.head_mask(i)
        wall = np.median(image[:8].reshape(-1, 3), axis=0)
        apart = np.abs(image - wall).max(axis=2)
        assert np.median(apart[head]) > 4 * np.median(apart[:40][~head[:40]])


def test_labels_are_balanced_and_constant_per_person(people: DemoPeople) -> None:
    women = people.where(gender="female")
    assert len(women) == len(people) / 2
    assert len(set(people.age_band)) == 4
    labels = set(zip(people.persons, people.gender, people.age_band, strict=True))
    assert len(labels) == len(set(people.persons))


def test_people_csv_can_be_read_as_any_people_table(people: DemoPeople) -> None:
    with (FOLDER / "people.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["person"] for row in rows] == list(people.persons)


def test_images_are_rgb_and_large_enough(people: DemoPeople) -> None:
    for image in people.take([0, 4, 8]).images():
        assert image.dtype == np.uint8
        assert image.shape[0] >= 256
        assert image.shape[1] >= 256
        assert image.shape[2] == 3


def test_landmarks_lie_in_the_photo_and_keep_their_order(people: DemoPeople) -> None:
    assert people.points.shape == (len(people), 68, 2)
    side = people.image(0).shape[0]
    assert people.points.min() > 0
    assert people.points.max() < side
    right_eye, left_eye = people.points[:, 36:42].mean(1), people.points[:, 42:48].mean(1)
    mouth, chin = people.points[:, 48:60].mean(1), people.points[:, 8]
    assert (right_eye[:, 0] < left_eye[:, 0]).all()
    assert (left_eye[:, 1] < mouth[:, 1]).all()
    assert (mouth[:, 1] < chin[:, 1]).all()


def test_landmarks_of_a_row_are_a_copy(people: DemoPeople) -> None:
    people.landmarks(0)[:] = 0
    assert people.points[0].min() > 0


def test_unknown_label_names_the_choices(people: DemoPeople) -> None:
    with pytest.raises(InputError, match="age_band"):
        people.where(hair="red")


def test_columns_must_be_parallel(people: DemoPeople) -> None:
    with pytest.raises(InputError, match="not parallel"):
        replace(people, gender=people.gender[1:])


def test_repr_names_no_person(people: DemoPeople) -> None:
    assert people.persons[0] not in repr(people)


# --- measured: do they look like people? -----------------------------------------------------


def five_points(people: DemoPeople) -> Floats:
    """Eyes, nose tip and mouth corners out of the true landmarks."""
    p = people.points.astype(np.float64)
    eyes = [p[:, 36:42].mean(1), p[:, 42:48].mean(1)]
    return np.stack([*eyes, p[:, 30], p[:, 48], p[:, 54]], axis=1)


@pytest.fixture(scope="module")
def faces(people: DemoPeople) -> list:
    """The largest face that YuNet finds in each photo, or None."""
    from ksame.vision import find_faces

    found = [find_faces(image, turned=False)[:1] for image in people.images()]
    return [face[0] if face else None for face in found]


def rank1(gallery: Floats, probes: Floats) -> float:
    """Share of probes whose nearest gallery row is the same person's."""
    distance = ((probes[:, None] - gallery[None]) ** 2).sum(2)
    return float((distance.argmin(1) == np.arange(len(probes))).mean())


def rows_of(people: DemoPeople, expression: str) -> list[int]:
    return [i for i, e in enumerate(people.expression) if e == expression]


@pytest.mark.slow
def test_yunet_finds_them_where_they_are(people: DemoPeople, faces: list) -> None:
    assert np.mean([face is not None for face in faces]) >= 0.98
    truth = five_points(people)
    eye_distance = np.linalg.norm(truth[:, 1] - truth[:, 0], axis=1)
    errors = [
        np.linalg.norm(face.points[:2] - truth[i, :2], axis=1).mean() / eye_distance[i]
        for i, face in enumerate(faces)
        if face is not None
    ]
    assert np.median(errors) < 0.12


@pytest.mark.slow
def test_sface_tells_them_apart_and_their_gender(people: DemoPeople, faces: list) -> None:
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from sklearn.svm import LinearSVC

    from ksame.vision import embed_sface

    rows = [i for i, face in enumerate(faces) if face is not None]
    codes = np.zeros((len(people), 128))
    for i in rows:
        codes[i] = embed_sface(people.image(i), faces[i])
    assert rank1(codes[rows_of(people, "neutral")], codes[rows_of(people, "smile")]) >= 0.95
    gender = np.array(people.gender)[rows]
    groups = np.array(people.persons)[rows]
    folds = GroupKFold(5)
    guess = cross_val_predict(LinearSVC(C=1.0), codes[rows], gender, groups=groups, cv=folds)
    assert (guess == gender).mean() >= 0.9


@pytest.mark.slow
def test_dlib_tells_them_apart(people: DemoPeople, faces: list) -> None:
    from ksame.vision import embed_dlib

    codes = {}
    for expression in ("neutral", "smile"):
        rows = rows_of(people, expression)
        codes[expression] = np.stack(
            [
                np.zeros(128) if faces[i] is None else embed_dlib(people.image(i), faces[i])
                for i in rows
            ]
        )
    assert rank1(codes["neutral"], codes["smile"]) >= 0.95


def test_eigenfaces_tell_them_apart(people: DemoPeople) -> None:
    """Principal components of the neutral photos, registered by the true eyes and nose."""
    places = np.array([[28, 40], [70, 40], [49, 67]], np.float64)
    registered = np.stack(
        [
            _register(people.image(i), points[:3], places)
            for i, points in enumerate(five_points(people))
        ]
    )
    gallery = registered[rows_of(people, "neutral")]
    probes = registered[rows_of(people, "smile")]
    mean = gallery.mean(0)
    components = np.linalg.svd(gallery - mean, full_matrices=False)[2][: len(gallery) - 1]
    assert rank1((gallery - mean) @ components.T, (probes - mean) @ components.T) >= 0.9


def _register(image: npt.NDArray[np.uint8], points: Floats, places: Floats) -> Floats:
    """Shift, turn and scale the photo so that its points lie nearest to the places."""
    x, y = points.T
    one, zero = np.ones(len(x)), np.zeros(len(x))
    rows = np.concatenate([np.stack([x, -y, one, zero], 1), np.stack([y, x, zero, one], 1)])
    a, b, c, d = np.linalg.lstsq(rows, places.T.ravel(), rcond=None)[0]
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    turn = np.array([[a, -b, c], [b, a, d]])
    return cv2.warpAffine(grey, turn, (99, 134), flags=cv2.INTER_AREA).ravel() / 255

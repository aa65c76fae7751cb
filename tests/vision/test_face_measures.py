"""Embeddings, attributes, person mask and registration of single faces."""

import sys

import cv2
import numpy as np
import pytest

from ksame import weights
from ksame.errors import InputError
from ksame.geometry import apply, inverse, similarity
from ksame.vision import (
    FRAMES,
    Attributes,
    Face,
    embed_dlib,
    embed_sface,
    find_faces,
    find_landmarks,
    gender_age,
    person_mask,
    register,
)
from ksame.vision.attributes import true_age
from ksame.vision.embeddings import embed_sface_chip, sface_chip
from ksame.vision.sampling import sample


@pytest.fixture(scope="module")
def landmarks(portrait, face):
    return find_landmarks(portrait, face)


def test_sface_tells_people_apart(portraits):
    vectors = np.stack([embed_sface(rgb, find_faces(rgb)[0]) for rgb, _, _ in portraits])
    persons = np.array([person for _, _, person in portraits])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(vectors)))
    likeness = vectors @ vectors.T - 2 * np.eye(len(vectors))
    assert (persons[likeness.argmax(axis=1)] == persons).mean() > 0.8


def test_sface_is_what_opencv_makes_of_it(portrait, face):
    theirs = cv2.FaceRecognizerSF.create(str(weights.path("sface")), "")
    chip = sface_chip(portrait, face)
    vector = theirs.feature(cv2.cvtColor(chip, cv2.COLOR_RGB2BGR)).ravel()
    likeness = embed_sface_chip(chip) @ (vector / np.linalg.norm(vector))
    assert likeness == pytest.approx(1, abs=1e-5)


def test_sface_of_a_large_photo_is_that_of_a_small_one(portrait, face):
    large = cv2.resize(portrait, None, fx=6, fy=6, interpolation=cv2.INTER_CUBIC)
    big = Face(face.box * 6, face.score, face.points * 6 + 2.5)
    assert embed_sface(large, big) @ embed_sface(portrait, face) > 0.95


def test_dlib_tells_people_apart(portraits):
    few = portraits[:8]
    vectors = np.stack([embed_dlib(rgb, find_faces(rgb)[0]) for rgb, _, _ in few])
    assert vectors.shape == (len(few), 128)
    persons = np.array([person for _, _, person in few])
    apart = np.linalg.norm(vectors[:, None] - vectors[None], axis=2) + 9 * np.eye(len(few))
    assert (persons[apart.argmin(axis=1)] == persons).mean() > 0.7


def test_without_dlib_the_extra_is_named(portrait, face, monkeypatch):
    monkeypatch.setitem(sys.modules, "dlib", None)
    with pytest.raises(InputError, match=r"ksame\[dlib\]"):
        embed_dlib(portrait, face)


def test_gender_and_age(portrait, face, landmarks):
    found = gender_age(portrait, face, landmarks)
    assert isinstance(found, Attributes)
    assert 0 <= found.female <= 1
    assert 0 < found.age < 81
    assert gender_age(portrait, face) == found


@pytest.mark.parametrize(
    ("age", "band"), [(3, "child"), (18, "young"), (40, "middle"), (70, "old"), (99, "old")]
)
def test_age_bands(age, band):
    assert Attributes(0.5, age).age_band == band


def test_ages_are_set_right_in_order():
    said = np.linspace(0, 80, 161)
    ages = [true_age(years) for years in said]
    assert np.all(np.diff(ages) > 0)
    assert true_age(25.0) < 25.0
    assert true_age(80.0) == 80.0


def test_gender_and_age_of_a_mirrored_photo(portrait, face, landmarks):
    """The networks see both sides alike, so a mirrored face is the same but for rounding."""
    mirrored = np.ascontiguousarray(portrait[:, ::-1])
    (other,) = find_faces(mirrored)
    found, again = gender_age(portrait, face, landmarks), gender_age(mirrored, other)
    assert again.female == pytest.approx(found.female, abs=0.1)
    assert again.age == pytest.approx(found.age, abs=4)


def test_gender_follows_its_probability():
    assert Attributes(0.7, 30).gender == "female"
    assert Attributes(0.2, 30).gender == "male"


def test_no_attributes_without_a_face(noise):
    points = np.array([[120.0, 80], [180, 80], [150, 110], [125, 140], [175, 140]])
    assert not gender_age(noise, Face(np.array([100.0, 50, 200, 170]), 0.9, points))


def test_person_mask_covers_the_face(portrait, face):
    mask = person_mask(portrait)
    assert mask.shape == portrait.shape[:2]
    assert mask.dtype == np.float32
    assert 0 <= mask.min() <= mask.max() <= 1
    x0, y0, x1, y1 = face.box.round().astype(int)
    assert mask[y0:y1, x0:x1].mean() > 0.8


def test_person_mask_of_a_face_is_empty_elsewhere(portrait, face):
    wide = np.full((portrait.shape[0], 6 * portrait.shape[1], 3), 200, np.uint8)
    wide[:, : portrait.shape[1]] = portrait
    mask = person_mask(wide, face)
    assert mask[:, 4 * portrait.shape[1] :].max() == 0
    x0, y0, x1, y1 = face.box.round().astype(int)
    assert mask[y0:y1, x0:x1].mean() > 0.8


def test_person_mask_of_a_face_elsewhere(portrait, face):
    with pytest.raises(InputError, match="outside"):
        person_mask(portrait, Face(face.box + 9000, 0.9, face.points + 9000))


@pytest.mark.parametrize("frame", FRAMES)
def test_registered_faces_have_their_eyes_in_place(portrait, landmarks, frame):
    registered = register(portrait, landmarks.points, frame)
    chosen = FRAMES[frame]
    assert registered.pixels.shape[:2] == (chosen.height, chosen.width)
    assert registered.pixels.ndim == (2 if chosen.grey else 3)
    placed = apply(inverse(registered.to_photo), landmarks.five)
    assert np.abs(placed[:2] - chosen.places[:2]).max() < 0.15 * chosen.eye_distance
    assert abs(placed[0, 1] - placed[1, 1]) < 0.08 * chosen.eye_distance


def test_registration_takes_out_place_scale_and_rotation(portrait, landmarks):
    height, width = portrait.shape[:2]
    move = cv2.getRotationMatrix2D((width / 2, height / 2), 15, 0.9)
    turned = cv2.warpAffine(portrait, move, (width, height), borderMode=cv2.BORDER_REPLICATE)
    moved = cv2.transform(landmarks.points[None], move)[0]
    here = register(portrait, landmarks.points, "newton").pixels.astype(int)
    there = register(turned, moved, "newton").pixels.astype(int)
    inner = (slice(20, 115), slice(15, 85))
    assert np.abs(here[inner] - there[inner]).mean() < 6


def test_registration_refuses(portrait, landmarks):
    with pytest.raises(InputError, match="frame="):
        register(portrait, landmarks.points, "passport")
    with pytest.raises(InputError, match="shape"):
        register(portrait, landmarks.points[:7])
    with pytest.raises(InputError, match="1 px"):
        register(portrait, np.zeros((5, 2)))


def test_similarity_is_exact_for_similar_points():
    rng = np.random.default_rng(0)
    source = rng.normal(size=(7, 2)) * 40
    angle, scale = 0.7, 1.8
    turn = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    target = source @ turn.T + (5, -3)
    found = similarity(source, target)
    assert apply(found, source) == pytest.approx(target)
    assert apply(inverse(found), target) == pytest.approx(source)


def test_sampling_far_from_the_photo_is_black(portrait):
    away = np.array([[4.0, 0, 1e5], [0, 4.0, 1e5]])
    assert sample(portrait, away, (8, 8)).max() == 0


def test_sampling_keeps_its_place_when_it_shrinks():
    """A ramp stays a ramp: the smaller copy is placed to the fraction of a pixel."""
    ramp = np.repeat(np.tile(np.arange(200, dtype=np.uint8), (200, 1))[..., None], 3, axis=2)
    patch = sample(ramp, np.array([[4.0, 0, 20], [0, 4.0, 20]]), (30, 30))
    assert patch[5, :, 0].astype(float) == pytest.approx(20 + 4 * np.arange(30), abs=1.0)

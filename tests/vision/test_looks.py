"""Sex, age and tone of faces and people, against the light."""

import math
from dataclasses import replace

import cv2
import numpy as np
import pytest

from ksame.errors import InputError
from ksame.vision import (
    Face,
    FaceLooks,
    find_faces,
    find_landmarks,
    measure_looks,
    pooled_looks,
    typology_angle,
)
from ksame.vision.illuminant import linear, surroundings
from ksame.vision.skin import FaceView, colours, is_coloured, unlit_chip
from ksame.vision.tone import ToneModel, apparent_tone, measures


@pytest.fixture(scope="module")
def landmarks(portrait, face):
    return find_landmarks(portrait, face)


@pytest.fixture(scope="module")
def view(portrait, landmarks):
    return FaceView.of(portrait, landmarks.points)


def lit(image, gains):
    """The photo in another light, without clipping where gains are at most 1."""
    light = np.clip(linear(image) * np.asarray(gains, np.float32), 0, 1)
    curve = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.round(255 * curve).astype(np.uint8)


LIGHTS = {
    "dim": (0.4, 0.4, 0.4),
    "warm": (1.0, 0.8, 0.5),
    "cool": (0.7, 0.85, 1.0),
    "warm and dim": (0.5, 0.38, 0.22),
}


@pytest.mark.parametrize("light", LIGHTS)
def test_the_tone_hardly_follows_the_light(portraits, light):
    """Skin read off the pixels moves by tens of degrees in these lights."""
    moved = []
    for rgb, _, _ in portraits[:6]:
        (face,) = find_faces(rgb)
        marks = find_landmarks(rgb, face)
        other = lit(rgb, LIGHTS[light])
        there, here = (measure_looks(photo, face, marks).tone for photo in (other, rgb))
        moved.append(abs(there - here))
    assert np.mean(moved) < 8


@pytest.mark.parametrize("light", ["dim", "warm", "cool"])
def test_the_unlit_chip_does_not_know_the_light(portrait, landmarks, view, light):
    other = FaceView.of(lit(portrait, LIGHTS[light]), landmarks.points)
    assert np.abs(unlit_chip(other) - unlit_chip(view)).mean() < 0.04


def test_ratios_of_colours_stay_and_the_skin_follows_the_light(portrait, landmarks, view):
    gains = (0.8, 0.7, 0.6)
    before, after = colours(view), colours(FaceView.of(lit(portrait, gains), landmarks.points))
    assert after[:3] - before[:3] == pytest.approx(np.log(gains), abs=0.03)
    ratios = np.isfinite(before)
    ratios[:3] = ratios[-2:] = False
    assert np.abs((after - before)[ratios]).mean() < 0.05


def test_surroundings_follow_the_light_and_leave_faces_out(portrait, face):
    boxes = face.box[None]
    before, after = surroundings(portrait, boxes), surroundings(lit(portrait, (0.5,) * 3), boxes)
    assert after[:3] - before[:3] == pytest.approx(np.full(3, np.log(0.5)), abs=0.05)
    x0, y0, x1, y1 = face.box.round().astype(int)
    painted = portrait.copy()
    painted[y0 + 4 : y1 - 4, x0 + 4 : x1 - 4] = (0, 255, 0)
    apart = np.abs(surroundings(painted, boxes) - before)
    assert np.delete(apart, [3, 4, 5]).max() == 0  # edges see the border of the box


def test_a_photo_full_of_faces_still_has_surroundings(portrait):
    height, width = portrait.shape[:2]
    assert np.isfinite(surroundings(portrait, np.array([[0.0, 0, width, height]]))).all()


def test_grey_and_toned_photos_have_no_tone(portrait, face, landmarks, view):
    grey = portrait.mean(axis=2, keepdims=True)
    for print_ in (np.repeat(grey, 3, axis=2), grey * (1.0, 0.85, 0.65)):
        looks = measure_looks(print_.astype(np.uint8), face, landmarks)
        assert math.isnan(looks.tone)
        assert looks.tone_sure == 0
    assert is_coloured(view)


def test_other_faces_are_no_surroundings(portrait, landmarks, view, face):
    elsewhere = Face(np.array([0.0, 0, 60, 60]), 0.9, face.points)
    alone = measures(portrait, view, face.box[None])
    together = measures(portrait, view, np.stack([face.box, elsewhere.box]))
    assert not np.array_equal(alone, together, equal_nan=True)
    told = measure_looks(portrait, face, landmarks, [face, elsewhere])
    assert -60 <= told.tone <= 70
    assert 0 < told.tone_sure <= 1


def test_a_face_at_the_edge_or_turned_away_is_told_or_unsure(portrait, face, landmarks):
    """Whatever the landmarks, numbers come back and none of them is surer than a good photo."""
    for points in (landmarks.points + 9000, landmarks.points * (0.02, 1)):
        turned = type(landmarks)(points, landmarks.depth, 0.6)
        looks = measure_looks(portrait, face, turned)
        assert 0 <= looks.female <= 1
        assert 0 <= looks.age <= 80
        assert 0 <= looks.tone_sure <= 1


def test_far_from_all_known_faces_the_model_says_its_offset():
    model = ToneModel.load()
    size = len(model.mean)
    strange = np.where(np.arange(size) % 2, 1e9, -1e9)[None]
    plain = model.predict(model.mean[None])[0]
    assert np.isfinite(model.predict(strange)).all()
    assert np.isfinite(model.predict(np.full((1, size), np.nan))).all()
    assert model.predict(np.full((1, size), np.nan))[0] == pytest.approx(plain)


@pytest.mark.parametrize(
    ("lab", "angle"), [((75, 10, 25), 45), ((50, 0, 9), 0), ((25, 9, 25), -45)]
)
def test_typology_angle(lab, angle):
    assert typology_angle(np.array(lab, float)) == pytest.approx(angle)


def test_apparent_tone_is_that_of_the_pixels(portrait, landmarks):
    painted = np.full_like(portrait, (224, 172, 145))
    lab = cv2.cvtColor(np.float32([[[224, 172, 145]]]) / 255, cv2.COLOR_RGB2LAB)[0, 0]
    told = apparent_tone(painted, landmarks.points)
    assert told == pytest.approx(typology_angle(lab.astype(float)), abs=1)
    assert apparent_tone(lit(painted, (0.5,) * 3), landmarks.points) < told - 15


def seen(female=0.99, age=30.0, tone=50.0, sure=1.0):
    return FaceLooks(female, age, tone, sure)


def test_a_person_is_what_most_photos_tell():
    person = pooled_looks([seen(tone=50), seen(tone=40, female=0.8), seen(age=90, tone=45)])
    assert person.sex == "female"
    assert person.age == 30
    assert person.age_band == "young"
    assert person.tone == pytest.approx(45)


def test_sure_photos_weigh_more():
    person = pooled_looks([seen(tone=50, sure=0.9), seen(tone=-10, sure=0.1)])
    assert person.tone == pytest.approx(44)


def test_doubt_is_told():
    assert pooled_looks([seen(female=0.6)]).sex == "unsure"
    assert pooled_looks([seen(female=0.99), seen(female=0.01)]).sex == "unsure"
    assert pooled_looks([seen(female=0.001)]).sex == "male"
    assert pooled_looks([seen(sure=0.1)]).tone is None
    assert pooled_looks([seen(sure=0.1)] * 3).tone == pytest.approx(50)
    assert pooled_looks([seen(tone=math.nan, sure=0.0)]).tone is None


def test_the_sex_of_children_is_not_told():
    assert pooled_looks([seen(female=0.999, age=7)]).sex == "unsure"
    assert pooled_looks([seen(age=7)]).age_band == "child"


def test_a_person_without_faces():
    with pytest.raises(InputError, match="at least one"):
        pooled_looks([])


def test_landmarks_that_were_made_up_tell_no_sex(portrait, face, landmarks):
    made_up = replace(landmarks, score=0.0)
    assert measure_looks(portrait, face, landmarks).female != 0.5
    assert measure_looks(portrait, face, made_up).female == 0.5

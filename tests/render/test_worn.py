"""What everybody wears alike: posed with the face, and drawn with folds and rims of its own."""

import cv2
import numpy as np
import pytest

from ksame.render import LADDER, Front, front_mask, measure, render, replace_face
from ksame.render.draw import LOWER_CORE, UPPER_CORE
from ksame.render.worn import HAIR, LENSES, MASK, RIMS, folds

SIZE = (300, 300)
PUPILS = (468, 473)


@pytest.fixture
def shown(model, identity, pose, photo):
    def make(**options):
        marks = pose(**options)
        numbers = measure(model, photo, marks, identity)
        return render(model, identity, numbers, SIZE), marks

    return make


def bit(rendered, which):
    return (rendered.worn & which) > 0


@pytest.mark.parametrize("options", [{}, {"roll": 0.5}, {"yaw": 0.4}, {"roll": 1.5}])
def test_a_mask_covers_nose_and_mouth_and_no_eye_whichever_way_the_head_lies(shown, options):
    rendered, _ = shown(**options)
    mask = bit(rendered, MASK)
    assert mask[rendered.core == LOWER_CORE].mean() > 0.6
    assert mask[rendered.core == UPPER_CORE].mean() < 0.15


@pytest.mark.parametrize("options", [{}, {"roll": 0.5}, {"roll": 1.5}])
def test_eyes_look_through_the_lenses(shown, options):
    rendered, marks = shown(**options)
    x0, y0, x1, y1 = rendered.box
    scale = np.array([rendered.worn.shape[1] / (x1 - x0), rendered.worn.shape[0] / (y1 - y0)])
    for pupil in PUPILS:
        x, y = np.round((marks.points[pupil] - (x0, y0)) * scale).astype(int)
        assert bit(rendered, LENSES)[y, x]
        assert not bit(rendered, RIMS)[y, x]
    assert 0.02 < bit(rendered, RIMS).mean() < 0.12


def test_a_head_in_profile_wears_one_lens(shown):
    ahead, _ = shown()
    aside, _ = shown(yaw=1.1)
    count = [
        cv2.connectedComponents(bit(face, LENSES).astype(np.uint8))[0] - 1
        for face in (ahead, aside)
    ]
    assert count == [2, 1]


def test_hair_begins_above_the_brows(shown):
    rendered, _ = shown()
    hair = bit(rendered, HAIR)
    assert hair[:3].any()
    assert not (hair & (rendered.core > 0)).any()


@pytest.mark.parametrize("yaw", [0.0, 0.5, 0.9, 1.2])
def test_no_skin_is_left_above_the_hair(shown, yaw):
    """Also where a turned head's hair line crosses itself: it would be a band."""
    rendered, _ = shown(yaw=yaw)
    size = rendered.worn.shape[::-1]
    face = cv2.resize(rendered.alpha, size, interpolation=cv2.INTER_AREA) > 200
    hair = bit(rendered, HAIR) & face
    columns = np.flatnonzero(hair.any(axis=0))
    tops = [hair[np.flatnonzero(face[:, x])[0], x] for x in columns]
    assert len(columns) > 10
    assert np.mean(tops) > 0.9


def test_no_fold_lies_where_a_mouth_would(model):
    """It would be taken for one, and a fold that rises at the cheeks for a smile."""
    told = folds(model.side)
    x, y = np.round(model.places[13]).astype(int)
    around = told[y - 12 : y + 13, x - 40 : x + 41]
    assert np.ptp(around, axis=0).max() < 0.05


def drawn(shown, masked, level=200):
    rendered, _ = shown()
    none = np.zeros((96, 96), bool)
    shape = cv2.resize(rendered.worn & MASK, (96, 96), interpolation=cv2.INTER_NEAREST) > 0
    front = Front(none, shape, (level // 4,) * 3 + (0,) * 15, none, (0,) * 18, masked)
    photo = np.full((*SIZE, 3), 120, np.uint8)
    replace_face(photo, rendered, front)
    x0, y0, x1, y1 = rendered.box
    inside = cv2.erode(shape.astype(np.uint8), np.ones((9, 9), np.uint8)) > 0
    where = cv2.resize(inside.astype(np.uint8), (x1 - x0, y1 - y0)) > 0
    return photo[y0:y1, x0:x1][where].astype(float)


def test_a_mask_has_folds_and_a_hand_before_the_mouth_has_none(shown):
    mask, hand = drawn(shown, True), drawn(shown, False)
    assert hand.std() < 1
    assert mask.std() > 8
    assert abs(mask.mean() - 200) < 20, "of the colour that is told"


def test_dark_glasses_have_no_strands_of_hair(shown):
    rendered, _ = shown()
    none = np.zeros((96, 96), bool)
    lenses = cv2.resize(rendered.worn & LENSES, (96, 96), interpolation=cv2.INTER_NEAREST) > 0
    front = Front(none, none, (0,) * 18, lenses, (10,) * 3 + (0,) * 15)
    photo = np.full((*SIZE, 3), 120, np.uint8)
    replace_face(photo, rendered, front)
    x0, y0, x1, y1 = rendered.box
    inside = cv2.erode(lenses.astype(np.uint8), np.ones((7, 7), np.uint8))
    where = cv2.resize(inside, (x1 - x0, y1 - y0)) > 0
    assert photo[y0:y1, x0:x1][where].std() < 1


@pytest.mark.parametrize("guard", LADDER)
def test_without_parts_no_guard_lets_the_photo_onto_the_features(shown, photo, guard):
    rendered, _ = shown()
    front = front_mask(photo, rendered, None, guard)
    if front is not None:
        core = cv2.resize(rendered.core, front.cells.shape[::-1], interpolation=cv2.INTER_NEAREST)
        assert not (front.cells & (core > 0)).any()

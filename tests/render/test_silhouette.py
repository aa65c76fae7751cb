"""A head that is turned far is posed by the skin that is seen of it."""

import cv2
import numpy as np
import pytest

from ksame.render import rough_landmarks
from ksame.render.rough import FIVE
from ksame.render.silhouette import posed_by_silhouette, turn_of, turned_far
from ksame.vision import Face, Landmarks
from ksame.vision.parts import BACKGROUND, FACE_SKIN, Parts

SIDE = 256
CENTRE = (128.0, 128.0)


def skin_of(model, marks):
    """What a perfect network would tell: the face's skin before a background."""
    inner = model.triangles[(model.triangles < 478).all(axis=1)]
    skin = np.zeros((SIDE, SIDE), np.uint8)
    for corners in np.round(marks.points[inner] * 16).astype(np.int32):
        cv2.fillConvexPoly(skin, corners, 1, shift=4)
    scores = np.zeros((SIDE, SIDE, 6), np.float32)
    scores[..., FACE_SKIN] = skin
    scores[..., BACKGROUND] = 1 - skin
    return Parts(scores, np.eye(2, 3))


def found_at(marks, points):
    box = np.concatenate([marks.points.min(axis=0), marks.points.max(axis=0)])
    return Face(box, 0.9, points)


def degrees(model, marks):
    return np.degrees(turn_of(model, marks)[0])


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize(("yaw", "roll"), [(80, 0), (75, 20), (65, -15)])
def test_a_profile_taken_for_half_a_turn_is_turned_to_its_silhouette(model, pose, way, yaw, roll):
    options = {"size": 100.0, "centre": CENTRE, "roll": np.radians(way * roll)}
    true = pose(yaw=np.radians(way * yaw), **options)
    taken = pose(yaw=np.radians(way * (yaw - 25)), **options)
    face = found_at(true, true.points[list(FIVE)])
    start = Landmarks(taken.points + np.array([way * 8.0, -5.0]), taken.depth, 0.0)
    found = posed_by_silhouette(model, start, face, skin_of(model, true))
    assert found.score == 0
    assert abs(degrees(model, found) - way * yaw) < 13
    off = [np.hypot(*(marks.points - true.points).T).mean() for marks in (start, found)]
    assert off[1] < min(0.5 * off[0], 6.0)


def test_points_that_lie_too_far_in_do_not_keep_a_profile_from_its_place(model, pose):
    true = pose(yaw=np.radians(80), size=100.0, centre=CENTRE)
    points = true.points[list(FIVE)]
    face = found_at(true, points + np.array([7.0, 0.0]))
    rough = rough_landmarks(model, face)
    found = posed_by_silhouette(model, rough, face, skin_of(model, true))
    tips = [np.hypot(*(marks.points[1] - true.points[1])) for marks in (rough, found)]
    assert tips[1] < 0.7 * tips[0]


def test_sure_landmarks_are_turned_as_one_thing(model, pose):
    true = pose(yaw=np.radians(75), size=100.0, centre=CENTRE)
    taken = pose(yaw=np.radians(50), size=100.0, centre=CENTRE)
    face = found_at(true, true.points[list(FIVE)])
    found = posed_by_silhouette(model, taken, face, skin_of(model, true))
    assert degrees(model, found) > 58
    assert found.score == taken.score
    sides = [
        np.linalg.norm(marks.xyz[[10, 61, 13]] - marks.xyz[[152, 291, 14]], axis=1)
        for marks in (taken, found)
    ]
    assert np.ptp(sides[1] / sides[0]) < 1e-6


@pytest.mark.parametrize("score", [0.0, 0.99])
def test_where_no_skin_is_seen_nothing_is_turned(model, pose, score):
    marks = pose(yaw=np.radians(60), size=100.0, centre=CENTRE)
    marks = Landmarks(marks.points, marks.depth, score)
    nothing = Parts(np.zeros((SIDE, SIDE, 6), np.float32), np.eye(2, 3))
    face = found_at(marks, marks.points[list(FIVE)])
    assert posed_by_silhouette(model, marks, face, nothing) is marks


def test_faces_that_look_ahead_are_left_to_their_landmarks(model, pose):
    for yaw, score, far in (
        (0.0, 0.9, False),
        (0.7, 0.9, False),
        (0.9, 0.9, True),
        (0.7, 0.0, True),
    ):
        turn, _ = turn_of(model, pose(yaw=yaw))
        assert abs(turn - yaw) < 0.05
        assert turned_far(turn, score) is far


def test_a_face_covers_as_much_of_its_box_as_the_verifier_asks(model, pose):
    """A detector's box has room for hair and neck: a profile does not shrink to its skin in it."""
    true = pose(yaw=np.radians(85), size=80.0, centre=CENTRE)
    taken = pose(yaw=np.radians(60), size=90.0, centre=CENTRE)
    tight = found_at(taken, taken.points[list(FIVE)])
    half, middle = (tight.box[2:] - tight.box[:2]) * 0.65, (tight.box[2:] + tight.box[:2]) / 2
    face = Face(np.concatenate([middle - half, middle + half]), 0.9, tight.points)
    start = Landmarks(taken.points, taken.depth, 0.0)
    found = posed_by_silhouette(model, start, face, skin_of(model, true))
    assert found is not start
    area = cv2.contourArea(cv2.convexHull(found.points.astype(np.float32)))
    assert area > 0.29 * np.prod(face.box[2:] - face.box[:2])

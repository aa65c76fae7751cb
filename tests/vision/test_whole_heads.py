"""The parts of a head, told from a crop that shows the shoulders too."""

import numpy as np

from ksame.datasets import demo_people
from ksame.vision import find_faces, find_landmarks
from ksame.vision.parts import BACKGROUND, CLOTHES, FACE_SKIN, HAIR, Parts
from ksame.vision.whole_heads import parts_of_head, with_whole_heads


def test_skin_hair_and_clothes_are_told_around_a_face(portrait, face):
    parts = parts_of_head(portrait, face.box)
    marks = find_landmarks(portrait, face)
    cheeks = parts.at(marks.points[[50, 280]].reshape(1, 2, 2).astype(np.float32))
    assert (cheeks[..., FACE_SKIN] > 0.5).all()
    x0, y0, x1, y1 = face.box
    half = 0.8 * face.size
    around = parts.over((x0 - half, y0 - half, x1 + half, y1 + half), (60, 80))
    assert (around[:25, :, HAIR] > 0.5).any()
    assert (around[65:, :, CLOTHES] > 0.5).any()


def test_a_head_that_is_upside_down_is_shown_upright():
    upright = demo_people().image(9)
    found = next(iter(find_faces(upright)))
    height, width = upright.shape[:2]
    middle = np.array([width - 1, height - 1]) - found.points.mean(axis=0)
    half = found.size / 2
    box = np.concatenate([middle - half, middle + half])
    photo = np.ascontiguousarray(upright[::-1, ::-1])
    parts = parts_of_head(photo, box, np.pi)
    inner = np.concatenate([middle - 0.6 * half, middle + 0.6 * half])
    assert parts.over(inner, (30, 30))[..., FACE_SKIN].mean() > 0.6


def test_only_a_head_that_was_not_seen_is_looked_at_again(portrait, face):
    marks = find_landmarks(portrait, face)
    blind = np.zeros((64, 64, 6), np.float32)
    blind[..., BACKGROUND] = 1
    unseen = Parts(blind, np.array([[4.0, 0, 0], [0, 4.0, 0]]))
    seen = parts_of_head(portrait, face.box)
    small = face.box / 20, marks.points / 20
    again = with_whole_heads(
        portrait,
        [face.box, face.box, small[0], face.box],
        [marks.points, marks.points, small[1], marks.points],
        [seen, unseen, unseen, None],
    )
    assert again[0] is seen
    assert np.allclose(again[1].scores, seen.scores)
    assert again[2] is unseen
    assert again[3] is None


def test_a_neighbours_skin_is_not_taken_for_that_of_a_face_in_the_dark(portrait, face):
    marks = find_landmarks(portrait, face)
    blind = np.zeros((64, 64, 6), np.float32)
    blind[..., BACKGROUND] = 1
    unseen = Parts(blind, np.array([[4.0, 0, 0], [0, 4.0, 0]]))
    beside = np.array([0.75 * face.size, 0.0])
    box = face.box + np.tile(beside, 2)
    assert with_whole_heads(portrait, [box], [marks.points + beside], [unseen]) == [unseen]

"""A second opinion: real faces are kept, things are doubted, and more faces get landmarks."""

import cv2
import numpy as np
import pytest

from ksame.vision import Face, Landmarks, find_faces, find_landmarks, second_look
from ksame.vision.second_look import (
    Verdict,
    find_landmarks_again,
    judge,
    judge_landmarks,
    second_opinion,
    third_opinion,
)


def blank(score=0.65):
    points = np.array([[80.0, 80], [120, 80], [100, 100], [85, 120], [115, 120]])
    return Face(np.array([60.0, 50, 140, 150]), score, points)


def test_a_face_is_seen_by_both(portrait, face):
    assert second_opinion(portrait, face) > 0.5


@pytest.mark.parametrize("turn", [90, 180, -60])
def test_a_lying_face_is_seen(portrait, turn):
    height, width = portrait.shape[:2]
    move = cv2.getRotationMatrix2D((width / 2, height / 2), turn, 0.7)
    lying = cv2.warpAffine(portrait, move, (width, height), borderMode=cv2.BORDER_REPLICATE)
    found = find_faces(lying, turned=True)
    assert max(second_opinion(lying, one) for one in found) > 0.5


def test_a_wall_is_no_face(noise):
    wall = cv2.GaussianBlur(noise, (0, 0), 5)
    assert second_opinion(wall, blank()) < 0.3
    assert third_opinion(wall, blank()) < 0.1


def test_a_face_is_seen_by_the_third(portrait, face):
    assert third_opinion(portrait, face) > 0.5


def test_the_third_is_asked_only_about_what_the_others_doubt():
    asked = []

    def third():
        asked.append(1)
        return 0.02

    assert judge(blank(0.7), 0.0, 0.3, third) is Verdict.NONE
    assert asked == [1]
    assert judge(blank(0.7), 0.0, 0.7, third) is Verdict.FACE
    assert judge(blank(0.7), 0.2, 0.3, third) is Verdict.DOUBT
    assert asked == [1]
    assert judge(blank(0.7), 0.0, 0.3, lambda: 0.2) is Verdict.DOUBT


def test_only_what_all_three_doubt_is_dropped():
    doubted = blank(0.62)
    assert judge(doubted, 0.0, 0.03) is Verdict.NONE
    assert judge(doubted, 0.0, 0.3) is Verdict.DOUBT
    assert judge(doubted, 0.2, 0.03) is Verdict.DOUBT
    assert judge(doubted, 0.0, 0.7) is Verdict.FACE
    assert judge(doubted, 0.8, 0.0) is Verdict.FACE
    assert judge(blank(0.9), 0.0, 0.0) is Verdict.FACE


@pytest.mark.parametrize("score", [0.6, 0.7, 0.8, 0.9])
def test_no_surer_detection_is_judged_worse(score):
    order = [Verdict.NONE, Verdict.DOUBT, Verdict.FACE]
    for opinion in np.linspace(0, 1, 11):
        less, more = (order.index(judge(blank(s), 0.0, opinion)) for s in (score, score + 0.05))
        assert less <= more


def test_landmarks_on_a_thing_make_no_face():
    assert judge_landmarks(blank(0.7), 0.9, lambda: 0.02) is Verdict.NONE
    assert judge_landmarks(blank(0.7), 0.1, lambda: 0.2) is Verdict.DOUBT
    assert judge_landmarks(blank(0.7), 0.9, lambda: 0.2) is Verdict.FACE
    assert judge_landmarks(blank(0.9), 0.1, lambda: pytest.fail("sure ones")) is Verdict.FACE


def test_a_second_look_reads_what_the_first_one_can(portrait, face):
    again = find_landmarks_again(portrait, face)
    first = find_landmarks(portrait, face)
    assert isinstance(again, Landmarks)
    assert np.hypot(*(again.points - first.points).T).max() < 0.05 * face.size


def test_a_second_look_goes_on_from_the_first_one(portrait, face, monkeypatch):
    first = find_landmarks(portrait, face, min_score=0.0)
    monkeypatch.setattr(
        second_look, "find_landmarks", lambda *_, **__: pytest.fail("that crop was seen before")
    )
    assert find_landmarks_again(portrait, face, first=first) is first


def test_a_badly_placed_box_still_leads_to_landmarks(portrait, face):
    """A crop that is far too narrow fails at once and is found by a wider one."""
    middle = (face.box[:2] + face.box[2:]) / 2
    narrow = Face(
        np.concatenate(
            [middle + (face.box[:2] - middle) * 0.6, middle + (face.box[2:] - middle) * 0.6]
        ),
        face.score,
        face.points,
    )
    assert isinstance(find_landmarks_again(portrait, narrow), Landmarks)


def test_a_wall_gets_no_landmarks(noise):
    assert not find_landmarks_again(cv2.GaussianBlur(noise, (0, 0), 5), blank())


def test_what_the_second_and_the_third_both_hardly_take_for_a_face_is_none():
    hand, arm = 0.09, 0.24
    assert judge(blank(0.73), 0.0, hand, lambda: arm) is Verdict.NONE
    assert judge(blank(0.73), 0.0, 0.12, lambda: arm) is Verdict.DOUBT
    assert judge(blank(0.73), 0.0, hand, lambda: 0.3) is Verdict.DOUBT
    assert judge_landmarks(blank(0.7), 0.11, lambda: arm, lambda: hand) is Verdict.NONE
    assert judge_landmarks(blank(0.7), 0.11, lambda: arm, lambda: 0.3) is Verdict.DOUBT
    assert judge_landmarks(blank(0.7), 0.11, lambda: arm) is Verdict.DOUBT
    assert judge_landmarks(blank(0.7), 0.5, lambda: arm, lambda: hand) is Verdict.FACE
    assert judge_landmarks(blank(0.9), 0.11, lambda: arm, lambda: hand) is Verdict.FACE

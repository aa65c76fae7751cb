"""Which tracks are faces, which are hidden and which are left alone."""

import numpy as np
import pytest

from ksame.faces import Face
from ksame.release.clips.doubting import judge_track, without_tails
from ksame.tracking import Cover
from ksame.vision.second_look import Verdict

NEVER = np.full(3, np.nan)


def _face(score):
    return Face(np.array([0.0, 0, 40, 40]), score, np.zeros((5, 2)))


def _said(*opinions):
    return np.array([*opinions, np.nan])


@pytest.mark.parametrize(
    ("score", "marks", "second", "third", "verdict"),
    [
        (0.9, 0.9, NEVER, NEVER, Verdict.FACE),  # nobody was asked: the detector was sure
        (0.7, 0.9, NEVER, _said(0.05, 0.6), Verdict.FACE),  # one good look is enough
        (0.7, 0.9, NEVER, _said(0.02, 0.05), Verdict.NONE),  # a jacket with landmarks
        (0.9, 0.9, NEVER, _said(0.02), Verdict.FACE),  # it was seen for sure in another frame
        (0.65, 0.0, _said(0.01), NEVER, Verdict.NONE),
        (0.7, 0.0, _said(0.3), _said(0.3), Verdict.DOUBT),
        (0.7, 0.0, _said(0.3), _said(0.03), Verdict.NONE),
        (0.7, 0.0, _said(0.9), NEVER, Verdict.FACE),
    ],
)
def test_a_track_is_judged_by_the_best_that_was_said_of_it(score, marks, second, third, verdict):
    assert judge_track(_face(score), np.array([marks, 0.0]), second, third) is verdict


def test_a_track_with_few_landmarks_is_doubted_unless_the_detector_is_sure():
    marks = np.array([0.9, 0.0, 0.0])
    assert judge_track(_face(0.7), marks, NEVER, NEVER) is Verdict.DOUBT
    assert judge_track(_face(0.8), marks, NEVER, NEVER) is Verdict.FACE


@pytest.mark.parametrize(("third", "verdict"), [(0.3, Verdict.DOUBT), (0.6, Verdict.FACE)])
def test_a_track_that_is_sure_once_needs_the_third_network_if_landmarks_are_rare(third, verdict):
    """Folded hands: .79 in one frame of sixteen, landmarks in four, and the third at most .30."""
    marks = np.array([0.9, 0.6, 0.5, 0.7] + [0.0] * 12)
    thirds = np.array([0.16, third, 0.21] + [np.nan] * 13)
    seen = judge_track(_face(0.79), marks, np.full(16, np.nan), thirds)
    assert seen is verdict


def test_tails_are_parted_and_every_frame_stays_covered_once():
    frame = np.arange(10, 60)
    one = Cover(3, 8, 62, np.arange(50))
    sure = (frame >= 25) & (frame < 40)
    parts = without_tails(one, frame, sure, reach=4)
    assert [(part.first, part.stop) for part in parts] == [(21, 44), (8, 21), (44, 62)]
    assert sorted(np.concatenate([part.rows for part in parts])) == list(range(50))
    for part in parts:
        inside = (frame[part.rows] >= part.first) & (frame[part.rows] < part.stop)
        assert inside.all()


def test_what_is_never_sure_or_sure_to_its_ends_stays_whole():
    frame, one = np.arange(10), Cover(0, 0, 12, np.arange(10))
    for sure in (np.zeros(10, bool), np.ones(10, bool)):
        (part,) = without_tails(one, frame, sure, reach=3)
        assert (part.first, part.stop, len(part.rows)) == (0, 12, 10)

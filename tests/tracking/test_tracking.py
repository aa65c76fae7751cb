"""Tracks: what is promised of them holds for any detections."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ksame.errors import InputError
from ksame.tracking import Limits, calm, cover, interpolate, link, meetings, smooth


def _walker(frames, x=100.0, speed=2.0, size=50.0, score=0.9):
    """One face that moves to the right."""
    at = np.asarray(frames, np.int64)
    left = x + speed * at
    boxes = np.stack([left, np.full(len(at), 80.0), left + size, np.full(len(at), 80 + size)], 1)
    return at, boxes, np.full(len(at), score)


def _together(*walkers):
    frame, boxes, score = (np.concatenate(parts) for parts in zip(*walkers, strict=True))
    order = np.argsort(frame, kind="stable")
    return frame[order], boxes[order], score[order]


@st.composite
def detections(draw):
    """Any detections of a few frames, and cuts."""
    count = draw(st.integers(0, 40))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    frame = np.sort(rng.integers(0, 20, count))
    corner = rng.uniform(0, 300, (count, 2))
    size = rng.uniform(5, 120, (count, 1))
    boxes = np.concatenate([corner, corner + size], axis=1)
    cuts = draw(st.sets(st.integers(1, 19), max_size=3))
    patience = draw(st.integers(0, 6))
    return (
        frame,
        boxes,
        rng.uniform(0.3, 1, count),
        cuts,
        Limits(patience=patience, before=patience),
    )


@settings(max_examples=200, deadline=None)
@given(detections())
def test_no_track_is_twice_in_a_frame_or_goes_over_a_cut_or_waits_too_long(case):
    frame, boxes, score, cuts, limits = case
    labels = link(frame, boxes, score, cuts, limits)
    for track in range(int(labels.max(initial=-1)) + 1):
        own = frame[labels == track]
        assert len(own), "tracks are numbered without gaps"
        assert len(set(own.tolist())) == len(own)
        assert not any(own[0] < cut <= own[-1] for cut in cuts)
        assert (np.diff(own) <= limits.patience + 1).all()
    assert (labels[score >= limits.sure] >= 0).all(), "every sure detection is in a track"


@settings(max_examples=200, deadline=None)
@given(detections(), st.integers(0, 4))
def test_a_track_covers_every_frame_from_its_first_to_its_last(case, beyond):
    frame, boxes, score, cuts, limits = case
    labels = link(frame, boxes, score, cuts, limits)
    for one in cover(frame, labels, 20, cuts, beyond):
        own = frame[one.rows]
        assert one.first <= own[0]
        assert own[-1] < one.stop
        assert own[0] - one.first <= beyond
        assert one.stop - 1 - own[-1] <= beyond
        assert one.first >= 0
        assert one.stop <= 20
        assert not any(one.first < cut < one.stop for cut in cuts)


@pytest.mark.parametrize(
    ("cuts", "first", "stop"), [((), 5, 16), ((7,), 7, 16), ((14,), 5, 14), ((8, 13), 8, 13)]
)
def test_frames_around_a_track_are_covered_up_to_a_cut(cuts, first, stop):
    """A face is there for a moment before a detector sees it, and after."""
    frame = np.arange(8, 13)
    (one,) = cover(frame, np.zeros(5, np.int64), 40, cuts, beyond=3)
    assert (one.first, one.stop) == (first, stop)


@pytest.mark.parametrize(
    ("cuts", "first", "stop"),
    [((), 6, 15), ((4,), 4, 15), ((3,), 6, 15), ((17,), 6, 17), ((18,), 6, 15), ((4, 17), 4, 17)],
)
def test_who_is_seen_soon_after_a_cut_was_there_at_once(cuts, first, stop):
    frame = np.arange(8, 13)
    (one,) = cover(frame, np.zeros(5, np.int64), 40, cuts, beyond=2, to_cut=4)
    assert (one.first, one.stop) == (first, stop)


def test_a_blink_of_the_detector_does_not_end_a_track():
    seen = [n for n in range(40) if n not in range(12, 20)]
    labels = link(*_walker(seen))
    assert set(labels.tolist()) == {0}


def test_doubtful_detections_go_on_with_a_track_in_both_directions_but_begin_none():
    frame, boxes, _ = _walker(range(20))
    score = np.full(20, 0.4)
    score[8:12] = 0.9
    assert set(link(frame, boxes, score).tolist()) == {0}
    assert set(link(frame, boxes, np.full(20, 0.4)).tolist()) == {-1}


def test_a_cut_ends_tracks_although_the_next_face_lies_in_the_same_place():
    frame, boxes, score = _walker(range(20), speed=0.0)
    labels = link(frame, boxes, score, cuts=[10])
    assert labels.tolist() == [0] * 10 + [1] * 10


def test_faces_that_pass_each_other_stay_themselves():
    right = _walker(range(30), x=0.0, speed=8.0, size=60.0)
    left = _walker(range(30), x=240.0, speed=-8.0, size=60.0)
    left[1][:, [1, 3]] += 35  # a little lower
    labels = link(*_together(right, left))
    _frame, boxes, _ = _together(right, left)
    for track in (0, 1):
        assert len(set(boxes[labels == track][:, 1].tolist())) == 1


def test_meetings_are_of_tracks_detected_in_one_frame():
    spans = [np.arange(5), np.arange(4, 9), np.arange(9, 12)]
    assert meetings(spans) == [(0, 1)]


def test_detections_out_of_order_are_refused():
    frame, boxes, score = _walker([3, 2])
    with pytest.raises(InputError, match="order"):
        link(frame, boxes, score)


def test_gaps_are_closed_evenly_and_ends_are_held():
    found = interpolate(np.array([2, 6]), np.array([[0.0], [8.0]]), np.arange(9))
    assert found[:, 0].tolist() == [0, 0, 0, 2, 4, 6, 8, 8, 8]
    with pytest.raises(InputError, match="no frame"):
        interpolate(np.zeros(0, np.int64), np.zeros((0, 1)), np.arange(3))


def test_smooth_motion_stays_as_it_is_without_lag():
    t = np.arange(40.0)
    values = np.stack([t, 0.1 * t**2], axis=1)
    np.testing.assert_allclose(smooth(values, 4), values, atol=0.05)
    wave = np.sin(t / 3)[:, None]
    delayed = [float(np.corrcoef(smooth(wave, 3)[5:-5, 0], np.roll(wave, d)[5:-5, 0])[0, 1])
               for d in (-1, 0, 1)]  # fmt: skip
    assert int(np.argmax(delayed)) == 1


def test_shake_becomes_less_and_unsure_frames_do_not_count():
    rng = np.random.default_rng(3)
    still = rng.normal(0, 1, (60, 2))
    assert (
        np.abs(np.diff(smooth(still, 4), 2, axis=0)).mean()
        < 0.4 * np.abs(np.diff(still, 2, axis=0)).mean()
    )
    outlier = np.zeros((21, 1))
    outlier[10] = 100.0
    sure = np.ones(21)
    sure[10] = 0.0
    assert np.abs(smooth(outlier, 3, weights=sure)).max() < 1e-6


@given(st.integers(0, 60), st.integers(8, 20))
def test_a_part_of_a_clip_is_smoothed_as_the_whole_is(start, length):
    """As long as the part is given the frames around it that the filter looks at."""
    values = np.random.default_rng(1).normal(size=(100, 1))
    half = 3
    low, high = max(start - half, 0), min(start + length + half, 100)
    part = smooth(values[low:high], half)[start - low : start - low + length]
    np.testing.assert_allclose(part, smooth(values, half)[start : start + length], atol=1e-12)


def test_after_a_pause_a_doubtful_detection_beside_the_track_is_somebody_else():
    limits = Limits(patience=25, before=5)
    box = np.array([100.0, 100, 140, 140])
    frame = np.array([0, 1, 15])
    for shift, goes_on in ((0, True), (30, False)):
        boxes = np.stack([box, box, box + np.array([shift, 0, shift, 0])])
        labels = link(frame, boxes, np.array([0.9, 0.9, 0.4]), limits=limits)
        assert (labels[2] == 0) == goes_on
        # a sure one is the same face, back again
        labels = link(frame, boxes, np.array([0.9, 0.9, 0.9]), limits=limits)
        assert labels[2] == 0


def test_a_resting_face_is_calmed_and_a_blink_keeps_its_depth():
    rng = np.random.default_rng(3)
    blink = np.zeros(80)
    blink[40:44] = [0.4, 0.8, 0.8, 0.4]
    seen = (blink + rng.normal(0, 0.01, 80))[:, None]
    narrow, made = smooth(seen, 2), calm(seen, (2, 6), 0.012)
    rest = np.r_[8:32, 52:72]
    shake = [np.abs(np.diff(values[rest], 2, axis=0)).mean() for values in (narrow, made)]
    assert shake[1] < 0.6 * shake[0]
    np.testing.assert_allclose(made[41:43], narrow[41:43], atol=1e-9)


@pytest.mark.parametrize(("start", "length"), [(30, 20), (60, 30)])
def test_a_part_of_a_clip_is_calmed_as_the_whole_is(start, length):
    values = np.random.default_rng(4).normal(0, 0.05, (120, 3)).cumsum(axis=0)
    low, high = start - 8, start + length + 8
    part = calm(values[low:high], (2, 6), 0.05)[8 : 8 + length]
    np.testing.assert_allclose(part, calm(values, (2, 6), 0.05)[start : start + length], atol=1e-12)

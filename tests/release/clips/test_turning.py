"""Heads that are turned far in clips: looked at now and then, and posed smoothly in between."""

import numpy as np
import pytest

from ksame.codecs.face import FaceModel
from ksame.faces import Face
from ksame.release.clips import turning
from ksame.release.clips.footage import Stretch
from ksame.release.clips.placing import poses
from ksame.release.clips.turning import Turns, every
from ksame.release.styles import poses as poses_of_photos
from ksame.render.posing import rotation
from ksame.render.rough import average_shape
from ksame.vision.landmarks import Landmarks

RATE = 25.0
PIXELS = np.zeros((200, 200, 3), np.uint8)


def _turned(degrees, middle=(100.0, 100.0), size=40.0):
    """The average face's landmarks (478, 3), turned aside."""
    shape = average_shape(FaceModel.load())
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    solid = (shape - shape.mean(axis=0)) @ np.array([[cos, 0, sin], [0, 1, 0], [-sin, 0, cos]]).T
    return (solid * size + [*middle, 0]).astype(np.float32)


def _marks(degrees, score=0.0):
    mesh = _turned(degrees).astype(np.float64)
    return Landmarks(mesh[:, :2], mesh[:, 2], score)


def _face(marks):
    box = np.concatenate([marks.points.min(axis=0), marks.points.max(axis=0)])
    return Face(box, 0.9, marks.five)


def _stretch(told, looks):
    """Detections of consecutive frames: the yaw and score of each, and yaws that looks tell."""
    frames = np.array(sorted(told))
    meshes = np.array([_turned(told[frame][0], (100 + frame, 100)) for frame in frames.tolist()])
    rows = np.array([frames.tolist().index(frame) for frame in sorted(looks)], np.int64)
    turned = [_turned(looks[frame], (100 + frame, 100)) for frame in sorted(looks)]
    return Stretch(
        frames, meshes, np.array([told[frame][1] for frame in frames.tolist()]),
        np.zeros(0, np.int64), np.zeros((0, 8, 8, 3), np.uint8), np.zeros(0),
        rows, np.array(turned, np.float32).reshape(-1, 478, 3),
    )  # fmt: skip


def _yaws(seen, frames):
    model = FaceModel.load()
    identity = np.zeros(model.identity_size, np.float32)
    shapes = [model.shape(identity, model.neutral)] * len(frames)
    turns = poses(model, seen, identity, frames, shapes, RATE).reshape(-1, 2, 4)
    rows = [rotation(turn) for turn in turns]
    return np.degrees([np.arctan2(-row[2, 0], row[2, 2]) for row in rows]), turns[:, 0, 3]


def test_a_head_is_looked_at_five_times_a_second_wherever_a_segment_begins(monkeypatch):
    asked = []
    monkeypatch.setattr(
        poses_of_photos, "posed_if_turned", lambda rgb, face, marks: asked.append(1) or marks
    )
    seen = []
    for start in (0, 3):
        turns, frames = Turns(RATE), []
        for frame in range(start, 21):
            asked.clear()
            turns.see(PIXELS, frame, frame, _face(_marks(70)), _marks(70))
            frames += [frame] if asked else []
        seen.append(frames)
    assert every(RATE) == 5
    assert seen == [[0, 5, 10, 15, 20], [5, 10, 15, 20]]


def test_nobody_looks_at_tiny_faces_and_what_is_not_turned_is_not_kept(monkeypatch):
    monkeypatch.setattr(poses_of_photos, "posed_if_turned", lambda rgb, face, marks: marks)
    turns, marks = Turns(RATE), _marks(10)
    turns.see(PIXELS, 0, 0, _face(marks), marks)
    tiny = Face(np.array([10.0, 10, 28, 30]), 0.9, marks.five)
    monkeypatch.setattr(poses_of_photos, "posed_if_turned", lambda *_: pytest.fail("asked"))
    turns.see(PIXELS, 0, 1, tiny, marks)
    kept = turns.as_arrays()
    assert not len(kept["turned/row"])
    assert kept["turned/mesh"].shape == (0, 478, 3)


def test_a_face_turns_no_further_than_it_covers_what_was_found(monkeypatch):
    marks = wide = _marks(45)
    away = Landmarks(marks.points + np.array([60.0, 0.0]), marks.depth, 0.0)  # beside it
    found = turning._covering(_face(wide), marks, away)
    assert found is not None
    moved = float((found[:, 0] - marks.points[:, 0]).mean())
    assert 0 < moved < 30
    assert turning._covering(_face(wide), marks, _marks(50)) is not None


def test_between_two_looks_a_face_is_turned_as_these_tell_and_moves_as_its_points_do():
    told = {frame: (50.0 + 20 * (frame % 2), 0.0) for frame in range(31)}  # five points shake
    yaws, across = _yaws(_stretch(told, dict.fromkeys(range(0, 31, 5), 80.0)), np.arange(31))
    assert np.allclose(yaws, 80, atol=1.5)
    assert np.allclose(np.diff(across[5:-5]), 1.0, atol=0.6)


def test_sure_landmarks_give_way_to_looks_without_a_jump():
    told = {frame: (min(20.0 + 1.5 * frame, 60.0), 1.0) for frame in range(50)}
    looks = {frame: told[frame][0] + 15 for frame in range(0, 50, 5) if told[frame][0] > 45}
    yaws, _ = _yaws(_stretch(told, looks), np.arange(50))
    assert np.allclose(yaws[:12], [told[frame][0] for frame in range(12)], atol=2)
    assert yaws[-5:].mean() > 72
    assert np.abs(np.diff(yaws)).max() < 6


def test_poses_do_not_depend_on_where_a_clip_is_divided():
    rng = np.random.default_rng(0)
    told = {f: (30.0 + f + rng.normal(0, 3), 1.0 if f < 18 else 0.0) for f in range(60)}
    looks = {frame: 70.0 + rng.normal(0, 4) for frame in range(20, 60, 5)}
    whole, places = _yaws(_stretch(told, looks), np.arange(60))
    for low, high in ((0, 45), (15, 60)):
        part = {frame: row for frame, row in told.items() if low <= frame < high}
        some = {frame: yaw for frame, yaw in looks.items() if low <= frame < high}
        yaws, across = _yaws(_stretch(part, some), np.arange(low, high))
        # a look's frames and the filter's half width: less than a track is read around a segment
        inner = slice(0 if low == 0 else 14, len(yaws) if high == 60 else -14)
        assert np.allclose(yaws[inner], whole[low:high][inner], atol=1e-6)
        assert np.allclose(across[inner], places[low:high][inner], atol=1e-6)

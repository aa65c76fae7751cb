"""478 landmarks: exact places, their invariances, and a reason where there are none."""

import csv
import threading

import cv2
import numpy as np
import pytest

from ksame.datasets import read_points
from ksame.media import read_photo
from ksame.vision import Face, NoLandmarks, find_faces, find_landmarks


def test_shapes_and_repr(portrait, face):
    found = find_landmarks(portrait, face)
    assert found.points.shape == (478, 2)
    assert found.depth.shape == (478,)
    assert found.score > 0.9
    assert "depth" not in repr(found)


def test_the_five_points_are_the_detectors(portrait, face):
    found = find_landmarks(portrait, face)
    eyes = np.linalg.norm(face.points[0] - face.points[1])
    assert np.linalg.norm(found.five - face.points, axis=1).max() < 0.25 * eyes


@pytest.mark.parametrize(("angle", "scale"), [(0, 0.5), (20, 1.0), (-25, 1.7), (0, 4.0)])
def test_landmarks_follow_the_face(portrait, face, angle, scale):
    """Turn and scale the photo: the landmarks go with it, within 3% of the eyes' distance."""
    height, width = portrait.shape[:2]
    move = cv2.getRotationMatrix2D((width / 2, height / 2), angle, scale)
    move[:, 2] += (np.array([width, height]) * scale - (width, height)) / 2
    size = (round(width * scale), round(height * scale))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    moved = cv2.warpAffine(portrait, move, size, flags=method, borderMode=cv2.BORDER_REPLICATE)
    there = find_landmarks(moved, find_faces(moved)[0])
    expected = cv2.transform(find_landmarks(portrait, face).points[None], move)[0]
    eyes = np.linalg.norm(expected[33] - expected[263])
    assert np.linalg.norm(there.points - expected, axis=1).mean() < 0.03 * eyes


def test_no_landmarks_where_no_face_is(noise):
    points = np.array([[120.0, 80], [180, 80], [150, 110], [125, 140], [175, 140]])
    found = find_landmarks(noise, Face(np.array([100.0, 50, 200, 170]), 0.9, points))
    assert not found
    assert isinstance(found, NoLandmarks)
    assert "sure" in found.reason


@pytest.mark.parametrize("shift", [-5000.0, 5000.0])
def test_a_face_outside_of_the_photo(portrait, face, shift):
    away = Face(face.box + shift, face.score, face.points + shift)
    assert not find_landmarks(portrait, away)


def test_a_tiny_face_says_its_size(portrait):
    points = np.array([[1.0, 1], [3, 1], [2, 2], [1, 3], [3, 3]])
    found = find_landmarks(portrait, Face(np.array([0.0, 0, 4, 5]), 0.7, points))
    assert "5 px" in found.reason


def test_threads_have_networks_of_their_own(portrait, face):
    expected = find_landmarks(portrait, face).points
    results = []
    threads = [
        threading.Thread(
            target=lambda: results.append(find_landmarks(portrait, face).points), daemon=True
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(results) == 4
    assert all(np.allclose(points, expected, atol=1e-3) for points in results)


def test_pupils_of_real_faces(data):
    """Marked by hand in 60 photos of three sets: within 5% of their distance, 2.5% on average."""
    with (data / "faces.csv").open() as file:
        rows = [r for r in csv.DictReader(file) if r["set"] in ("london", "canada", "3dsk")]
    errors = []
    for row in [r for r in rows if r["landmarks"]][::12]:
        rgb = read_photo(data / row["image"]).rgb
        (face,) = find_faces(rgb)
        true = read_points(data / row["landmarks"])[:2]
        apart = np.linalg.norm(find_landmarks(rgb, face).five[:2] - true, axis=1).max()
        errors.append(apart / np.linalg.norm(true[0] - true[1]))
    assert np.mean(errors) < 0.025
    assert np.max(errors) < 0.06

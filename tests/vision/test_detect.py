"""Faces are found near and far, turned, cut off and side by side; and nowhere else."""

import cv2
import numpy as np
import pytest

from ksame.errors import InputError
from ksame.vision import find_faces, find_landmarks


def overlap(a, b) -> float:
    """Intersection over union of two boxes."""
    low, high = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])
    shared = np.clip(high - low, 0, None).prod()
    return float(shared / ((a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - shared))


def test_one_face_each(portraits):
    assert [len(find_faces(rgb)) for rgb, _, _ in portraits] == [1] * len(portraits)


def test_points_are_in_the_subjects_order(face):
    right, left, nose, mouth_right, mouth_left = face.points
    assert right[0] < left[0]
    assert mouth_right[0] < mouth_left[0]
    assert max(right[1], left[1]) < nose[1] < min(mouth_right[1], mouth_left[1])
    assert face.size == pytest.approx(max(face.box[2:] - face.box[:2]))


@pytest.mark.parametrize("scale", [0.15, 0.5, 2.0, 5.0, 9.0])
def test_every_size_of_face(portrait, face, scale):
    """From about 20 px to a face that is larger than what the detector sees at once."""
    resized = cv2.resize(portrait, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    (found,) = find_faces(resized)
    assert overlap(found.box / scale, face.box) > 0.6


def test_a_small_face_in_a_large_photo(portrait, face):
    size = round(40 / face.size * portrait.shape[0])
    small = cv2.resize(portrait, (size, size), interpolation=cv2.INTER_AREA)
    photo = np.full((2400, 3200, 3), 128, np.uint8)
    photo[1500 : 1500 + size, 2700 : 2700 + size] = small
    assert [f.size for f in find_faces(photo)] == pytest.approx([40], abs=8)


def test_a_panorama(portrait):
    height = 300
    strip = np.full((height, 12000, 3), 90, np.uint8)
    copy = cv2.resize(portrait, (height, height), interpolation=cv2.INTER_AREA)
    strip[:, 7000 : 7000 + height] = copy
    assert any(7000 < face.box[0] < 7300 for face in find_faces(strip))


@pytest.mark.parametrize("side", ["left", "right", "top", "bottom"])
def test_faces_at_the_border(portrait, face, side):
    """A fifth of the face is outside of the photo."""
    x0, y0, x1, y1 = face.box
    w, h = (x1 - x0) / 5, (y1 - y0) / 5
    rows, columns = {
        "left": (slice(None), slice(round(x0 + w), None)),
        "right": (slice(None), slice(None, round(x1 - w))),
        "top": (slice(round(y0 + h), None), slice(None)),
        "bottom": (slice(None, round(y1 - h)), slice(None)),
    }[side]
    assert len(find_faces(portrait[rows, columns])) == 1


def test_two_faces_side_by_side_that_overlap(portraits, face):
    """Two heads, the right one in front of a fifth of the left face."""
    left, right = portraits[0][0], portraits[2][0]
    (other,) = find_faces(right)
    start = int(face.box[2] - 0.2 * (face.box[2] - face.box[0]) - other.box[0])
    photo = np.zeros((left.shape[0], start + right.shape[1], 3), np.uint8)
    photo[:, : left.shape[1]] = left
    cut = int(other.box[0])
    photo[:, start + cut :] = right[:, cut:]
    assert len(find_faces(photo)) == 2


@pytest.mark.parametrize("angle", [30, 60, 90, 180, 270])
def test_turned_heads(portrait, face, angle):
    height, width = portrait.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 0.7)
    photo = cv2.warpAffine(portrait, turn, (width, height), borderValue=(120, 120, 120))
    found = find_faces(photo, turned=True)
    assert len(found) == 1
    expected = cv2.transform(face.points[None], turn)[0]
    apart = np.linalg.norm(found[0].points - expected, axis=1).max()
    assert apart < 0.35 * np.linalg.norm(expected[0] - expected[1])
    assert find_landmarks(photo, found[0])


@pytest.mark.parametrize("shape", [(1, 1), (20, 20), (3, 900), (900, 3), (640, 640)])
def test_no_faces_in_flat_images(shape):
    for value in (0, 127, 255):
        assert len(find_faces(np.full((*shape, 3), value, np.uint8))) == 0


def test_no_faces_in_noise(noise):
    assert len(find_faces(noise)) == 0


def test_grey_images_are_images(portrait, face):
    (found,) = find_faces(cv2.cvtColor(portrait, cv2.COLOR_RGB2GRAY))
    assert overlap(found.box, face.box) > 0.7


def test_the_input_stays_as_it_is(portrait):
    before = portrait.copy()
    find_faces(portrait, turned=True)
    assert (portrait == before).all()


@pytest.mark.parametrize(
    "image",
    [np.zeros((9, 9)), np.zeros((9, 9, 4), np.uint8), np.zeros((0, 9, 3), np.uint8)],
)
def test_what_is_no_image(image):
    with pytest.raises(InputError, match="needed"):
        find_faces(image)


@pytest.mark.parametrize("score", [0, -1, 1.5])
def test_scores_out_of_range(portrait, score):
    with pytest.raises(InputError, match="min_score"):
        find_faces(portrait, score)


def test_views_of_arrays_are_read(portrait, face):
    (found,) = find_faces(portrait[:, ::-1])
    mirrored = portrait.shape[1] - found.box[[2, 1, 0, 3]]
    mirrored[[1, 3]] = found.box[[1, 3]]
    assert overlap(mirrored, face.box) > 0.6


def test_small_faces_in_a_panorama(portrait, face):
    """Faces of 60 px in a strip of 20,000 x 500: its long side must not decide the scale."""
    size = round(60 / face.size * portrait.shape[0])
    small = cv2.resize(portrait, (size, size), interpolation=cv2.INTER_AREA)
    strip = np.full((500, 20000, 3), 150, np.uint8)
    for x in (100, 9000, 19500):
        strip[200 : 200 + size, x : x + size] = small
    assert len(find_faces(strip)) == 3


def test_wider_than_opencv_can_warp(portrait):
    strip = np.full((portrait.shape[0], 40000, 3), 150, np.uint8)
    strip[:, 35000 : 35000 + portrait.shape[1]] = portrait
    (found,) = find_faces(strip)
    landmarks = find_landmarks(strip, found)
    expected = find_landmarks(portrait, find_faces(portrait)[0]).points.copy()
    expected[:, 0] += 35000
    apart = np.linalg.norm(landmarks.points - expected, axis=1).mean()
    assert apart < 0.03 * np.linalg.norm(expected[33] - expected[263])


def test_faces_in_the_dark(portrait):
    """At most ten grey levels: black to the eye, a face to whoever brightens the photo."""
    assert len(find_faces((portrait * 0.04).astype(np.uint8))) == 1


def test_a_pass_too_coarse_is_refused(portrait):
    with pytest.raises(InputError, match="finest"):
        find_faces(portrait, finest=100)

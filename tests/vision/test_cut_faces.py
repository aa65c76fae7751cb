"""Half a face at the border of a picture is a face: its mirror image beyond makes it whole."""

import cv2
import numpy as np
import pytest

from ksame.datasets.demo_people import demo_people
from ksame.vision import find_faces
from ksame.vision.faint import confirmed

SURE, FAINT = 0.6, 0.35


def found(rgb):
    return confirmed(rgb, find_faces(rgb, SURE, faint=FAINT, turned=False), SURE)


def cut(person, side, share):
    """A demo person of whose face the picture's border leaves a share, before a wider ground."""
    rgb, points = demo_people().image(person), demo_people().points[person]
    low, high = points[:, 0].min(), points[:, 0].max()
    at = round(float(low + (share if side == "right" else 1 - share) * (high - low)))
    half = rgb[:, :at] if side == "right" else rgb[:, at:]
    beside = cv2.resize(half[:, :4] if side == "right" else half[:, -4:], (300, len(half)))
    parts = [beside, half] if side == "right" else [half, beside]
    return np.ascontiguousarray(np.hstack(parts))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(("share", "least"), [(0.5, 10), (0.35, 9)])
def test_half_a_face_is_found(side, share, least):
    """Of 20 faces of which a third is seen, 13 were not found."""
    seen = [len(found(cut(person, side, share))) for person in range(0, 60, 6)]
    assert np.count_nonzero(seen) >= least


def test_what_a_mirrored_border_shows_alone_is_never_sure():
    """A face inside is seen once, and none of its mirror images is anybody."""
    for person in range(0, 30, 6):
        rgb, points = demo_people().image(person), demo_people().points[person]
        low = np.maximum(points.min(axis=0).round().astype(int) - 12, 0)
        close = np.ascontiguousarray(rgb[low[1] :, low[0] :])  # near the border, not cut
        assert len(found(close)) == 1


def test_hands_at_the_border_stay_doubtful():
    rng = np.random.default_rng(1)
    ground = np.clip(rng.normal(120, 30, (240, 320, 3)), 0, 255).astype(np.uint8)
    looked = find_faces(cv2.GaussianBlur(ground, (0, 0), 3), SURE, faint=FAINT, turned=False)
    assert not (looked.score >= SURE).any()

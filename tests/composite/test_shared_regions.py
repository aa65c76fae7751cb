"""What is filled tells nothing of the head that was there, by its border or by its grain."""

import cv2
import numpy as np

from ksame.composite import composite
from ksame.composite.behind import head_to_remove, region_above_chin, with_region
from ksame.composite.frame import CHIN, SCENE
from ksame.composite.grain import strew_grain


def chin_of(portrait):
    return float((SCENE.from_head() @ [*portrait.points[CHIN], 1.0])[1])


def test_above_the_chin_the_border_is_the_groups(photos):
    """Every photo of a group removes the same, but for its own shoulders."""
    portraits = [portrait for _, _, portrait in photos[:4]]
    chin = min(chin_of(portrait) for portrait in portraits)
    region = np.bitwise_or.reduce([region_above_chin(p, chin) for p in portraits])
    for portrait in portraits:
        mask = with_region(head_to_remove(portrait), region, portrait) > 0
        above = slice(0, int(chin) - 20)
        assert (mask[above] == (region[above] > 0)).mean() > 0.99


def test_a_wall_that_was_filled_has_the_grain_of_the_wall(photos, surrogate):
    _, rgb, portrait = photos[0]
    rng = np.random.default_rng(3)
    noisy = np.clip(rgb + rng.normal(0, 6, rgb.shape), 0, 255).astype(np.uint8)
    region = np.zeros((SCENE.height, SCENE.width), np.uint8)
    region[: int(chin_of(portrait))] = 255
    result = composite(noisy, [portrait], [surrogate], "strict", [region])
    changed = (result != noisy).all(axis=2).astype(np.uint8)
    hair = cv2.warpAffine(
        (head_to_remove(portrait) > 0).astype(np.uint8),
        np.linalg.inv(np.vstack([portrait.to_scene, [0, 0, 1]]))[:2],
        rgb.shape[1::-1],
    )
    wall = cv2.erode(changed, np.ones((3, 3))) * (1 - cv2.dilate(hair, np.ones((25, 25))))
    kept = cv2.erode((result == noisy).all(axis=2).astype(np.uint8), np.ones((9, 9)))
    fine = result.astype(np.float32) - cv2.GaussianBlur(result.astype(np.float32), (0, 0), 1.5)
    assert wall.sum() > 200
    spread = [np.subtract(*np.percentile(fine[where > 0], [75, 25])) for where in (wall, kept)]
    ratio = spread[0] / spread[1]
    assert 0.6 < ratio < 1.4


def test_grain_comes_from_what_stays_alone():
    rng = np.random.default_rng(0)
    before = rng.integers(90, 110, (128, 128, 3)).astype(np.uint8)
    filled = np.zeros((128, 128), np.uint8)
    filled[40:90, 40:90] = 255
    other = before.copy()
    other[filled > 0] = 255
    results = []
    for photo in (before, other):
        part = np.full_like(before, 100)
        strew_grain(part, photo, filled, filled == 0, seed=5)
        results.append(part)
    np.testing.assert_array_equal(*results)
    assert results[0][filled > 0].std() > 2
    assert (results[0][filled == 0] == 100).all()


def test_edges_of_what_stays_are_no_grain():
    """Where hardly anything stays, all of it may be the edge of clothes: it is strewn nowhere."""
    before = np.full((128, 128, 3), 140, np.uint8)
    for x in range(-128, 128, 8):  # every block has an edge, and all are as strong
        cv2.line(before, (x, 0), (x + 128, 128), (60, 60, 60), 1)
    filled = np.zeros((128, 128), np.uint8)
    filled[:, 60:] = 255
    part = np.full_like(before, 100)
    strew_grain(part, before, filled, filled == 0, seed=5)
    assert (part == 100).all()

"""``strict`` against the true masks of the rendered heads, which no code under test has made."""

import cv2
import numpy as np

from ksame.composite import Portrait, Surrogate, composite
from ksame.datasets import demo_people

Photos = list[tuple[str, np.ndarray, Portrait]]


def test_nothing_of_a_true_head_passes_into_the_photo(photos: Photos, surrogate: Surrogate) -> None:
    """Another picture is put in the place of the head, hair included: the result is the same."""
    demo, dice = demo_people(), np.random.default_rng(0)
    for i, (_, rgb, portrait) in enumerate(photos):
        # the masks are true to two pixels
        head = cv2.erode(demo.head_mask(i).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
        other = rgb.copy()
        other[head] = dice.integers(0, 256, (int(head.sum()), 3), np.uint8)
        one, two = (composite(p, [portrait], [surrogate], "strict") for p in (rgb, other))
        leaks = np.abs(one.astype(int) - two).max(axis=2) > 24
        assert head.mean() > 0.1
        # a beard on the neck is the neck's: one photo of the twelve keeps 0.6% of its head
        assert leaks[head].mean() < 0.01

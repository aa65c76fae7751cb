"""A found face is measured by what of it lies in the photo."""

from types import SimpleNamespace

import numpy as np
import pytest

from ksame.verification.detected import strangers

PHOTO = np.zeros((480, 720, 3), np.uint8)


def listed(box):
    face = SimpleNamespace(box=box, hidden=None, placement=None, numbers={"box": box})
    return SimpleNamespace(faces=[face], untouched=[])


@pytest.mark.parametrize(
    ("found", "count"),
    [
        ([649, 114, 829, 343], 0),  # more than half of it beyond the border
        ([300, 114, 480, 343], 1),
        ([500, 114, 740, 343], 1),  # at the border, beside what was drawn
    ],
)
def test_a_face_that_the_border_cuts_lies_where_it_is_seen(found, count):
    drawn = [623, 101, 720, 367]
    assert strangers(PHOTO, listed(drawn), lambda photo: [found]) == count

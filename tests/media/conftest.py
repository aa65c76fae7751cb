"""A picture and a folder of photos that tests of reading and of writing look at."""

import numpy as np
import pytest


@pytest.fixture
def picture():
    """A picture with four different quarters: no turn or mirroring leaves it as it is."""
    pixels = np.full((40, 64, 3), 128, np.uint8)
    pixels[:20, :32] = (200, 40, 40)
    pixels[:20, 32:] = (40, 200, 40)
    pixels[20:, :32] = (40, 40, 200)
    return pixels


@pytest.fixture
def exif_set(data):
    return data / "exif"

"""Photos of the built-in synthetic people, and faces found in them, for all tests of vision."""

import numpy as np
import pytest

from ksame.datasets import demo_people
from ksame.media import read_photo
from ksame.vision import find_faces


@pytest.fixture(scope="session")
def portraits():
    """Photos of eight people: one neutral and one smiling each, as (rgb, expression, gender)."""
    people = demo_people()
    first = list(dict.fromkeys(people.persons))[:8]
    rows = [
        i
        for i, person in enumerate(people.persons)
        if person in first and people.expression[i] in ("neutral", "smile")
    ]
    return [
        (read_photo(people.paths[i]).rgb, people.expression[i], people.persons[i]) for i in rows
    ]


@pytest.fixture(scope="session")
def portrait(portraits):
    """One photo of one face that looks at the camera."""
    return portraits[0][0]


@pytest.fixture(scope="session")
def face(portrait):
    (found,) = find_faces(portrait)
    return found


@pytest.fixture
def noise():
    return np.random.default_rng(0).integers(0, 255, (200, 300, 3)).astype(np.uint8)

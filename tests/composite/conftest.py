"""Portraits of a few synthetic people, made once for all tests of this folder."""

from collections import defaultdict

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from ksame.composite import Portrait, Surrogate, portray, synthesise
from ksame.datasets import demo_people
from ksame.vision import find_faces

Image = npt.NDArray[np.uint8]
PEOPLE = 4


@pytest.fixture(scope="session")
def photos() -> list[tuple[str, Image, Portrait]]:
    """Person, photo and portrait of each photo of the first synthetic people."""
    demo = demo_people()
    found = []
    for path, person in list(zip(demo.paths, demo.persons, strict=True))[: 3 * PEOPLE]:
        rgb = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
        portrait = portray(rgb, find_faces(rgb)[0])
        assert isinstance(portrait, Portrait)
        found.append((person, rgb, portrait))
    return found


@pytest.fixture(scope="session")
def people(photos: list[tuple[str, Image, Portrait]]) -> list[list[Portrait]]:
    """Per person, the portraits."""
    found: dict[str, list[Portrait]] = defaultdict(list)
    for person, _, portrait in photos:
        found[person].append(portrait)
    return list(found.values())


@pytest.fixture(scope="session")
def surrogate(people: list[list[Portrait]]) -> Surrogate:
    """The surrogate of the first three people, in the head of the fourth."""
    return synthesise(people[:3], people[3])

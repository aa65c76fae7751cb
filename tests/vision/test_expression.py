"""Blendshapes and the classes made of them."""

import numpy as np
import pytest

from ksame.errors import InputError
from ksame.vision import (
    BLENDSHAPE_NAMES,
    blendshapes,
    expression_class,
    find_faces,
    find_landmarks,
    smile,
)


@pytest.fixture(scope="module")
def measured(portraits):
    return [
        (expression, blendshapes(find_landmarks(rgb, find_faces(rgb)[0]).points))
        for rgb, expression, _ in portraits
    ]


def test_names():
    assert len(BLENDSHAPE_NAMES) == len(set(BLENDSHAPE_NAMES)) == 52
    assert BLENDSHAPE_NAMES.index("jawOpen") == 25
    assert BLENDSHAPE_NAMES[44:46] == ("mouthSmileLeft", "mouthSmileRight")


def test_smiles_raise_the_corners_of_the_mouth(measured):
    smiling = [smile(values) for expression, values in measured if expression == "smile"]
    neutral = [smile(values) for expression, values in measured if expression == "neutral"]
    assert np.mean(smiling) > np.mean(neutral) + 0.2


def test_coefficients_do_not_depend_on_place_and_size(portrait, face):
    points = find_landmarks(portrait, face).points
    assert blendshapes(points * 3 + 500) == pytest.approx(blendshapes(points), abs=1e-3)


def test_mirroring_swaps_left_and_right(portrait, face):
    mirrored = portrait[:, ::-1]
    (other,) = find_faces(mirrored)
    here = dict(
        zip(BLENDSHAPE_NAMES, blendshapes(find_landmarks(portrait, face).points), strict=True)
    )
    there = dict(
        zip(BLENDSHAPE_NAMES, blendshapes(find_landmarks(mirrored, other).points), strict=True)
    )
    for left in ("mouthSmileLeft", "browDownLeft", "eyeSquintLeft"):
        right = left.replace("Left", "Right")
        assert abs(here[left] - there[right]) < 0.2


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        ({}, "neutral"),
        ({"mouthSmileLeft": 0.7, "mouthSmileRight": 0.6}, "smile"),
        ({"jawOpen": 0.6}, "open"),
        ({"eyeBlinkLeft": 0.8, "eyeBlinkRight": 0.8}, "closed-eyes"),
        ({"eyeBlinkLeft": 0.8}, "neutral"),
    ],
)
def test_classes(raised, expected):
    values = np.zeros(52)
    for name, value in raised.items():
        values[BLENDSHAPE_NAMES.index(name)] = value
    assert expression_class(values) == expected


def test_wrong_points():
    with pytest.raises(InputError, match="478"):
        blendshapes(np.zeros((68, 2)))

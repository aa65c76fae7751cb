"""A face whose light is at rest is lit as faces are in photographs, from above, and is not flat."""

import numpy as np
import pytest

from ksame.render import light
from ksame.render.anatomy import POINTS, anatomy
from ksame.render.numbers import EVERYDAY_LIGHT, LIGHT_SIZES, OUTLINE_SIZE, FaceNumbers
from ksame.render.resting import rested_light
from ksame.verification.mesh import pose as pose_again
from ksame.verification.steps import read_steps

FOREHEAD, CHIN, CHEEKS, NOSE = 151, 199, (234, 454), 4


@pytest.fixture
def resting(model):
    frontal = (240, 50, 0, 0, 0, 50, 0, 60, 60)
    return FaceNumbers(
        frontal, (0,) * model.expression_size, (0,) * sum(LIGHT_SIZES), (0,) * OUTLINE_SIZE,
        0, 0, (0, 0, 0), "colour",
    )  # fmt: skip


def gains_of(model, identity, numbers):
    shape = model.shape(identity, numbers.expression_weights.astype(np.float32))
    unit = light.normals(shape, anatomy(model), numbers.matrix)
    return light.gains(numbers, light.functions(unit, shape))[:POINTS]


def test_light_at_rest_comes_from_above_and_leaves_the_sides_darker(model, identity, resting):
    gains = gains_of(model, identity, resting)[:, 1]
    assert gains[FOREHEAD] > 1.05 * gains[CHIN]
    assert gains[list(CHEEKS)].max() < 0.93 * gains[NOSE]
    assert 0.9 < np.exp(np.log(gains).mean()) < 1.1  # and as bright as it is


def test_the_verifier_lights_a_face_at_rest_alike(model, identity, resting):
    again = pose_again(model, identity, read_steps(resting.as_json())).gains[:POINTS]
    assert np.allclose(gains_of(model, identity, resting), again, rtol=0.01)


def test_light_is_told_beside_what_is_everyday(model, identity, resting):
    """A face in everyday light has nothing to tell."""
    shape = model.shape(identity, model.neutral)
    unit = light.normals(shape, anatomy(model), resting.matrix)
    values = light.functions(unit, shape)[:POINTS]
    ones = np.ones(POINTS)
    ratio = np.repeat((values @ EVERYDAY_LIGHT)[:, None], 3, axis=1)
    assert np.abs(light.fit_light(values, ratio, ones, ones)).max() < 1e-6


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_from_everyday_to_even_light_all_faces_rest(share):
    """In a studio's even light what is left of a face's slopes is its own relief."""
    read = np.concatenate([-share * EVERYDAY_LIGHT, np.zeros(6)])
    relief = np.concatenate([np.full(8, 0.1), np.zeros(6)])
    for own in (read, read + relief, read - relief):
        assert not np.delete(rested_light(own, np.zeros(8)), [0, 8, 11]).any()

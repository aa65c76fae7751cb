"""A person of nobody, landmarks that are known exactly, and photos to put faces into."""

import numpy as np
import pytest
from parts_views import a_view, bare_scores

from ksame.codecs.face import FaceModel, Looks
from ksame.vision import Landmarks


@pytest.fixture(scope="session")
def model():
    return FaceModel.load()


@pytest.fixture(scope="session")
def identity(model):
    return model.draw(np.random.default_rng(3), Looks("female", 30.0, 40.0))


def posed_landmarks(model, identity, *, size=160.0, centre=(150.0, 150.0), yaw=0.0, roll=0.0):
    """Landmarks of a model face of a known pose: what a perfect landmark model would say."""
    shape = model.shape(identity, model.neutral)[:478].astype(np.float64)
    cy, sy, cr, sr = np.cos(yaw), np.sin(yaw), np.cos(roll), np.sin(roll)
    turn = np.array([[cr, -sr, 0], [sr, cr, 0], [0, 0, 1]]) @ np.array(
        [[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]]
    )
    scale = size / np.ptp(shape[:, 1])
    placed = shape @ turn.T * scale
    return Landmarks(placed[:, :2] + centre, placed[:, 2], 0.99)


@pytest.fixture
def pose(model, identity):
    """Landmarks of the fixture's person, or of another, in a pose."""

    def make(person=None, **options):
        return posed_landmarks(model, identity if person is None else person, **options)

    return make


@pytest.fixture
def photo():
    """A photo of noise around a skin-coloured ground."""
    rng = np.random.default_rng(0)
    ground = np.array([190, 150, 130]) + rng.normal(0, 6, (300, 300, 1))
    return np.clip(ground, 0, 255).astype(np.uint8)


@pytest.fixture
def view():
    """A round face with eyes above and nose and mouth below."""
    return a_view()


@pytest.fixture
def scores(view):
    """A network that sees a bare face and nothing else."""
    return bare_scores(view)

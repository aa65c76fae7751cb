"""The shipped face model, loaded once."""

import pytest

from ksame.codecs.face import FaceModel


@pytest.fixture(scope="session")
def model() -> FaceModel:
    return FaceModel.load()

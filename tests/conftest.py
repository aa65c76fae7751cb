"""What all tests share: the repository's folder, and the research sets where they are at hand."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["time_limits"]

# no verdict depends on how busy the machine is
settings.register_profile(
    "ksame", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ksame")


@pytest.fixture(scope="session")
def repository() -> Path:
    return Path(__file__).parents[1]


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of the research sets; tests that ask for it skip where it is absent."""
    folder = os.environ.get("KSAME_DATA")
    if not folder:
        pytest.skip("KSAME_DATA names no folder with the research sets")
    return Path(folder)

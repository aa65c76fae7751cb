"""A small vault that all tests of a file look at, and a note book of its own for each test."""

import shutil
from dataclasses import replace

import pytest
from small_release import small_release


@pytest.fixture(autouse=True)
def own_notes(tmp_path, monkeypatch):
    """What was seen of vaults is noted in a folder of the test's own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("KSAME_VAULT_KEY", "KSAME_VAULT_PASSPHRASE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def untouched(tmp_path_factory):
    """A vault that no test may change."""
    return small_release(tmp_path_factory.mktemp("vault"))


@pytest.fixture
def small(untouched, tmp_path):
    """A copy of it that may be changed."""
    path = tmp_path / "out.vault"
    shutil.copyfile(untouched.path, path)
    return replace(untouched, root=tmp_path, path=path)

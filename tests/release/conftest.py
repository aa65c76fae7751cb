"""A small album of synthetic people, and one release of it that all tests of a file look at."""

import shutil
from collections import defaultdict
from pathlib import Path

import pytest

from ksame.release import Plan, deidentify

PEOPLE, PHOTOS = 12, 2


def build_album(folder: Path, people: int = PEOPLE, photos: int = PHOTOS) -> Path:
    """One folder per synthetic person, with some photos each."""
    from ksame.datasets import demo_people

    demo = demo_people()
    paths = defaultdict(list)
    for path, person in zip(demo.paths, demo.persons, strict=True):
        paths[person].append(path)
    for person in sorted(paths)[:people]:
        (folder / person).mkdir(parents=True)
        for path in paths[person][:photos]:
            shutil.copyfile(path, folder / person / path.name)
    return folder


@pytest.fixture(scope="session")
def album(tmp_path_factory):
    return build_album(tmp_path_factory.mktemp("photos") / "album")


@pytest.fixture(scope="session")
def made(album, tmp_path_factory):
    """A finished release (k = 3, strict, furthest); tests must not change it."""
    out = tmp_path_factory.mktemp("made") / "out"
    return deidentify(Plan((album,), out, k=3, persons="folder", seed=7, jobs=1, attack=True))


@pytest.fixture
def copy(made, tmp_path):
    """A copy of the release with its ledger, for tests that spoil it."""
    out = tmp_path / "out"
    shutil.copytree(made.out, out)
    ledger = tmp_path / "out.ledger.json"
    shutil.copyfile(made.ledger, ledger)
    return out, ledger

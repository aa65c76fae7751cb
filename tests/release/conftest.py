"""A small album of synthetic people, and one release of it that all tests of a file look at."""

import shutil
from collections import defaultdict
from pathlib import Path

import pytest
from release_plans import strict_plan

from ksame.release import run
from ksame.release.find import Search, find_one
from ksame.release.scratch import MARK
from ksame.store import Store

PEOPLE = 6


def build_album(folder: Path, people: int = PEOPLE) -> Path:
    """One folder per synthetic person with one photo each; the first two people have two."""
    from ksame.datasets.demo_people import demo_people

    demo = demo_people()
    paths = defaultdict(list)
    for path, person in zip(demo.paths, demo.persons, strict=True):
        paths[person].append(path)
    for number, person in enumerate(sorted(paths)[:people]):
        (folder / person).mkdir(parents=True)
        for path in paths[person][: 2 if number < 2 else 1]:
            shutil.copyfile(path, folder / person / path.name)
    return folder


@pytest.fixture(scope="session")
def album(tmp_path_factory):
    return build_album(tmp_path_factory.mktemp("photos") / "album")


@pytest.fixture(scope="session")
def found(album, tmp_path_factory):
    """What the first stage finds in the album, so that tests need not look again."""
    root = tmp_path_factory.mktemp("found")
    for path in sorted(album.rglob("*.jpg")):
        find_one(Search(path, Store(root), "heads", 100_000_000, embed=False))
    return root


@pytest.fixture
def warm(found):
    """Give a run the scratch folder that a killed one would have left behind."""

    def prepare(out: Path) -> Path:
        work = out.with_name(out.name + ".work")
        shutil.copytree(found, work / "store")
        (work / MARK).touch()
        return out

    return prepare


@pytest.fixture(scope="session")
def made(album, found, tmp_path_factory):
    """A finished release (k = 3, strict, furthest); tests must not change it."""
    out = tmp_path_factory.mktemp("made") / "out"
    shutil.copytree(found, out.with_name("out.work") / "store")
    (out.with_name("out.work") / MARK).touch()
    return run(strict_plan(album, out))


@pytest.fixture
def copy(made, tmp_path):
    """A copy of the release with its ledger, for tests that spoil it."""
    out = tmp_path / "out"
    shutil.copytree(made.out, out)
    ledger = tmp_path / "out.ledger.json"
    shutil.copyfile(made.ledger, ledger)
    return out, ledger


@pytest.fixture
def small(album, tmp_path):
    """Six people, one photo each: just enough for furthest groups of three."""
    folder = tmp_path / "small"
    for person in sorted(album.iterdir())[:6]:
        (folder / person.name).mkdir(parents=True)
        photo = sorted(person.iterdir())[0]
        shutil.copyfile(photo, folder / person.name / photo.name)
    return folder

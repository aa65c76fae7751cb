"""One release of clips and a photo, which several files of tests look at."""

import json
import shutil

import pytest
from filming import film, photos_by_person, plan

from ksame.release import run


@pytest.fixture(scope="session")
def inputs(tmp_path_factory):
    """Three people: two in one clip, the first of them in a photo too, the third in a clip."""
    folder = tmp_path_factory.mktemp("clips") / "in"
    folder.mkdir()
    one, two, three, *_ = photos_by_person()
    film(folder / "a pair.mp4", one[0], two[0])
    film(folder / "third.mp4", three[0])
    shutil.copyfile(one[0], folder / f"one{one[0].suffix}")
    (folder / "broken.mp4").write_bytes(b"....ftypmp42 and no more")
    return folder


@pytest.fixture(scope="session")
def release(inputs, tmp_path_factory):
    return run(plan(inputs, tmp_path_factory.mktemp("released") / "out"))


@pytest.fixture
def ledger(release):
    return json.loads(release.ledger.read_text())

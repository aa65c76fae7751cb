"""The examples of docs/extending.md, each short and each run as a user would."""

import math
import re
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from ksame import KSame, KSamePixel, deidentify, plugins, verify, weights
from ksame.datasets import demo_people, read_people_csv
from ksame.datasets.named import data_place
from ksame.errors import InputError
from ksame.faces import Faces
from ksame.media import formats
from ksame.methods.recipes import recipe_of
from ksame.recognition.named import recogniser
from ksame.release import media
from ksame.release.find import Album, Picture
from ksame.release.name import People
from ksame.release.options import Options
from ksame.runners.named import is_named, own_runner
from ksame.vault.keyfiles import find_locks
from ksame.vault.locks import lock_all, unlock_any
from ksame.vision import detector, find_faces
from ksame.weights.runtimes import OnnxSession

LONGEST = 20  # lines of an example


@pytest.fixture(scope="module")
def page(repository):
    return (repository / "docs/extending.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def examples(page):
    """File name to source of every Python example."""
    found = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", page, re.S)
    assert len(found) == page.count("```python")
    return dict(found)


@pytest.fixture(autouse=True)
def installed(examples, tmp_path, monkeypatch):
    """The examples as files on the path."""
    for name, source in examples.items():
        (tmp_path / name).write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in examples:
        sys.modules.pop(name.removesuffix(".py"), None)


def test_every_example_is_short(examples):
    assert {"my_recogniser.py", "my_detector.py", "my_grouping.py", "my_method.py"} <= set(examples)
    for name, source in examples.items():
        assert len(source.splitlines()) < LONGEST, name


def test_the_recogniser_tells_colours_apart():
    found = recogniser("my_recogniser:MeanColour")
    crops = np.zeros((3, 240, 240, 3), np.uint8)
    crops[1], crops[2] = 200, 210
    described = found.describe(crops)
    assert described.shape == (3, found.dim)
    assert found.distances(described, described)[2].argsort().tolist() == [2, 1, 0]


def test_the_detector_finds_a_face_where_yunet_does():
    rgb = demo_people().image(0)
    (face,) = find_faces(rgb, detector=detector("my_detector:Haar"))
    (expected,) = find_faces(rgb)
    assert np.abs(face.points - expected.points).max() < 0.3 * expected.size


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_grouping_by_name_keeps_k_people(k):
    faces = np.random.default_rng(0).random((11, 8))
    method = KSamePixel(k=k, grouping="my_grouping:by_chance", random_state=0).fit(faces)
    assert np.bincount(method.labels_).min() >= k


def test_the_codec_makes_a_method():
    faces = np.random.default_rng(0).random((9, 32, 32))
    import my_codec

    released = KSame(k=3, codec=my_codec.Thumbnail(), random_state=0).fit_transform(faces)
    assert released.shape == faces.shape
    assert len(np.unique(released.reshape(9, -1), axis=0)) == 3


def test_the_recipe_is_found_by_name():
    found = recipe_of("my_method:lottery")
    assert found.name == "lottery"
    assert found.needed(5) == 5


def test_the_data_set_lists_its_photos(tmp_path):
    (tmp_path / "photos" / "ann").mkdir(parents=True)
    (tmp_path / "photos" / "ann" / "1.jpg").touch()
    found = read_people_csv(data_place("my_data:pairs"))
    assert (found.persons, found.images) == (("ann",), (tmp_path / "photos/ann/1.jpg",))


def test_the_lock_hides_and_finds_the_key_of_a_vault(tmp_path, monkeypatch):
    (tmp_path / "stick").write_bytes(bytes(range(32)))
    monkeypatch.setenv("MY_STICK", str(tmp_path / "stick"))
    (lock,) = find_locks("my_lock:Stick")
    told = lock_all((lock,), b"k" * 32, b"context")
    assert unlock_any((lock,), told, b"context") == (b"k" * 32, lock)


def test_the_runner_keeps_the_order():
    with own_runner("my_runner:Fresh") as runner:
        assert list(runner.run("roots", math.sqrt, [4.0, 9.0])) == [2.0, 3.0]
        runner.finish()


def test_the_review_sets_crowds_aside():
    from my_review import without_crowds

    def picture(number, count):
        faces = Faces(np.tile([0.0, 0, 9, 9], (count, 1)), np.zeros((count, 5, 2)), np.ones(count))
        return Picture(Path("a.jpg"), str(number), str(number), None, faces)

    album = Album((picture(0, 5), picture(1, 6), picture(2, 7)), shown=2)
    assert without_crowds(album, People({})).set_aside == {"1": True}


def test_the_session_has_the_numbers_of_ours():
    from my_session import OpenCvOnnx

    model = weights.path("age").read_bytes()
    crop = np.random.default_rng(0).random((1, 3, 64, 64), np.float32)
    (own,), (expected,) = (made(model).run(crop, []) for made in (OpenCvOnnx, OnnxSession))
    np.testing.assert_allclose(own, expected, atol=1e-3)


@pytest.fixture
def offered(page, monkeypatch):
    """The entry points of the page, as if its package were installed."""
    (toml,) = re.findall(r"```toml\n(.*?)```", page, re.S)
    offered = tomllib.loads(toml)["project"]["entry-points"]
    points = [
        EntryPoint(name, value, group)
        for group, named in offered.items()
        for name, value in named.items()
    ]
    monkeypatch.setattr(
        plugins, "entry_points", lambda group: [point for point in points if point.group == group]
    )
    for offers in (formats._offered, media._offered):
        offers.cache_clear()
    yield
    for offers in (formats._offered, media._offered):
        offers.cache_clear()


def test_every_entry_point_of_the_page_loads(offered):
    assert recogniser("mean-colour").name == "mean-colour"
    assert detector("haar").name == "haar"
    assert recipe_of("lottery").name == "lottery"
    assert data_place("pairs").name == "people.csv"
    assert KSamePixel(k=2, grouping="by-chance").fit(np.eye(5)).labels_.max() == 1
    assert find_locks("stick")[0].kind == "stick"
    assert is_named("fresh")
    with own_runner("fresh") as runner:
        assert list(runner.run("nothing", math.sqrt, [])) == []


def test_a_release_is_made_with_parts_of_ones_own(offered, tmp_path):
    people = demo_people()
    _, firsts = np.unique(people.persons, return_index=True)
    for i in firsts[:4]:
        (tmp_path / "in" / people.persons[i]).mkdir(parents=True)
        np.save(tmp_path / "in" / people.persons[i] / "photo.npy", people.image(i))
    own: Options = {"method": "my_method:lottery", "detector": "my_detector:Haar"}
    release = deidentify(
        tmp_path / "in", tmp_path / "out", k=2, persons="folder", seed=1, jobs=1, **own
    )
    told = release.certificate
    assert (told["method"], told["detector"]) == (own["method"], own["detector"])
    assert told["grouping"] == "by-chance"
    assert told["faces"] == 4
    assert verify(release.out, release.ledger).holds


def test_the_medium_withholds_photos_of_more_than_one_face(offered, tmp_path):
    people = demo_people()
    _, firsts = np.unique(people.persons, return_index=True)
    faces = [people.image(i)[..., ::-1] for i in firsts[:4]]
    for i, face in enumerate([*faces, np.hstack(faces[:2])]):
        (tmp_path / "in" / str(i % 4)).mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(tmp_path / "in" / str(i % 4) / f"{i}.passport.jpg"), face)
    made = deidentify(tmp_path / "in", tmp_path / "out", k=2, persons="folder", seed=1, jobs=1)
    assert [why for _, why in made.withheld] == ["shows more than one face"]
    assert made.certificate["photos"] == 4
    assert verify(made.out, made.ledger).holds


@pytest.mark.parametrize("option", ["method", "grouping", "detector"])
def test_a_part_that_nobody_has_is_refused_before_anything_is_read(option, tmp_path):
    unknown: Any = {option: "no-such"}
    with pytest.raises(InputError, match=f"{option}.*no-such.*is not known"):
        deidentify(tmp_path / "nowhere", tmp_path / "out", **unknown)

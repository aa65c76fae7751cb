"""Names of parts: the registry, installed packages, import paths."""

import sys
from importlib.metadata import EntryPoint

import pytest

from ksame import plugins
from ksame.errors import InputError
from ksame.plugins import made, names_of, resolve
from ksame.recognition import Eigenfaces, Recogniser, fitted
from ksame.recognition.deep import SFace
from ksame.recognition.named import RECOGNISERS, recogniser, recognisers
from ksame.vision import Detector, detector

OWN = """
import numpy as np

class Rows:
    name, learns, dim = "rows", False, None
    def fit(self, training, persons=None): return self
    def describe(self, faces): return faces.reshape(len(faces), -1).astype(float)
    def distances(self, probes, gallery):
        return np.abs(probes[:, None] - gallery[None]).sum(axis=2)

class Half:
    name = "half"

ready = Rows()
number = 7
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    (tmp_path / "own_parts.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    yield "own_parts"
    sys.modules.pop("own_parts", None)


def offer(monkeypatch, name, value):
    point = EntryPoint(name, value, "ksame.recognisers")
    monkeypatch.setattr(
        plugins, "entry_points", lambda group: [point] if group == point.group else []
    )


@pytest.mark.parametrize("name", ["Rows", "ready"])
def test_a_recogniser_of_ones_own_by_its_import_path(own, name):
    found = recogniser(f"{own}:{name}")
    assert isinstance(found, Recogniser)
    assert found.name == "rows"


def test_a_recogniser_of_an_installed_package(own, monkeypatch):
    offer(monkeypatch, "rows", f"{own}:Rows")
    assert recogniser("rows").name == "rows"
    assert names_of("recogniser", RECOGNISERS) == [*RECOGNISERS, "rows"]


def test_an_installed_package_does_not_replace_ksames_own(own, monkeypatch):
    offer(monkeypatch, "sface", f"{own}:Rows")
    assert isinstance(recogniser("sface"), SFace)


@pytest.mark.parametrize("name", RECOGNISERS)
def test_every_recogniser_keeps_the_contract_and_says_whether_it_learns(name):
    found = recogniser(name)
    assert isinstance(found, Recogniser)
    assert found.name == name
    assert found.learns == name.startswith("eigenfaces")
    assert found.dim == (None if found.learns else 128)


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(InputError, match=r"recogniser 'facet' is not known; choose from eigenf"):
        recogniser("facet")
    with pytest.raises(InputError, match=r"detector 'x' is not known; choose from yunet"):
        detector("x")
    with pytest.raises(InputError, match="no recogniser is named"):
        recognisers([])


@pytest.mark.parametrize("place", ["no_such_module:Rows", "own_parts:NoSuch", "own_parts:"])
def test_what_cannot_be_imported_is_named(own, place):
    with pytest.raises(InputError, match="cannot be imported"):
        resolve("method", place, {})


@pytest.mark.parametrize("name", ["Half", "number"])
def test_what_a_part_lacks_is_named(own, name):
    with pytest.raises(InputError, match=r"lacks .*describe, .*learns"):
        recogniser(f"{own}:{name}")


def test_yunet_is_a_detector():
    assert isinstance(detector("yunet"), Detector)


def test_fitting_leaves_the_given_recogniser_alone():
    import numpy as np

    faces = np.random.default_rng(0).random((6, 20))
    given = Eigenfaces(3)
    learned = fitted(given, faces)
    assert learned.dim == 3
    assert given.dim is None
    pretrained = SFace()
    assert fitted(pretrained, faces) is pretrained


def test_a_class_is_made_and_an_instance_is_taken_as_it_is():
    sface = SFace()
    assert made("recogniser", "x", sface, Recogniser) is sface
    assert isinstance(made("recogniser", "x", SFace, Recogniser), SFace)

"""Folders of occasions are no folders of people: the faces tell, and the user is told."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from ksame import MixedPeopleWarning, deidentify
from ksame.release import mixed_names
from ksame.release.mixed_names import warn_of_mixed_names


def album_of(rows):
    """An album of one face a photo, described by these rows."""
    return SimpleNamespace(failure=lambda spot: None, kept=lambda store, spot, name: rows[spot[0]])


def told(rows, names):
    """How many warnings are given of faces with these names."""
    persons = {(n, 0): name for n, name in enumerate(names)}
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        warn_of_mixed_names(album_of(rows), None, persons)
    return [str(one.message) for one in found]


@pytest.fixture
def people():
    """Twelve people, three photos of each, a little different."""
    rng = np.random.default_rng(0)
    own = np.repeat(rng.normal(size=(12, 128)), 3, axis=0)
    return own + 0.5 * rng.normal(size=own.shape)


def test_folders_of_people_are_fine(people):
    assert told(people, [f"p{n // 3}" for n in range(36)]) == []


def test_folders_of_occasions_are_told(people):
    """The same twelve people were on each of three occasions."""
    (said,) = told(people, [f"party-{n % 3}" for n in range(36)])
    assert said.startswith("3 of 3 people with several photos look like several people each")
    assert "party" not in said, "messages name nobody"


def test_a_slip_among_many_is_not_told(people):
    names = [f"p{n // 3}" for n in range(36)]
    names[0], names[3] = names[3], names[0]
    assert told(people, names) == []


def test_single_photos_tell_nothing(people):
    assert told(people, [f"p{n}" for n in range(36)]) == []


class _Enough(Exception):
    pass


def test_a_run_looks_at_the_names_it_is_given(album, tmp_path, monkeypatch):
    def stop(*_):
        raise _Enough

    monkeypatch.setattr(mixed_names, "_likeness", lambda *_: 0.1)
    with pytest.warns(MixedPeopleWarning, match="2 of 2 people"), pytest.raises(_Enough):
        deidentify(album, tmp_path / "out", k=3, persons="folder", jobs=1, review=stop)

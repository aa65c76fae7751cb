"""Very many faces: the figures of comparing all at once, in memory that grows with n alone."""

import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest

from ksame.attacks import many, unaligned
from ksame.attacks.case import Trial
from ksame.attacks.inside import inside_groups
from ksame.attacks.measure import measure
from ksame.attacks.outcomes import reference_of
from ksame.attacks.rates import release_rates
from ksame.recognition.contract import euclidean
from ksame.release.unaligned import _rates

RATES = ("rank1", "rank1_other", "without_donors", "top_is_donor")


class Euclid:
    """Compares by distance, and remembers how many pairs were asked for at most."""

    name = "euclid"

    def __init__(self):
        self.most = 0

    def distances(self, probes, gallery):
        self.most = max(self.most, len(probes) * len(gallery))
        return euclidean(probes, gallery)


def world(count, people, groups, noise=0.8):
    """Originals and released faces that are told apart sometimes."""
    rng = np.random.default_rng(1)
    whose = np.sort(rng.integers(0, people, count))
    before = rng.normal(size=(people, 6))[whose] + 0.3 * rng.normal(size=(count, 6))
    after = before + noise * rng.normal(size=(count, 6))
    persons = np.array([f"person {i:04d}" for i in whose])
    return before, after, persons, [int(i) % groups for i in whose]


def told_at_once(before, after, persons, groups, donors):
    """All figures from one matrix of all faces."""
    trial = Trial(euclidean(after, before), persons, persons, np.arange(len(persons)), donors)
    reference = reference_of(euclidean(before, before), persons)
    return measure("euclid", "naive", (trial,), (reference,), groups).as_dict()


@pytest.mark.parametrize("most", [many.MOST, 20])
def test_blocks_tell_what_all_faces_at_once_tell(monkeypatch, most):
    before, after, persons, groups = world(150, 30, 5)
    donors = tuple((f"person {(g + 7) % 30:04d}",) for g in groups)
    whole = told_at_once(before, after, persons, groups, donors)
    monkeypatch.setattr(many, "MOST", most)
    found = release_rates(Euclid(), before, after, persons, groups=groups, donors=donors).as_dict()
    assert {name: found[name] for name in RATES} == {name: whole[name] for name in RATES}
    assert found["cmc"] == whole["cmc"]
    if most > len(persons):  # else thresholds are those of some faces
        for name in ("tar_1pct", "open_1pct", "single_donor", "inside_groups"):
            assert found[name] == whole[name]
        assert found["area"] == pytest.approx(whole["area"])
        assert found["equal_error"] == pytest.approx(whole["equal_error"])
    else:
        assert found["area"] == pytest.approx(whole["area"], abs=0.1)
        assert found["inside_groups"]["other"]["trials"] <= 5 * most


def test_all_faces_of_a_release_are_never_compared_at_once():
    before, after, persons, groups = world(4000, 1000, 200)
    recogniser = Euclid()
    tracemalloc.start()
    found = release_rates(recogniser, before, after, persons, groups=groups)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.probes == 4000
    assert recogniser.most <= many.MOST**2 < 4000**2
    assert peak < 300e6  # all at once, and what is counted on that: 1.2 GB


def test_what_numbers_tell_is_compared_group_by_group(monkeypatch):
    """The same rates as from one matrix of all faces, which is never made."""
    before, _, persons, groups = world(300, 60, 10)
    scale = unaligned.spread_within(before, persons)
    trial = Trial(unaligned.weighed(before, before, scale), persons, persons, np.arange(300))
    whole = inside_groups(trial, groups)
    asked = []

    def apart(a, b, real=unaligned.apart):
        asked.append(len(a) * len(b))
        return real(a, b)

    monkeypatch.setattr(unaligned, "apart", apart)
    faces = [SimpleNamespace(person=p, group=g) for p, g in zip(persons, groups, strict=True)]
    found = _rates("parameters", before, before, faces)
    assert found["parameters"]["other"] == whole.as_dict()["other"]
    assert "very" not in found["parameters"]
    assert sum(asked) < 300**2 / 5


def test_of_a_very_large_group_some_faces_are_compared(monkeypatch):
    before, after, persons, _ = world(400, 5, 1)
    whole = inside_groups(
        Trial(euclidean(after, before), persons, persons, np.arange(400)), [0] * 400
    )
    monkeypatch.setattr(many, "MOST", 100)
    some = inside_groups(
        Trial(euclidean(after, before), persons, persons, np.arange(400)), [0] * 400
    )
    assert (whole.very.trials, some.very.trials) == (400, 100)
    assert some.other.value == pytest.approx(whole.other.value, abs=0.15)

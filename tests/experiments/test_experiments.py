"""Small versions of the experiments, on the built-in synthetic people."""

import json

import numpy as np
import pytest

from ksame.errors import InputError
from ksame.experiments import furthest, gross, linked, model, newton
from ksame.experiments.advice import OwnFaces, choose_k, operating_points
from ksame.experiments.named import EXPERIMENTS, find_experiments, run_experiments
from ksame.experiments.outcome import Claim, Experiment, Outcome, Plot
from ksame.experiments.stills import load

NAMES = {
    "newton-table1",
    "newton-threshold",
    "newton-noise",
    "newton-ksame",
    "gross-privacy",
    "gross-utility",
    "model-privacy",
    "model-utility",
    "model-pixelation",
    "furthest-privacy",
    "intersection",
}


@pytest.fixture(scope="module")
def stills():
    """24 of the built-in people, neutral and smiling."""
    everyone = load([], None)
    few = np.unique(everyone.persons)[:24]
    kept = np.isin(everyone.persons, few) & np.isin(everyone.expression, ["neutral", "smile"])
    return everyone.take(np.flatnonzero(kept))


def claims(outcome):
    return {c.says: c for c in outcome.claims}


def test_every_experiment_has_a_name():
    assert set(EXPERIMENTS) == NAMES
    assert [e.name for e in find_experiments("all")] == list(EXPERIMENTS)
    with pytest.raises(InputError, match="'newton-table2' is not known"):
        find_experiments("newton-table2")


def test_built_in_people_are_registered(stills):
    assert stills.newton.shape == (48, 134, 99)
    assert stills.gross.shape == (48, 92, 81)
    first, second = stills.pairs("neutral", "smile")
    assert (stills.persons[first] == stills.persons[second]).all()
    assert "p0" not in repr(stills)
    with pytest.raises(InputError, match="0 people show both"):
        stills.pairs("neutral", "anger")


def test_newton_table_1(stills):
    found = claims(newton.table1(stills))
    assert found["unaltered: 100% naive and parrot"].agrees
    assert found["bar, parrot: above 99.8%"].agrees
    assert found["pixelate-15, parrot: above 99.8%"].agrees
    assert found["blackout, parrot: 0%, no better than guessing"].agrees


def test_newton_k_same_stays_below_one_in_k(stills):
    outcome = newton.ksame(stills)
    assert outcome.claims[0].agrees
    assert {row["level"] for row in outcome.rows} == {2.0, 3.0, 5.0, 10.0}


@pytest.mark.slow
def test_newton_figures(stills):
    found = claims(newton.threshold(stills))
    assert found["parrot reaches 100% (threshold 65)"].agrees
    noise = claims(newton.noise(stills))
    assert noise["little noise does not stop naive recognition"].agrees
    assert noise["parrot circumvents it"].agrees


@pytest.mark.slow
def test_gross_utility(stills, monkeypatch):
    monkeypatch.setattr(gross, "KS", (2, 5))
    found = gross.utility(stills)
    select = [c for c in found.claims if "Select raises" in c.says]
    assert len(select) == 2
    assert all(c.agrees for c in select)


@pytest.mark.slow
def test_gross_privacy_with_eigenfaces_alone(stills, monkeypatch):
    class Blind:
        """Stands in for a deep recogniser: sees the mean colour alone."""

        def __init__(self):
            self.name = "blind"

        def fit(self, training, persons=None):
            return self

        def describe(self, faces):
            return np.asarray(faces, float).mean((1, 2))

        def distances(self, probes, gallery):
            return np.linalg.norm(probes[:, None] - gallery[None], axis=2)

    monkeypatch.setattr(gross, "SFace", Blind)
    monkeypatch.setattr(gross, "find_spec", lambda name: None)
    monkeypatch.setattr(gross, "BLUR", (5,))
    monkeypatch.setattr(gross, "PIXELATION", (1, 5))
    monkeypatch.setattr(gross, "DEEP", ((5,), (5,)))
    monkeypatch.setattr(gross, "KS", (2, 3))
    outcome = gross.privacy(stills)
    below = [c for c in outcome.claims if "below 1/k" in c.says]
    assert len(below) == 2
    assert all(c.agrees for c in below)


@pytest.mark.slow
def test_model_experiments(stills, monkeypatch):
    monkeypatch.setattr(model, "KS", (2, 5))
    assert model.privacy(stills).claims[0].agrees
    assert len(model.utility(stills).claims) == 3
    found = model.pixelation(stills)
    assert found.claims[0].agrees
    assert {row["attack"] for row in found.rows} == {"naive", "auto-parrot", "enhance"}


@pytest.mark.slow
def test_furthest_is_zero_in_its_own_space(stills):
    found = furthest.privacy(stills, splits=1)
    assert found.claims[0].agrees
    assert found.claims[0].ours == "0.0000"


def test_intersection_breaks_independent_releases_only(stills):
    found = linked.intersection(stills)
    assert all(c.agrees for c in found.claims)


def test_results_are_written(stills, tmp_path, monkeypatch):
    made = Outcome(
        ({"rate": 0.5},),
        (Claim("X", "half", "0.5", True),),
        Plot(panels={"p": {"line": ([1, 2], [0.5, 0.4])}}, xlabel="k"),
        people=2,
        faces=2,
        protocol="none",
    )
    tiny = Experiment("tiny", "X Figure 1", "A test", "london", lambda stills: made)
    monkeypatch.setattr("ksame.experiments.named._stills", lambda e, root: stills)
    seen = []
    run_experiments([tiny], None, tmp_path, lambda e, o, s: seen.append(e.name))
    written = json.loads((tmp_path / "results.json").read_text())
    assert written["agrees"] is True
    assert written["claims"][0]["says"] == "half"
    assert written["data"] == "built-in synthetic people"
    assert (tmp_path / "plot.png").stat().st_size > 3000
    assert seen == ["tiny"]


@pytest.mark.slow
def test_advice_names_a_k(stills):
    first, _ = stills.pairs("neutral", "smile")
    small = stills.crops[first][:, ::2, ::2]
    own = OwnFaces(small, stills.persons[first])
    points = operating_points(own, ks=(2, 5))
    assert [p.k for p in points] == [2, 5]
    assert all(p.recognition.value <= p.bound + 1e-9 for p in points)
    assert points[0].loss < points[-1].loss
    assert choose_k(points, 0.25).proven == 5
    with pytest.raises(InputError, match="'magic' is not known"):
        operating_points(own, "magic")

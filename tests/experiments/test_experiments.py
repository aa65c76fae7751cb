"""Small versions of the experiments, on the built-in synthetic people."""

import json

import numpy as np
import pytest

from ksame.attacks.advice import OwnFaces, choose_k, operating_points
from ksame.attacks.bench import Protocol, Universe, run
from ksame.errors import InputError
from ksame.experiments import (
    alterations,
    furthest,
    gross,
    gross_utility,
    linked,
    model,
    newton,
    newton_ksame,
)
from ksame.experiments.named import EXPERIMENTS, find_experiments, run_experiments
from ksame.experiments.stills import load
from ksame.recognition import Eigenfaces

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


def rates(outcome, **wanted):
    """The rank-1 rates of the rows that have all the given values."""
    return [
        row["rank1"]["rate"]
        for row in outcome.rows
        if all(row.get(name) == value for name, value in wanted.items())
    ]


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
    assert stills.digest() == load([], None).take(_rows_of(stills)).digest()
    assert stills.digest() != stills.take(first).digest()
    with pytest.raises(InputError, match="0 people show both"):
        stills.pairs("neutral", "anger")


def _rows_of(stills):
    """Where these stills are among all of the built-in people's."""
    everyone = load([], None)
    names = list(zip(everyone.persons, everyone.expression, strict=True))
    return [names.index(p) for p in zip(stills.persons, stills.expression, strict=True)]


def test_newton_table_1(stills):
    found = newton.table1(stills)
    for attack in ("naive", "reverse", "parrot"):
        assert rates(found, method="original", attack=attack) == [1.0]
        assert rates(found, method="blackout", attack=attack)[0] == pytest.approx(1 / 24)
    assert rates(found, method="bar", attack="parrot") == [1.0]
    assert found.tables[0].columns[:3] == ("method", "naive", "naive: paper")
    ranks, rates_by_rank = found.more_plots["figure14"].panels["T mask, naive"]["t-mask"]
    assert list(ranks) == list(range(1, 25))
    assert rates_by_rank[-1] == 1.0
    by_method = {row[0]: row for row in found.tables[0].rows}
    assert by_method["t-mask"][2] == ".01"


def test_newton_k_same_is_run_with_other_seeds(stills, monkeypatch):
    monkeypatch.setattr(newton_ksame, "RUNS", 3)
    found = newton_ksame.ksame(stills)
    assert {row["level"] for row in found.rows} == {2.0, 3.0, 5.0, 10.0}
    naive = [r for r in found.rows if (r["attack"], r["method"]) == ("naive", "pixel")]
    assert {row["probes"] for row in naive} == {72}
    assert {row["rank1"]["people"] for row in naive} == {24}


@pytest.mark.slow
def test_newton_figures(stills):
    found = newton.threshold(stills)
    assert rates(found, level=65.0, attack="parrot") == [1.0]
    noise = newton.noise(stills)
    assert rates(noise, method="noise", level=0.1, attack="naive") == [1.0]
    # black and white noise starts from black and white images
    assert rates(noise, method="noise-bw", level=0.1, attack="naive") == [1.0]


@pytest.mark.slow
def test_gross_utility_can_fail(stills, monkeypatch):
    """A Select that shows noise is at chance, where the papers' folds call it perfect."""
    monkeypatch.setattr(gross_utility, "KS", (2,))
    honest = gross_utility.utility(stills)
    assert {row["task"] for row in honest.rows} == {"gender", "expression"}

    class Noise(gross_utility.KSameSelect):
        def fit_transform(self, X, y=None, classes=None, persons=None):
            super().fit_transform(X, y, classes=classes, persons=persons)
            made = np.random.default_rng(0).normal(size=(self.labels_.max() + 1, X.shape[1]))
            return 128 + 40 * made[self.labels_]

    monkeypatch.setattr(gross_utility, "KSameSelect", Noise)
    noise = gross_utility.utility(stills)
    accuracy = {
        row["protocol"]: row["accuracy"]["rate"]
        for row in noise.rows
        if (row["task"], row["method"]) == ("expression", "select")
    }
    assert accuracy["folds of people alone, as in the paper"] > 0.75
    assert accuracy["released faces, none in two folds"] < 0.75
    assert accuracy["trained on originals"] < 0.75
    raised = [v for v in noise.verdicts if "expression: Select raises" in v.says]
    assert raised[0].verdict != "agrees"


@pytest.mark.slow
def test_gross_privacy_with_a_blind_recogniser(stills, monkeypatch):
    class Blind:
        """Stands in for a deep recogniser: sees the mean colour alone."""

        name, learns, dim = "blind", False, 3

        def fit(self, training, persons=None):
            return self

        def describe(self, faces):
            return np.asarray(faces, float).mean((1, 2))

        def distances(self, probes, gallery):
            return np.linalg.norm(probes[:, None] - gallery[None], axis=2)

    monkeypatch.setattr(gross, "SFace", Blind)
    monkeypatch.setattr(gross, "find_spec", lambda name: None)
    monkeypatch.setattr(gross, "BLUR", (17,))
    monkeypatch.setattr(gross, "PIXELATION", (9,))
    monkeypatch.setattr(gross, "DEEP", ((17,), (9,)))
    monkeypatch.setattr(gross, "KS", (2, 3))
    found = gross.privacy(stills)
    assert {row["recogniser"] for row in found.rows} == {
        "eigenfaces",
        "eigenfaces-mahalanobis",
        "blind",
    }
    for k in (2.0, 3.0):
        assert max(rates(found, method="k-same", level=k)) <= 1 / k + 1e-9
    # two photos of a person in a group of images: fewer than k people share a face
    assert max(rates(found, method="two photos each, by images", level=2.0)) > 0.5


def test_a_level_of_blur_is_a_variance():
    """G 5.2 states variances, M and N deviations."""
    face = np.zeros((1, 41, 41))
    face[0, 20, 20] = 255.0
    by_variance = alterations.blur(9.0)(face, np.zeros(1, np.intp))[0]
    assert np.array_equal(by_variance, alterations.ad_hoc("blur", 3.0)(face, np.zeros(1))[0])
    offsets = np.arange(41) - 20
    spread = (by_variance.sum(axis=0) * offsets**2).sum() / by_variance.sum()
    assert spread == pytest.approx(9.0, rel=0.05)


def test_a_broken_method_is_seen(stills):
    """A "k-Same" that leaves one person alone is recognised above 1/k by the bench."""
    neutral = stills.pairs("neutral", "smile")[0]
    faces = stills.newton[neutral]

    def broken(shown, people):
        made = alterations.k_same(lambda: newton_ksame.KSamePixel(2, random_state=0))(shown, people)
        return np.where(people[:, None, None] < 6, shown, made)

    found = run(
        Universe(faces, faces),
        {"broken": {2.0: broken}},
        [Eigenfaces()],
        ["informed"],
        Protocol(training=0.0, splits=1),
    )
    assert found[0].measured.rank1.value > 0.55


@pytest.mark.slow
def test_model_experiments(stills, monkeypatch):
    monkeypatch.setattr(model, "KS", (2, 5))
    private = model.privacy(stills)
    assert max(rates(private, method="k-same-m", level=5.0)) <= 0.2 + 1e-9
    useful = model.utility(stills)
    assert len(useful.tables[0].rows) == 2 + len(model.BLUR) + 2 * 2
    found = model.pixelation(stills)
    assert {row["attack"] for row in found.rows} == {"naive", "auto-parrot", "enhance"}
    assert found.verdicts[0].verdict == "agrees"


@pytest.mark.slow
def test_furthest_runs_the_paper_s_algorithm_and_ours(stills, monkeypatch):
    monkeypatch.setattr(furthest, "KS", (2, 3))
    found = furthest.privacy(stills, splits=1)
    for method in furthest.METHODS:
        assert len(rates(found, method=method, recogniser="aam")) == 2
    assert rates(found, method="furthest enforced, by people", recogniser="aam") == [0.0, 0.0]


def test_intersection_breaks_independent_releases_only(stills):
    found = linked.intersection(stills)
    for row in found.rows:
        if row["grouping"] == "independent":
            assert row["informed"] > 1 / row["k"]
        else:
            assert row["informed"] <= 1 / row["k"] + 1e-9
            assert row["eigenfaces"]["hits"] / row["eigenfaces"]["trials"] <= 1 / row["k"] + 1e-9


@pytest.mark.slow
def test_two_runs_write_the_same_bytes(stills, tmp_path, monkeypatch):
    monkeypatch.setattr("ksame.experiments.named._stills", lambda e, root: stills)
    monkeypatch.setattr(newton_ksame, "RUNS", 2)
    chosen = [EXPERIMENTS[n] for n in ("newton-ksame", "model-pixelation", "intersection")]
    for folder in ("one", "two"):
        run_experiments(chosen, None, tmp_path / folder)
    for experiment in chosen:
        one, two = (
            (tmp_path / folder / experiment.name / "results.json").read_bytes()
            for folder in ("one", "two")
        )
        assert one == two
        written = json.loads(one)
        assert "seconds" not in written
        assert written["faces_digest"] == stills.digest()


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

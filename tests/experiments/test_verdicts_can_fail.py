"""Every verdict that an experiment words by itself, shown to fail on a method that is broken.

Verdicts by the four rules (`matches`, `orders`, `exceeds`, `stays`) are shown to come out every way
in `test_outcome.py`.
"""

import ast

import numpy as np
import pytest

from ksame.experiments import furthest, model, newton, newton_ksame
from ksame.experiments.outcome import Cells
from ksame.experiments.stills import load
from ksame.recognition import Eigenfaces

BY_THEMSELVES = {"newton.py": 2, "newton_ksame.py": 1, "model.py": 1, "furthest.py": 1}


@pytest.fixture(scope="module")
def stills():
    """24 of the built-in people, neutral and smiling."""
    everyone = load([], None)
    few = np.unique(everyone.persons)[:24]
    kept = np.isin(everyone.persons, few) & np.isin(everyone.expression, ["neutral", "smile"])
    return everyone.take(np.flatnonzero(kept))


def verdict(outcome, words):
    """The verdict on the statement with these words."""
    (found,) = [v.verdict for v in outcome.verdicts if words in v.says]
    return found


def test_this_file_knows_every_verdict_that_is_worded_by_itself(repository):
    found = {}
    for file in (repository / "src/ksame/experiments").glob("*.py"):
        if file.name == "outcome.py":
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Verdict":
                found[file.name] = found.get(file.name, 0) + 1
    assert found == BY_THEMSELVES


def test_reverse_as_naive(stills, monkeypatch):
    """Methods that a reverse attack undoes, and methods that do nothing."""

    def dim(name, level=None, scale=1.0):
        return lambda faces, people: faces

    with monkeypatch.context() as patched:
        patched.setattr(newton, "ad_hoc", dim)
        assert verdict(newton.table1(stills), "reverse performs as naive") == "agrees"

    def only_naive_fails(name, level=None, scale=1.0):
        return lambda faces, people: 255.0 - faces

    with monkeypatch.context() as patched:
        patched.setattr(newton, "ad_hoc", only_naive_fails)
        original = Cells.rate

        def rate(self, method, attack="naive", level=None, recogniser=None):
            attack = "parrot" if attack == "reverse" else attack
            return original(self, method, attack, level, recogniser)

        patched.setattr(Cells, "rate", rate)
        assert verdict(newton.table1(stills), "reverse performs as naive") == "differs"


def test_noise_beyond_half(stills, monkeypatch):
    assert verdict(newton.noise(stills), "beyond about half") == "agrees"

    def harmless(name, level=None, scale=1.0):
        return lambda faces, people: faces

    monkeypatch.setattr(newton, "ad_hoc", harmless)
    assert verdict(newton.noise(stills), "beyond about half") == "differs"


def test_pixel_and_eigen_alike(stills, monkeypatch):
    monkeypatch.setattr(newton_ksame, "RUNS", 2)
    monkeypatch.setattr(newton_ksame, "KS", (2, 3))
    monkeypatch.setattr(newton_ksame, "_eigen", newton_ksame._pixel)
    assert verdict(newton_ksame.ksame(stills), "pixel and eigen differ by") == "agrees"
    monkeypatch.setattr(newton_ksame, "_eigen", lambda k, seed: lambda faces, people: faces)
    assert verdict(newton_ksame.ksame(stills), "pixel and eigen differ by") == "differs"


@pytest.mark.slow
def test_a_k_same_m_that_ignores_k_does_not_decline(stills, monkeypatch):
    monkeypatch.setattr(model, "KS", (2, 3, 5))

    def ignores_k(drawn, codes, k):
        made = drawn.draw(codes)
        return lambda faces, people: made[people]

    monkeypatch.setattr(model, "_k_same_m", ignores_k)
    assert verdict(model.privacy(stills), "declines steadily") == "differs"


@pytest.mark.slow
def test_methods_that_show_noise_are_not_above_blur(stills, monkeypatch):
    monkeypatch.setattr(model, "KS", (2,))

    class Noise(model.KSameSelect):
        def fit_transform(self, X, y=None, classes=None, persons=None, sensitive=None):
            super().fit_transform(X, y, classes=classes, persons=persons)
            made = np.random.default_rng(0).normal(size=(self.labels_.max() + 1, X.shape[1]))
            return X.mean() + X.std() * made[self.labels_]

    monkeypatch.setattr(model, "KSameSelect", Noise)
    found = model.utility(stills)
    assert verdict(found, "k-Same (k = 2) is above blur") != "agrees"
    assert verdict(found, "k-Same-M (k = 2) is above blur") != "agrees"


@pytest.mark.slow
def test_an_algorithm_that_changes_nothing_is_not_zero(stills, monkeypatch):
    monkeypatch.setattr(furthest, "KS", (2,))
    broken = {**furthest.METHODS, "furthest as printed": lambda codes, persons, shown, k: codes}
    monkeypatch.setattr(furthest, "METHODS", broken)
    found = furthest.privacy(stills, splits=1)
    assert verdict(found, "always 0") == "differs"
    assert verdict(found, "stays far below k-Same-M") == "differs"


def test_eigenfaces_can_be_wrong(stills):
    """The bench's own recogniser: other people's faces are not recognised as one's own."""
    neutral = stills.pairs("neutral", "smile")[0]
    faces = stills.newton[neutral]
    trained = Eigenfaces().fit(faces)
    distances = trained.distances(
        trained.describe(np.roll(faces, 1, axis=0)), trained.describe(faces)
    )
    assert (np.argmin(distances, axis=1) != np.arange(len(faces))).all()

"""The papers' protocol on face sets: attacks, splits, intersection."""

import numpy as np
import pytest

from ksame.attacks.bench import Protocol, Universe, run, unaltered
from ksame.attacks.intersection import candidates, fused_ranking, informed_rate
from ksame.attacks.levels import pixelate
from ksame.errors import InputError
from ksame.grouping import closest
from ksame.metrics.cmc import curve
from ksame.recognition import CodeSpace, Eigenfaces

N = 60


@pytest.fixture(scope="module")
def universe():
    """60 people, smooth faces of 24 x 18, and a second photo of each."""
    rng = np.random.default_rng(0)
    basis = rng.standard_normal((25, 24, 18)).cumsum(1).cumsum(2)
    basis /= basis.std((1, 2), keepdims=True)
    weights = rng.standard_normal((N, 25)) * 12
    other = weights + rng.standard_normal((N, 25)) * 1.5
    faces = [np.clip(128 + np.tensordot(w, basis, 1), 0, 255) for w in (weights, other)]
    return Universe(*faces)


def k_same(k):
    def alter(faces, rows):
        labels = closest(faces.reshape(len(faces), -1), k, random_state=0)
        means = np.stack([faces[labels == g].mean(0) for g in range(labels.max() + 1)])
        return means[labels]

    return alter


def pixels(p):
    return lambda faces, rows: np.stack([pixelate(f, p) for f in faces])


def by(rows, method, attack="naive"):
    return next(r.cmc.rank1.value for r in rows if (r.method, r.attack) == (method, attack))


def test_attacks_on_a_masked_face(universe):
    def mask(faces, rows):
        out = faces.copy()
        out[:, 5:14] = 0
        return out

    methods = {"none": {0: unaltered}, "mask": {0: mask}}
    found = run(
        universe,
        methods,
        [Eigenfaces(20)],
        ["naive", "reverse", "parrot", "informed"],
        Protocol(training=0.3, splits=2),
    )
    assert by(found, "none") > 0.9
    assert by(found, "mask") < 0.3
    assert by(found, "mask", "parrot") > 0.8
    assert by(found, "mask", "informed") == 1.0
    assert all(0 <= r.as_dict()["rank1"]["rate"] <= 1 for r in found)


@pytest.mark.parametrize("k", [2, 5])
def test_k_same_stays_at_one_in_k_for_every_attack(universe, k):
    same = Universe(universe.gallery, universe.gallery)
    found = run(
        same,
        {"k-same": {k: k_same(k)}},
        [Eigenfaces(20), CodeSpace(lambda f: f.reshape(len(f), -1))],
        ["naive", "reverse", "parrot", "informed"],
        Protocol(training=0.0, splits=1),
    )
    assert all(r.cmc.rank1.value <= 1 / k + 1e-9 for r in found)


def test_automatic_parrot_and_enhancement_beat_naive(universe):
    attacks = ["naive", "auto-parrot", "enhance"]
    found = run(universe, {"p": {6: pixels(6)}}, [Eigenfaces(20)], attacks)
    assert by(found, "p", "auto-parrot") >= by(found, "p") - 0.02


def test_splits_are_disjoint_and_repeatable():
    protocol = Protocol(training=0.3, splits=5, people=30, seed=4)
    first, again = (list(protocol.divisions(60)) for _ in range(2))
    for (train, rows), (train2, rows2) in zip(first, again, strict=True):
        assert not set(train) & set(rows)
        assert (len(train), len(rows)) == (18, 30)
        np.testing.assert_array_equal(rows, rows2)
        np.testing.assert_array_equal(train, train2)
    train, rows = next(Protocol(training=0.0).divisions(10))
    np.testing.assert_array_equal(train, rows)


def test_wrong_input_is_named(universe):
    with pytest.raises(InputError, match="one face per person"):
        Universe(universe.gallery, universe.probe[:5])
    with pytest.raises(InputError, match="'magic' is not known"):
        run(universe, {}, [], ["magic"])
    with pytest.raises(InputError, match="both sides of a universe"):
        Universe(universe.gallery, universe.probe, np.arange(N))
    with pytest.raises(InputError, match="universe: it is closed"):
        Universe(universe.gallery, universe.probe, np.arange(N), np.full(N, 3))


def test_several_photos_of_a_person_are_one_person(universe):
    """Two gallery and two probe photos each: k counts people, and intervals do as well."""
    both = np.concatenate([universe.gallery, universe.probe])
    people = np.tile(np.arange(N), 2)
    several = Universe(both, both, people, people)
    attacks = ["naive", "parrot", "intersection", "furthest-original"]
    found = run(several, {"none": {0: unaltered}}, [Eigenfaces(20)], attacks)
    assert [r.attack for r in found] == attacks
    assert by(found, "none") == 1.0
    naive = found[0].measured
    assert naive.probes == 5 * 84
    assert naive.rank1.people <= N
    assert naive.rank1_other.value > 0.9  # another photo of the person, not the very same
    assert by(found, "none", "furthest-original") < 0.1


def test_the_bench_trains_heads_on_other_people(universe):
    def mirrored(faces, people):
        return faces[:, :, ::-1]

    space = CodeSpace(lambda f: f.reshape(len(f), -1), "pixels")
    found = run(universe, {"m": {0: mirrored}}, [space], ["naive", "trained", "linear-head"])
    assert [r.attack for r in found] == ["naive", "trained", "linear-head"]
    assert by(found, "m", "linear-head") > by(found, "m") + 0.2


def test_two_independent_releases_are_broken_and_consistent_ones_are_not(universe):
    k = 4
    rng = np.random.default_rng(1)
    flat = universe.gallery.reshape(N, -1)
    one, two = (np.repeat(np.arange(N // k), k)[rng.permutation(N)] for _ in range(2))
    assert informed_rate([one]) == pytest.approx(1 / k)
    assert informed_rate([one, one]) == pytest.approx(1 / k)
    assert informed_rate([one, two]) > 2 / k
    assert candidates([one]).tolist() == [k] * N
    faces = [np.stack([flat[g == i].mean(0) for i in range(N // k)])[g] for g in (one, two)]
    model = CodeSpace()
    alone, both, consistent = (
        curve(fused_ranking(model, flat, seen, k=k)).rank1.value
        for seen in (faces[:1], faces, [faces[0], faces[0]])
    )
    assert alone == consistent <= 1 / k + 1e-9
    assert both > 1 / k + 0.1
    with pytest.raises(InputError, match="same people"):
        candidates([one, two[:5]])

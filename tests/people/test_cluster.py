"""Clustering of faces into people, on made-up embeddings and on real ones."""

import csv

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ksame.errors import InputError
from ksame.media import read_photo
from ksame.people import cluster_people
from ksame.people.cluster import HIGHEST, LOWEST, place_threshold
from ksame.vision import embed_sface, find_faces


def made_up(people: int, photos: int, spread: float, seed: int = 0):
    """Unit vectors of people who are strangers to each other, and whose they are."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(people, 128))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    X = np.repeat(centres, photos, axis=0) + spread / np.sqrt(128) * rng.normal(
        size=(people * photos, 128)
    )
    return X / np.linalg.norm(X, axis=1, keepdims=True), np.repeat(np.arange(people), photos)


def pairwise_f1(labels, persons) -> float:
    upper = np.triu_indices(len(persons), 1)
    found = (labels[:, None] == labels[None])[upper]
    true = (np.asarray(persons)[:, None] == np.asarray(persons)[None])[upper]
    return 2 * float((found & true).sum()) / float(found.sum() + true.sum())


def test_people_are_found():
    X, persons = made_up(60, 4, spread=0.6)
    labels, uncertain = cluster_people(X, np.arange(len(X)))
    assert (labels == persons).all()
    assert uncertain == []


def test_order_of_faces_does_not_matter():
    X, _ = made_up(30, 3, spread=0.9, seed=3)
    order = np.random.default_rng(0).permutation(len(X))
    labels = cluster_people(X, np.arange(len(X))).labels
    shuffled = cluster_people(X[order], np.arange(len(X))).labels
    assert pairwise_f1(shuffled, labels[order]) == 1.0


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    faces=st.integers(1, 60),
    photos=st.integers(1, 20),
    alike=st.floats(0.0, 3.0),
)
def test_two_faces_of_one_photo_are_never_one_person(seed, faces, photos, alike):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(faces, 16)) + alike  # the larger the shift, the more alike all are
    where = rng.integers(0, photos, faces)
    labels = cluster_people(X, where).labels
    assert len(set(zip(labels.tolist(), where.tolist(), strict=True))) == faces
    assert set(labels.tolist()) == set(range(int(labels.max()) + 1))


def test_a_person_with_very_many_photos_stays_one():
    """Bursts of nearly equal photos: each face's nearest neighbours are all in its own burst."""
    rng = np.random.default_rng(0)
    person = rng.normal(size=128)
    bursts = person + 0.7 * rng.normal(size=(6, 128))
    X = np.repeat(bursts, 80, axis=0) + 0.01 * rng.normal(size=(480, 128))
    strangers = made_up(100, 1, spread=0.0, seed=9)[0]
    labels = cluster_people(np.vstack([X, 11 * strangers]), np.arange(580)).labels
    assert len(set(labels[:480].tolist())) == 1
    assert len(set(labels.tolist())) == 101


def test_one_person_alone_is_not_split():
    """Where all are alike there are no strangers to place the threshold by."""
    X, _ = made_up(1, 50, spread=0.7)
    assert set(cluster_people(X, np.arange(50)).labels.tolist()) == {0}


def test_near_decisions_are_listed():
    a = np.array([1.0, 0.0, 0.0])
    b = np.array([0.42, np.sqrt(1 - 0.42**2), 0.0])
    c = np.array([0.0, 0.0, 1.0])
    labels, uncertain = cluster_people(np.stack([a, b, c]), [0, 1, 2], threshold=0.4)
    assert labels.tolist() == [0, 0, 1]
    assert uncertain == [(0, 1)]
    labels, uncertain = cluster_people(np.stack([a, b, c]), [0, 1, 2], threshold=0.45)
    assert labels.tolist() == [0, 1, 2]
    assert uncertain == [(0, 1)]


def test_twins_in_one_photo_are_listed():
    X = np.ones((2, 8))
    labels, uncertain = cluster_people(X, [5, 5])
    assert labels.tolist() == [0, 1]
    assert uncertain == [(0, 1)]


def test_the_threshold_stays_in_its_range():
    for people, spread in ((1, 0.1), (50, 0.5), (500, 1.5)):
        X, _ = made_up(people, 5, spread)
        assert LOWEST <= place_threshold(X, np.arange(len(X))) <= HIGHEST


def test_no_faces():
    labels, uncertain = cluster_people(np.zeros((0, 128)), [])
    assert len(labels) == 0
    assert uncertain == []


def test_bad_input():
    with pytest.raises(InputError, match="one photo each"):
        cluster_people(np.zeros((3, 4)), [0, 1])
    with pytest.raises(InputError, match="finite"):
        cluster_people(np.full((2, 4), np.nan), [0, 1])


@pytest.mark.slow
def test_two_real_sets(data):
    """London and IMM, 444 photos of 142 people: pairwise F1, and nobody is split."""
    with (data / "faces.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["set"] in ("london", "imm")]
    embeddings, persons = [], []
    for row in rows:
        rgb = read_photo(data / row["image"]).rgb
        embeddings.append(embed_sface(rgb, find_faces(rgb, finest=320)[0]))
        persons.append(row["person"])
    labels = cluster_people(np.stack(embeddings), np.arange(len(rows))).labels
    assert pairwise_f1(labels, persons) >= 0.99
    assert all(
        len({label for label, owner in zip(labels, persons, strict=True) if owner == person}) == 1
        for person in set(persons)
    )


def test_an_index_finds_the_people_that_all_pairs_give():
    from sklearn.metrics import adjusted_rand_score

    X, _ = made_up(800, 4, spread=0.8, seed=5)
    exact = cluster_people(X, np.arange(len(X)))
    indexed = cluster_people(X, np.arange(len(X)), index_from=1)
    again = cluster_people(X, np.arange(len(X)), index_from=1)
    assert adjusted_rand_score(exact.labels, indexed.labels) >= 0.999
    assert (indexed.labels == again.labels).all()


def test_without_an_index_all_pairs_are_compared(monkeypatch):
    from ksame.people import neighbours

    X, persons = made_up(60, 4, spread=0.6)
    monkeypatch.setattr(neighbours, "find_spec", lambda name: None)
    assert (cluster_people(X, np.arange(len(X)), index_from=1).labels == persons).all()

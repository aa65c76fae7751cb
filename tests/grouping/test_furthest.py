"""F figure 2, enforced: nobody is recognised under the distance of the groups."""

import numpy as np
import pytest

from ksame.errors import GuaranteeError
from ksame.grouping import View, furthest
from ksame.grouping.furthest import nearest_rows
from ksame.metrics import count_recognised


def test_every_group_gets_the_mean_of_another_and_nobody_is_recognised():
    X = np.random.default_rng(0).normal(size=(43, 5))
    swap = furthest(X, 4, 0)
    sizes = np.bincount(swap.labels)
    assert (sizes >= 4).all()
    assert (sizes < 8).all()
    assert (swap.source != np.arange(len(sizes))).all()
    for group, source in enumerate(swap.source):
        mean = X[swap.labels == source].mean(axis=0)
        np.testing.assert_allclose(swap.surrogates(X)[group], mean)
    assert count_recognised(X, swap.surrogates(X)[swap.labels], None) == 0


def test_far_groups_lose_more_identity_than_close_ones():
    X = np.random.default_rng(1).normal(size=(40, 5))
    swap = furthest(X, 5, 0)
    means = swap.surrogates(X)[swap.labels]
    assert (
        np.linalg.norm(X - means, axis=1).mean() > np.linalg.norm(X - X.mean(axis=0), axis=1).mean()
    )


def test_two_groups_on_a_line_swap():
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    swap = furthest(X, 2, 0)
    released = swap.surrogates(X)[swap.labels]
    np.testing.assert_allclose(released[:, 0], [10.5, 10.5, 0.5, 0.5])


def test_too_few_people_for_two_groups():
    with pytest.raises(GuaranteeError, match="k=3 needs at least 6 people"):
        furthest(np.random.default_rng(0).normal(size=(5, 2)), 3, 0)


def test_identical_faces_cannot_reach_zero_and_are_refused():
    with pytest.raises(GuaranteeError, match="nearest original"):
        furthest(np.ones((8, 3)), 2, 0)


def test_a_gallery_of_all_rows_is_kept_at_zero_too():
    rng = np.random.default_rng(2)
    centres = rng.normal(size=(12, 3))
    rows = np.repeat(centres, 4, axis=0) + rng.normal(size=(48, 3))
    owners = np.repeat(np.arange(12), 4)
    people = rows.reshape(12, 4, 3).mean(axis=1)
    swap = furthest(people, 2, 0, [View(people, rows, owners)])
    released = swap.surrogates(people)[swap.labels]
    assert count_recognised(rows, released[owners], owners) == 0
    assert count_recognised(people, released, None) == 0


def test_nearest_rows_names_all_that_tie():
    gallery = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 0.0], [1.0, 1.0]])
    found = list(nearest_rows(np.array([[0.1, 0.0], [1.0, 0.0]]), gallery))
    assert found[0].tolist() == [0, 2]
    assert found[1].tolist() == [0, 1, 2, 3]


def test_nearest_rows_equals_a_plain_search():
    rng = np.random.default_rng(3)
    gallery, points = 100 + rng.normal(size=(300, 7)), 100 + rng.normal(size=(150, 7))
    for point, rows in zip(points, nearest_rows(points, gallery), strict=True):
        assert rows.tolist() == [int(np.argmin(((gallery - point) ** 2).sum(axis=1)))]

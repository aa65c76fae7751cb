"""Attackers who do not align: they find what passes, and nothing where nothing passes."""

import numpy as np
import pytest

from ksame.attacks.case import Trial
from ksame.attacks.inside import inside_groups
from ksame.attacks.sightings import place, sight
from ksame.attacks.table import ATTACKS
from ksame.attacks.unaligned import spread_within, weighed
from ksame.datasets.demo_people import demo_people
from ksame.vision import find_faces

PERSONS = np.repeat([f"p{i:02d}" for i in range(20)], 2)
GROUPS = [i // 10 for i in range(40)]
OWN = np.arange(40)


def trial(distances):
    return Trial(distances, PERSONS, PERSONS, OWN)


def test_a_place_of_ones_own_is_found_inside_a_group():
    rng = np.random.default_rng(0)
    rows = np.repeat(rng.normal(size=(20, 4)), 2, axis=0) + rng.normal(0, 0.02, (40, 4))
    found = inside_groups(trial(weighed(rows, rows, spread_within(rows, PERSONS))), GROUPS)
    assert found.fair == pytest.approx(0.2)
    assert found.very.value == 1.0
    assert found.other.value > 0.95


def test_a_shared_place_is_found_as_often_as_by_guessing():
    rng = np.random.default_rng(1)
    originals = rng.normal(size=(40, 4))
    shared = np.repeat(rng.normal(size=(4, 4)), 10, axis=0)
    found = inside_groups(
        trial(weighed(shared, originals, spread_within(originals, PERSONS))), GROUPS
    )
    assert found.very.low <= 0.2 <= found.very.high


def test_equal_rows_tie():
    rows = np.ones((40, 3)) * 0.1
    found = inside_groups(trial(weighed(rows, rows, np.ones(3))), GROUPS)
    assert found.very.value == pytest.approx(0.2)
    assert found.other.value == pytest.approx(0.2)


def test_without_groups_nothing_is_said():
    assert inside_groups(trial(np.zeros((40, 40))), ()) is None


def test_the_table_has_them_all():
    named = {name for name, attack in ATTACKS.items() if not attack.aligned}
    assert {"geometry", "parameters", "residual", "ghost", "counts"} <= named


def test_a_place_is_told_over_the_photos_size():
    points = np.array([[40.0, 50.0], [60.0, 50.0]])
    one, two = place(points, (100, 100, 3)), place(points * 2, (200, 200, 3))
    np.testing.assert_allclose(one, two)
    assert one[1] == 0


def test_a_face_is_seen_as_it_lies():
    rgb = demo_people().image(0)
    seen = sight(rgb, find_faces(rgb)[0])
    assert all(np.isfinite(row).all() for row in seen.values())
    assert set(seen) == {"places", "regions", "around", "silhouettes", "numbers"}

"""Figures of an attack on matrices so small that a reader can count them."""

import numpy as np

from ksame.attacks.case import Trial
from ksame.attacks.measure import measure
from ksame.attacks.outcomes import Reference

GALLERY = np.array(["ada", "ada", "bob", "bob"])
PROBES = np.array(["ada", "bob"])
# the very photo is always the nearest; ada's other photo is next for ada, ada's is next for bob
DISTANCES = np.array([[0.1, 0.2, 0.6, 0.7], [0.3, 0.8, 0.1, 0.5]])
TRIAL = Trial(DISTANCES, GALLERY, PROBES, np.array([0, 2]))


def test_rank_1_without_the_very_photo():
    """Ada is found by her other photo (0.2), Bob is taken for Ada (0.3 before 0.5)."""
    found = measure("r", "naive", [TRIAL])
    assert found.cmc.rank1.value == 1
    assert found.rank1_other is not None
    assert found.rank1_other.value == 0.5


def test_accepts_at_the_threshold_of_different_people():
    """No pair of different people lies below 0.15: Ada's own photo does, Bob's are too far.

    That Bob's probe is very near to Ada is no accept.
    """
    distances = np.array([[0.1, 0.2, 0.6, 0.7], [0.05, 0.8, 0.5, 0.6]])
    trial = Trial(distances, GALLERY, PROBES, np.array([0, 2]))
    pairs = np.linspace(0.15, 1, 5000)
    found = measure("r", "naive", [trial], [Reference(pairs, pairs[:2])])
    assert found.tar_01pct is not None
    assert found.tar_01pct.value == 0.5


def test_donors_are_taken_out_of_the_gallery_unless_they_are_the_person():
    """Bob's surrogate is made of Ada: she is the best match, and out of the gallery Bob is."""
    shown = Trial(DISTANCES[::-1], GALLERY, PROBES, np.array([0, 2]), (("bob",), ("ada",)))
    found = measure("r", "naive", [shown])
    assert found.cmc.rank1.value == 0
    assert found.without_donors is not None
    assert found.without_donors.value == 1
    assert found.top_is_donor is not None
    assert found.top_is_donor.value == 1

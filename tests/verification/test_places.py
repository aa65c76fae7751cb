"""Heads lie on coarse steps, and as many at a common place as the certificate counts."""

import numpy as np
import pytest

from ksame.composite.placing import Place
from ksame.verification import verify
from ksame.verification.places import steps_of


def said(forged):
    return " | ".join(map(str, verify(forged.out, forged.ledger).findings))


@pytest.mark.parametrize("steps", [(-24, 0, 0, 0), (-30, 2, -3, 5), (-12, -2, 7, 1)])
def test_the_verifier_reads_the_writers_steps(steps):
    size = (640, 480)
    assert steps_of(tuple(map(tuple, Place(*steps).matrix(size))), size) == steps


def test_all_heads_of_one_studio_lie_at_common_places(release):
    """But for the one of the photo that has another shape."""
    assert release.certificate["measured"]["placement"] == {"shared": 12, "own": 1}


def test_a_head_that_is_moved_off_its_step(forged):
    def nudge(certificate, ledger):
        face = next(f for f in ledger["faces"] if f["placement"])
        matrix = np.array(face["placement"])
        matrix[0, 2] += 3.0
        face["placement"] = matrix.tolist()

    forged.edit(nudge)
    assert "lies between the steps" in said(forged)


def test_common_places_are_counted_anew(forged):
    def boast(certificate, ledger):
        certificate["measured"]["placement"] = {"shared": 99, "own": 0}

    forged.edit(boast)
    assert said(forged) == (
        "certificate.json: counts heads at common places otherwise than the photos show"
    )

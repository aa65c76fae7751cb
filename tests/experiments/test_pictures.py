"""The papers' pictures of faces, on people who do not exist."""

import numpy as np
import pytest

from ksame.errors import InputError
from ksame.experiments.pictures import PICTURES, draw_pictures
from ksame.experiments.stills import load


@pytest.fixture(scope="module")
def stills():
    everyone = load([], None)
    few = np.unique(everyone.persons)[:16]
    kept = np.isin(everyone.persons, few) & np.isin(everyone.expression, ["neutral", "smile"])
    return everyone.take(np.flatnonzero(kept))


def test_a_picture_is_drawn_by_name(stills, tmp_path):
    made = draw_pictures(stills, tmp_path, ["newton-figure13", "gross-figure4"], ks=(2, 3))
    assert [path.name for path in made] == ["newton-figure13.png", "gross-figure4.png"]
    assert all(path.stat().st_size > 20_000 for path in made)
    with pytest.raises(InputError, match="'figure1' is not known"):
        draw_pictures(stills, tmp_path, ["figure1"])


def test_select_keeps_the_expression_that_plain_k_same_may_lose(stills):
    """G Figures 3 and 4: the first row of Select is the mean of neutral faces alone."""
    first, second = stills.pairs("neutral", "smile")
    found = PICTURES["gross-figure4"](stills, (5,)).rows
    neutral = stills.gross[first].astype(float).mean(axis=0)
    smile = stills.gross[second].astype(float).mean(axis=0)
    mouth = (slice(60, 80), slice(20, 60))
    for name, own, other in (("neutral", neutral, smile), ("smile", smile, neutral)):
        face = found[name][1][mouth]
        assert np.abs(face - own[mouth]).mean() < np.abs(face - other[mouth]).mean()


@pytest.mark.slow
def test_all_pictures_are_drawn(stills, tmp_path):
    assert len(draw_pictures(stills, tmp_path, ks=(2, 3))) == len(PICTURES) == 11

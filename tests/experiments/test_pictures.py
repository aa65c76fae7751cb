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


def test_two_people_and_what_becomes_of_them(stills):
    """N Figures 4 and 5: nothing is left of either, and both are the same face."""
    black = PICTURES["newton-figure4"](stills, ()).rows
    assert all(np.ptp(row[1]) == 0 for row in black.values())
    mean = list(PICTURES["newton-figure5"](stills, ()).rows.values())
    assert np.array_equal(mean[0][1], mean[1][1])
    assert np.allclose(mean[0][1], (mean[0][0] + mean[1][0]) / 2, atol=0.51)


def test_every_figure_of_the_papers_that_shows_faces_has_a_picture():
    """N 1-5, 13, 17; G 1-5; M 2-4, 7; F 5, 7, 8 (the others are curves, code or sketches)."""
    wanted = {"newton": (1, 2, 3, 4, 5, 13, 17), "gross": (1, 2, 3, 4, 5)}
    wanted |= {"model": (2, 3, 4, 7), "furthest": (5, 7, 8)}
    assert set(PICTURES) == {f"{paper}-figure{n}" for paper, ns in wanted.items() for n in ns}


@pytest.mark.slow
def test_all_pictures_are_drawn(stills, tmp_path):
    assert len(draw_pictures(stills, tmp_path, ks=(2, 3))) == len(PICTURES) == 19

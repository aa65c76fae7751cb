"""Tones are set right: the regression tells them nearer to the middle than they are."""

import numpy as np

from ksame.vision.tone import true_tone


def test_fair_and_dark_skin_is_told_further_from_the_middle():
    assert true_tone(44.0) > 47
    assert true_tone(-26.0) < -29
    assert true_tone(9.0) == 9.0


def test_a_darker_answer_never_makes_a_lighter_tone():
    told = [true_tone(said) for said in np.linspace(-90, 90, 181)]
    assert (np.diff(told) >= 0).all()

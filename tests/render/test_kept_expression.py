"""The expression of a model face is read as the person's is, and clearly on its side of a limit."""

import numpy as np
import pytest

from ksame.codecs.face import EXPRESSION_NAMES
from ksame.render.expression import _clear, _laid, _read, read_expression
from ksame.vision import Landmarks

SMILES = [EXPRESSION_NAMES.index(name) for name in ("smileLeft", "smileRight")]
LIDS = [EXPRESSION_NAMES.index(name) for name in ("blinkLeft", "blinkRight")]


def weights_of(values, places, model):
    weights = model.neutral
    weights[places] = values
    return weights


@pytest.mark.parametrize(("read", "limit", "places"), [(0.22, 0.2, SMILES), (0.52, 0.5, LIDS)])
def test_what_lies_at_a_limit_is_moved_away_from_it(model, read, limit, places):
    above = _clear(weights_of(read, places, model)[:-2])[places].min()
    below = _clear(weights_of(2 * limit - read, places, model)[:-2])[places].max()
    assert above > read + 0.05
    assert below < 2 * limit - read - 0.05


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_what_is_clear_stays(model, value):
    for places in (SMILES, LIDS):
        weights = weights_of(value, places, model)[:-2]
        assert np.allclose(_clear(weights)[places], value)


def test_the_model_face_reads_as_the_person_does(model, identity):
    person = model.faces.codes[40]
    smiling = model.shape(person, weights_of(0.8, SMILES, model))[:478].astype(np.float64) * 120
    marks = Landmarks(smiling[:, :2] + 200, smiling[:, 2], 1.0)
    wanted = _read(marks.points)[SMILES].mean()
    shown = _read(
        _laid(model.shape(identity, read_expression(model, marks, identity)), marks.points)
    )
    assert wanted > 0.4
    assert shown[SMILES].mean() == pytest.approx(wanted, abs=0.2)


def test_a_mouth_is_not_crushed_to_be_read_as_the_persons(model):
    """Lips of another build are read otherwise whatever they do."""
    place, most = EXPRESSION_NAMES.index("pucker"), []
    weights = weights_of(0.6, [place], model)
    for person, shown in ((3, 77), (40, 500), (168, 16), (511, 441), (549, 125), (92, 301)):
        points = model.shape(model.faces.codes[person], weights)[:478].astype(np.float64) * 120
        marks = Landmarks(points[:, :2] + 200, points[:, 2], 1.0)
        found = read_expression(model, marks, model.faces.codes[shown])[place]
        most.append(found - _read(marks.points)[place])
    assert max(most) <= 0.11


def test_a_face_without_landmarks_of_its_own_rests(model, identity, pose):
    marks = pose()
    rough = Landmarks(marks.points, marks.depth, 0.0)
    assert np.array_equal(read_expression(model, rough, identity), model.neutral)


@pytest.mark.parametrize("code", [3, 77, 500])
def test_lips_open_as_far_as_the_persons(model, identity, code):
    """A wide smile on other lips does not gape, and one that shows teeth is not shut."""
    weights = weights_of(0.8, SMILES, model)
    weights[EXPRESSION_NAMES.index("upperUp")] = 0.5
    points = model.shape(model.faces.codes[code], weights)[:478].astype(np.float64) * 120
    marks = Landmarks(points[:, :2] + 200, points[:, 2], 1.0)
    shown = _laid(model.shape(identity, read_expression(model, marks, identity)), marks.points)

    def opening(at):
        return float(np.hypot(*(at[13, :2] - at[14, :2])) / np.hypot(*(at[33, :2] - at[263, :2])))

    assert opening(shown) == pytest.approx(opening(marks.points), abs=0.025)


def test_narrow_eyes_of_a_smile_are_shown_as_slits_and_closed_ones_closed(model):
    """A smile is read as one whatever the eyes do: cheeks that narrow them close no eye."""
    smiling = weights_of(0.8, SMILES, model)[:-2]
    shown = []
    for read in (0.3, 0.45, 0.55, 0.8):
        smiling[LIDS] = read
        shown.append(float(_clear(smiling)[LIDS].max()))
    assert shown == sorted(shown)
    assert shown[2] < 0.45
    assert shown[3] > 0.75

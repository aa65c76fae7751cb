"""What the parts of a head say of a face that is guarded: everybody's things, everybody's hair."""

from dataclasses import replace

import numpy as np
import pytest
from parts_views import SIDE, dark, rims, shows

from ksame.render.by_parts import seen_by_parts
from ksame.render.draw import LOWER_CORE, UPPER_CORE
from ksame.render.front import _front
from ksame.render.guards import LADDER
from ksame.vision.parts import BACKGROUND, BODY_SKIN, HAIR, THINGS

FINEST, COARSE, DRAWN, LAST = LADDER[0], LADDER[2], LADDER[5], LADDER[-1]


def test_guarded_faces_wear_no_glasses(scores, view):
    rims(scores)
    assert seen_by_parts(scores, dark(view, scores)).frame.any()
    layers = seen_by_parts(scores, dark(view, scores), guard=LADDER[1])
    assert not layers.frame.any()
    assert not (layers.kept & view.face).any()


def test_guarded_faces_wear_a_mask_in_everybodys_shape_and_in_the_colour_of_theirs(scores, view):
    """Two masks of other edges are drawn alike."""
    shapes = []
    for top, left in ((52, 16), (46, 22)):
        own = scores.copy()
        shows(own, THINGS, slice(top, 92), slice(left, 96 - left))
        masked = replace(view, part=np.where((own[..., THINGS] > 0)[..., None], 40, view.part))
        layers = seen_by_parts(own, masked, guard=LADDER[1])
        front = _front(masked, layers)
        assert not front.cells[view.face].any()
        assert np.abs(np.array(front.paint[:3]) * 4.0 - 40).max() <= 4
        shapes.append(front.veil)
    np.testing.assert_array_equal(*shapes)
    assert shapes[0][view.core == LOWER_CORE].mean() > 0.7
    assert not shapes[0][view.core == UPPER_CORE].any()


def test_a_guarded_face_without_a_mask_gets_none(scores, view):
    assert not seen_by_parts(scores, view, guard=LADDER[1]).veil.any()


def test_a_fringe_is_kept_with_a_coarser_line_before_everybodys_is_drawn(scores, view):
    shows(scores, HAIR, slice(0, 29), slice(0, SIDE))
    fine, coarse, drawn = (
        seen_by_parts(scores, view, guard=guard) for guard in (FINEST, COARSE, DRAWN)
    )
    assert coarse.kept[:, 48].sum() < fine.kept[:, 48].sum()
    assert coarse.kept[16, 44:52].all()
    assert not drawn.kept[:, 40:56].any()
    assert drawn.frame[16, 44:52].all()
    hair = np.where((scores[..., HAIR] > 0)[..., None], 30, view.part)
    front = _front(replace(view, part=hair), drawn)
    assert np.abs(np.array(front.frame_paint[:3]) * 4.0 - 30).max() <= 4


@pytest.mark.parametrize("guard", [DRAWN, LAST])
def test_drawn_hair_is_everybodys_whatever_the_own_line_is(scores, view, guard):
    drawn = []
    for depth in (20, 29):
        own = scores.copy()
        shows(own, HAIR, slice(0, depth), slice(0, SIDE))
        shows(own, HAIR, slice(0, 60), slice(0, 20))
        drawn.append(seen_by_parts(own, view, guard=guard))
    assert drawn[0].frame.any()
    np.testing.assert_array_equal(drawn[0].frame, drawn[1].frame)
    assert not (drawn[1].kept & view.face).any()


def test_a_bald_head_gets_no_hair(scores, view):
    assert not seen_by_parts(scores, view, guard=LAST).frame.any()


def test_nothing_that_is_worn_or_held_is_left_with_the_last_guard(scores, view):
    shows(scores, THINGS, slice(52, 92), slice(16, 80))
    shows(scores, BODY_SKIN, slice(20, 96), slice(66, 84))
    layers = seen_by_parts(scores, view, guard=LAST)
    assert not layers.veil.any()
    assert not (layers.kept & view.face).any()


def test_drawn_hair_is_never_laid_over_the_features(view):
    rng = np.random.default_rng(0)
    for _ in range(20):
        blocks = rng.integers(0, 6, (8, 8)).repeat(12, axis=0).repeat(12, axis=1)
        layers = seen_by_parts(np.eye(6, dtype=np.float32)[blocks], view, guard=DRAWN)
        assert layers is None or not (layers.frame & (view.core > 0)).any()


def test_what_lies_behind_the_head_stays_where_hair_is_drawn(scores, view):
    shows(scores, BACKGROUND, slice(0, SIDE), slice(66, SIDE))
    layers = seen_by_parts(scores, view, guard=DRAWN)
    assert layers.kept[48, 76:80].all()
    assert not layers.frame[48, 76:80].any()

"""What the parts of a head say lies in front: kept beside the features, drawn over them."""

from dataclasses import replace

import numpy as np
import pytest
from parts_views import SIDE, dark, rims, shows

from ksame.render.by_parts import behind, seen_by_parts
from ksame.render.cells import without_islands
from ksame.render.draw import LOWER_CORE
from ksame.render.front import _front
from ksame.render.guards import LADDER
from ksame.vision.parts import BACKGROUND, BODY_SKIN, FACE_SKIN, HAIR, THINGS


def test_a_bare_face_has_nothing_in_front(scores, view):
    layers = seen_by_parts(scores, view)
    assert not layers.kept.any()
    assert not layers.veil.any()
    assert not layers.frame.any()


def test_a_network_that_sees_no_face_is_not_believed(scores, view):
    scores[:] = np.eye(6)[BACKGROUND]
    assert seen_by_parts(scores, view) is None


def test_a_mask_is_drawn_and_not_kept(scores, view):
    shows(scores, THINGS, slice(52, 92), slice(16, 80))
    layers = seen_by_parts(scores, view)
    lower = view.core == LOWER_CORE
    assert layers.veil[lower].mean() > 0.8
    assert not layers.kept.any()
    assert not layers.frame.any()


def test_rims_of_glasses_are_drawn(scores, view):
    rims(scores)
    layers = seen_by_parts(scores, dark(view, scores))
    assert layers.frame[34:36, 26:42].all()
    assert not layers.frame[38:44, 26:42].any()  # the eyes behind the glass
    assert not layers.kept.any()


def test_a_bright_edge_before_the_eyes_is_no_pair_of_glasses(scores, view):
    """It is a mask's upper edge or a brim."""
    rims(scores)
    white = replace(view, part=view.part + 80 * (scores[..., THINGS] > 0)[..., None])
    layers = seen_by_parts(scores, white)
    assert not layers.frame.any()
    assert not layers.kept.any()


def test_the_brim_of_a_hat_is_no_pair_of_glasses(scores, view):
    shows(scores, THINGS, slice(0, 36), slice(0, SIDE))
    layers = seen_by_parts(scores, dark(view, scores))
    assert not layers.frame.any()
    assert layers.kept[20:26, 30:66].all()


def test_what_hides_all_of_the_eyes_is_no_pair_of_glasses(scores, view):
    shows(scores, THINGS, slice(28, 52), slice(10, 86))
    assert not seen_by_parts(scores, view).frame.any()


def test_a_hand_is_kept_beside_the_mouth_and_drawn_over_it(scores, view):
    shows(scores, BODY_SKIN, slice(54, 96), slice(44, 84))
    layers = seen_by_parts(scores, view)
    assert layers.kept[56:74, 64:70].all()
    assert layers.veil[56:74, 46:58].all()
    assert not (layers.kept & (view.core > 0)).any()


def test_a_fringe_is_kept_and_the_hair_line_is_not(scores, view):
    shows(scores, HAIR, slice(0, 9), slice(0, SIDE))
    assert not seen_by_parts(scores, view).kept.any()
    shows(scores, HAIR, slice(0, 29), slice(0, SIDE))
    layers = seen_by_parts(scores, view)
    assert layers.kept[20, 40:56].all()
    assert not layers.kept[28, 24:72].any()  # drawn back from its own edge


def test_whatever_a_network_says_nothing_is_kept_on_the_features(view):
    rng = np.random.default_rng(0)
    for _ in range(20):
        blocks = rng.integers(0, 6, (8, 8)).repeat(12, axis=0).repeat(12, axis=1)
        layers = seen_by_parts(np.eye(6, dtype=np.float32)[blocks], view)
        if layers is None:
            continue
        front = _front(view, layers)
        assert front is None or not (front.cells & (view.core > 0)).any()


def test_half_of_a_pair_of_glasses_is_no_bar_over_one_eye(scores, view):
    for row in (34, 46):
        shows(scores, THINGS, slice(row, row + 2), slice(24, 44))
    assert not seen_by_parts(scores, view).frame.any()


def test_the_upper_edge_of_a_mask_is_no_pair_of_glasses(scores, view):
    shows(scores, THINGS, slice(43, 49), slice(24, 72))
    shows(scores, THINGS, slice(52, 92), slice(16, 80))
    layers = seen_by_parts(scores, view)
    assert layers.veil.any()
    assert not layers.frame.any()


def test_hair_beside_the_face_stays_without_its_own_line(scores, view):
    shows(scores, HAIR, slice(0, 96), slice(0, 24))
    scores[::3, 24:27] = np.eye(6)[HAIR]  # curls along its edge
    kept = seen_by_parts(scores, view).kept
    assert kept[58:66, 16:19].all()
    assert not kept[40:70, 24:].any()  # drawn back
    edge = [int(np.flatnonzero(row).max()) for row in kept[58:66]]
    assert np.ptp(edge) <= 1, "and even"


def test_what_is_seen_beside_a_turned_head_stays(scores, view):
    shows(scores, BACKGROUND, slice(0, 96), slice(60, 96))
    assert not seen_by_parts(scores, view, around=False).kept.any()  # in clips it would flicker
    kept = seen_by_parts(scores, view).kept
    assert kept[40:60, 78:82].all()
    assert not kept[view.core > 0].any()


def test_a_strand_is_painted_over(scores, view):
    shows(scores, HAIR, slice(0, 30), slice(46, 49))
    assert not (seen_by_parts(scores, view).kept & view.face).any()


def test_the_background_stays_beside_a_face_that_is_wider_than_the_head(scores, view):
    """Also where nothing else is kept; a margin along the head is drawn over."""
    shows(scores, BACKGROUND, slice(0, SIDE), slice(66, SIDE))
    kept = behind(scores, view)
    assert kept[48, 76:80].all()
    assert not kept[20:76, :67].any()
    assert not kept[view.core > 0].any()
    assert not (kept & (view.alpha == 0)).any()


def test_a_little_of_the_background_stays_as_well(scores, view):
    """Skin that is drawn over it would stick out of the head like a horn."""
    shows(scores, BACKGROUND, slice(14, 32), slice(72, SIDE))
    kept = seen_by_parts(scores, view).kept
    assert (kept & view.face).any()
    assert not kept[:, :70].any()


def test_a_patch_of_forehead_above_a_brim_is_not_drawn(scores, view):
    """Or it looks torn: the face that is drawn is one piece."""
    shows(scores, THINGS, slice(16, 26), slice(0, SIDE))
    scores[:16] = np.eye(6)[FACE_SKIN]  # what the network takes a hat's band for
    kept = seen_by_parts(scores, view).kept
    assert not kept[8:14, 40:56].any()
    assert without_islands(kept, view)[8:26, 40:56].all()


def test_a_brim_beside_the_eyes_is_no_pair_of_glasses(scores, view):
    """Rims are thin: what is thick is a cap's shadow."""
    for columns in (slice(24, 44), slice(52, 72)):
        for row in (34, 46):
            shows(scores, THINGS, slice(row, row + 2), columns)
    shows(scores, THINGS, slice(30, 44), slice(62, 76))
    frame = seen_by_parts(scores, dark(view, scores)).frame
    assert frame[34:36, 26:42].all()
    assert not frame[37:42, 64:74].any()


def test_rims_thinner_than_a_pixel_are_neither_drawn_nor_kept(scores, view):
    """Small faces wear no glasses: of rims a smudge would be left."""
    rims(scores)
    shows(scores, THINGS, slice(40, 43), slice(72, SIDE))  # a temple, beside the eyes
    layers = seen_by_parts(scores, replace(view, cells_a_pixel=1.6))
    assert not layers.frame.any()
    assert not (layers.kept & view.face).any()
    large = replace(dark(view, scores), cells_a_pixel=0.6)
    assert seen_by_parts(scores, large).frame.any()


def test_a_lens_that_mirrors_is_no_patch_over_one_eye(scores, view):
    shows(scores, THINGS, slice(32, 48), slice(24, 46))
    shows(scores, THINGS, slice(32, 37), slice(52, 70))
    assert not seen_by_parts(scores, view).frame.any()
    shows(scores, THINGS, slice(32, 48), slice(50, 72))
    assert seen_by_parts(scores, dark(view, scores)).frame[36:44, 26:44].all()


def test_lenses_as_bright_as_skin_get_rims_alone(scores, view):
    """They mirror the sky or are clear: filled, they would be a board before the eyes."""
    rims(scores)
    seen = dark(view, scores)
    for columns in (slice(24, 46), slice(50, 72)):
        shows(scores, THINGS, slice(34, 48), columns)
    frame = seen_by_parts(scores, seen).frame
    assert frame[34:36, 26:42].all()
    assert not frame[37:45, 26:42].any()


def test_what_dark_glasses_hide_below_the_eyes_is_not_kept_in_pieces(scores, view):
    for columns in (slice(24, 46), slice(50, 72)):
        shows(scores, THINGS, slice(32, 52), columns)
    shows(scores, THINGS, slice(44, 52), slice(66, SIDE))
    layers = seen_by_parts(scores, dark(view, scores), guard=LADDER[1])
    assert not layers.frame.any()
    assert not (layers.kept & view.face)[:, 50:74].any()


def test_a_mask_is_drawn_without_holes_and_with_an_even_edge(scores, view):
    shows(scores, THINGS, slice(52, 92), slice(16, 80))
    for row in range(50, 60, 4):  # folds along its upper edge, and a fold that is taken for skin
        shows(scores, FACE_SKIN, slice(row, row + 2), slice(60, 80))
    shows(scores, FACE_SKIN, slice(74, 84), slice(44, 60))
    veil = seen_by_parts(scores, view).veil
    assert veil[70:84, 30:66].all()
    edge = [int(np.flatnonzero(column).min()) for column in veil[:, 20:76].T]
    assert np.abs(np.diff(edge)).max() <= 2


@pytest.mark.parametrize("guard", LADDER[:-1])
def test_what_is_held_before_the_mouth_is_not_made_a_mask(scores, view, guard):
    shows(scores, THINGS, slice(50, 76), slice(38, 58))  # a microphone
    veil = seen_by_parts(scores, view, guard=guard).veil
    assert veil[54:74, 40:56].all()
    assert not veil[54:88, :30].any()

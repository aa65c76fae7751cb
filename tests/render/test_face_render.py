"""A face in a photo: pure, posed rightly, and nothing of the person left under it."""

from dataclasses import replace

import numpy as np
import pytest

from ksame.render import FaceNumbers, front_mask, measure, render, replace_face
from ksame.render.anatomy import LOWER, OUTLINE, UPPER
from ksame.render.posing import posed

SIZE = (300, 300)


def changed(photo, drawn, front=None):
    copy = photo.copy()
    replace_face(copy, drawn, front)
    return copy


def test_a_render_depends_on_its_numbers_alone(model, identity, photo, pose):
    numbers = measure(model, photo, pose(), identity)
    again = FaceNumbers.from_json(numbers.as_json())
    one, two = (render(model, identity, n, SIZE) for n in (numbers, again))
    assert one.box == two.box
    assert np.array_equal(one.colour, two.colour)
    assert np.array_equal(one.alpha, two.alpha)


def test_no_pixel_of_the_face_survives_where_alpha_is_full(model, identity, photo, pose):
    """The same numbers over another face give the same released pixels."""
    drawn = render(model, identity, measure(model, photo, pose(), identity), SIZE)
    x0, y0, x1, y1 = drawn.box
    inside = np.zeros(photo.shape[:2], bool)
    inside[y0:y1, x0:x1] = drawn.alpha == 255
    noise = photo.copy()
    noise[inside] = np.random.default_rng(1).integers(0, 256, (int(inside.sum()), 3))
    one, two = changed(photo, drawn), changed(noise, drawn)
    assert np.array_equal(one, two)
    assert np.array_equal(one[y0:y1, x0:x1][drawn.alpha == 255], drawn.colour[drawn.alpha == 255])


def test_the_region_covers_the_whole_inner_face(model, identity, photo, pose):
    landmarks = pose(yaw=0.4)
    drawn = render(model, identity, measure(model, photo, landmarks, identity), SIZE)
    at = np.round(landmarks.points - drawn.box[:2]).astype(int)
    inner = [i for i in range(478) if i not in OUTLINE]
    assert (drawn.alpha[at[inner, 1], at[inner, 0]] == 255).mean() > 0.97
    core = list(UPPER) + list(LOWER)
    assert (drawn.alpha[at[core, 1], at[core, 0]] == 255).all()


@pytest.mark.parametrize(("yaw", "roll"), [(0, 0), (0.5, 0), (-0.9, 0), (0.2, 1.2), (0, 3.1)])
def test_the_model_lies_where_the_person_does(model, identity, photo, pose, yaw, roll):
    """The very face that was measured comes back within two hundredths of the eyes' distance."""
    landmarks = pose(yaw=yaw, roll=roll)
    numbers = measure(model, photo, landmarks, identity)
    shape = model.shape(identity, numbers.expression_weights)
    still = replace(numbers, outline=(0,) * 9)
    apart = posed(model, shape, still)[:468] - landmarks.points[:468]
    assert np.hypot(*apart.T).mean() < 0.06 * numbers.scale


@pytest.mark.parametrize("size", [20, 33, 60, 120, 250, 800])
def test_faces_of_every_size(model, identity, pose, size):
    side = int(size * 1.6) + 8
    rng = np.random.default_rng(size)
    photo = np.clip(rng.normal(140, 8, (side, side, 3)), 0, 255).astype(np.uint8)
    landmarks = pose(size=size, centre=(side / 2, side / 2))
    drawn = render(model, identity, measure(model, photo, landmarks, identity), (side, side))
    assert (drawn.alpha == 255).sum() > 0.4 * size * size * 0.6
    # a face, not a patch: eyes are darker than cheeks
    at = np.round(landmarks.points - drawn.box[:2]).astype(int)
    eyes, cheeks = (drawn.colour[at[i, 1], at[i, 0]].mean() for i in ([468, 473], [50, 280]))
    assert eyes < cheeks - 8


def test_the_photos_light_is_taken_over(model, identity, pose):
    """A scene that is lit from the left has a face that is lit from the left."""
    ramp = np.linspace(220, 60, 300)[None, :, None]
    photo = np.repeat(np.repeat(ramp, 300, 0), 3, 2).astype(np.uint8)
    landmarks = pose()
    drawn = render(model, identity, measure(model, photo, landmarks, identity), SIZE)
    at = np.round(landmarks.points - drawn.box[:2]).astype(int)
    left, right = (drawn.colour[at[i, 1], at[i, 0]].mean() for i in (50, 280))
    assert left > right + 25


def test_grey_photos_stay_grey(model, identity, pose):
    rng = np.random.default_rng(2)
    grey = np.repeat(rng.integers(90, 170, (300, 300, 1)), 3, 2).astype(np.uint8)
    numbers = measure(model, grey, pose(), identity)
    assert numbers.colour == "grey"
    out = changed(grey, render(model, identity, numbers, SIZE))
    assert np.ptp(out.astype(int), axis=2).max() == 0


def test_a_toned_print_stays_toned(model, identity, pose):
    rng = np.random.default_rng(2)
    level = rng.integers(60, 200, (300, 300, 1)).astype(float)
    print_ = (level * [1.0, 0.85, 0.65]).astype(np.uint8)
    numbers = measure(model, print_, pose(), identity)
    assert numbers.colour == "toned"
    drawn = render(model, identity, numbers, SIZE)
    red, green, blue = drawn.colour[drawn.alpha == 255].astype(float).T
    assert np.median(red / green) == pytest.approx(1 / 0.85, abs=0.06)
    assert np.median(blue / green) == pytest.approx(0.65 / 0.85, abs=0.06)


def test_a_face_outside_of_the_photo_changes_nothing(model, identity, photo, pose):
    far = pose(centre=(150, 150))
    numbers = measure(model, photo, far, identity)
    moved = replace(numbers, pose=(*numbers.pose[:7], 9000, 9000))
    drawn = render(model, identity, moved, SIZE)
    assert np.array_equal(changed(photo, drawn), photo)


def test_a_face_cut_by_the_frame_is_replaced_as_far_as_it_is_seen(model, identity, photo, pose):
    landmarks = pose(centre=(10, 150))
    drawn = render(model, identity, measure(model, photo, landmarks, identity), SIZE)
    x0, y0, x1, y1 = drawn.box
    assert x0 == 0
    assert drawn.alpha.shape == (y1 - y0, x1 - x0)
    assert (drawn.alpha == 255).any()


def test_sharp_photos_get_sharper_faces_than_soft_ones(model, identity, photo, pose):
    numbers = measure(model, photo, pose(), identity)
    sharp, soft = (
        render(model, identity, replace(numbers, blur=blur, grain=(0, 0, 0)), SIZE).colour
        for blur in (0, 10)
    )
    assert (
        np.abs(np.diff(sharp.astype(int), axis=1)).mean()
        > 1.3 * np.abs(np.diff(soft.astype(int), axis=1)).mean()
    )


def test_hair_over_the_forehead_stays_in_front(model, identity, photo, pose):
    landmarks = pose()
    top = landmarks.points[10, 1]
    hairy = photo.copy()
    rows = slice(0, int(top + 20))
    hairy[rows] = [25, 20, 18]
    drawn = render(model, identity, measure(model, hairy, landmarks, identity), SIZE)
    front = front_mask(hairy, drawn)
    out = changed(hairy, drawn, front)
    x = int(landmarks.points[10, 0])
    assert out[int(top + 4), x].mean() < 60  # the fringe
    assert out[int(top + 30), x].mean() > 80  # the forehead below it


def test_nothing_in_front_of_the_core_is_kept(model, identity, photo, pose):
    """Even paint across the eyes goes: in doubt the face is protected."""
    landmarks = pose()
    painted = photo.copy()
    level = int(landmarks.points[[33, 263], 1].mean())
    painted[level - 8 : level + 8] = [0, 255, 0]
    drawn = render(model, identity, measure(model, photo, landmarks, identity), SIZE)
    out = changed(painted, drawn, front_mask(painted, drawn))
    at = np.round(landmarks.points[list(UPPER) + list(LOWER)]).astype(int)
    middle = at[(at[:, 1] > level - 6) & (at[:, 1] < level + 6)]
    assert (out[middle[:, 1], middle[:, 0]] != [0, 255, 0]).any(axis=1).all()

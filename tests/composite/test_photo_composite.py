import dataclasses

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ksame import geometry
from ksame.composite import Portrait, Surrogate, composite, frame, portray
from ksame.composite.behind import head_to_remove
from ksame.composite.frame import HEAD, SCENE
from ksame.errors import InputError
from ksame.vision import find_faces

Photos = list[tuple[str, np.ndarray, Portrait]]


def in_frame(released: np.ndarray, portrait: Portrait) -> np.ndarray:
    return frame.view_of(released, portrait.matrix).astype(int)


def test_all_people_of_a_group_show_the_same_pixels(photos: Photos, surrogate: Surrogate) -> None:
    """``strict``: where the head is solid, photos differ by resampling alone."""
    for _, rgb, portrait in photos[::2]:
        look = surrogate.look(portrait.state)
        view = in_frame(composite(rgb, [portrait], [surrogate], "strict"), portrait)
        core = cv2.erode(look.solid.astype(np.uint8), np.ones((9, 9), np.uint8)) > 0
        core &= (
            cv2.erode(
                frame.covered_by_photo(rgb.shape, portrait.matrix, HEAD).astype(np.uint8),
                np.ones((9, 9)),
            )
            > 0
        )
        # a photo with few pixels blurs fine detail: compare what both can show
        expected = cv2.GaussianBlur(look.head[..., :3], (0, 0), 2.0).astype(int)
        shown = cv2.GaussianBlur(view.astype(np.uint8), (0, 0), 2.0).astype(int)
        apart = np.abs(shown - expected)[core]
        assert apart.mean() < 2.5


def test_no_pixel_of_the_original_head_is_left(photos: Photos, surrogate: Surrogate) -> None:
    """``strict``: the released photo does not depend on what the removed region showed."""
    rng = np.random.default_rng(0)
    for _, rgb, portrait in photos[::4]:
        mask = cv2.warpAffine(
            head_to_remove(portrait), geometry.inverse(portrait.to_scene), rgb.shape[1::-1]
        )
        # samples of the mask's rim reach one pixel of the scene frame further
        reach = int(np.ceil(1.5 / geometry.scale(portrait.to_scene))) + 1
        inner = cv2.erode((mask > 0.99).astype(np.uint8), np.ones((2 * reach + 1,) * 2, np.uint8))
        neck = cv2.warpAffine(
            portrait.maps[..., 2], geometry.inverse(portrait.to_scene), rgb.shape[1::-1]
        )
        inner = (inner > 0) & (neck == 0)
        other = rgb.copy()
        other[inner] = rng.integers(0, 256, (int(inner.sum()), 3), np.uint8)
        one, two = (composite(p, [portrait], [surrogate], "strict") for p in (rgb, other))
        assert inner.mean() > 0.15
        np.testing.assert_array_equal(one[inner], two[inner])


def test_the_removed_region_covers_the_face(photos: Photos) -> None:
    for _, _, portrait in photos:
        points = geometry.apply(SCENE.from_head(), portrait.points)
        x, y = np.clip(np.round(points).astype(int).T, 0, [[SCENE.width - 1], [SCENE.height - 1]])
        assert (head_to_remove(portrait)[y, x] == 1).all()


@pytest.mark.parametrize("mode", ["strict", "natural"])
def test_the_photo_itself_is_not_changed(photos: Photos, surrogate: Surrogate, mode: str) -> None:
    _, rgb, portrait = photos[0]
    before = rgb.copy()
    released = composite(rgb, [portrait], [surrogate], mode)
    np.testing.assert_array_equal(rgb, before)
    assert released.dtype == np.uint8
    assert released.shape == rgb.shape
    assert len(find_faces(released)) == 1


def test_natural_keeps_the_scene(photos: Photos, surrogate: Surrogate) -> None:
    for _, rgb, portrait in photos[::3]:
        released = composite(rgb, [portrait], [surrogate], "natural")
        x0, y0, x1, y1 = find_faces(rgb)[0].box
        size = x1 - x0
        apart = np.abs(released.astype(int) - rgb).max(axis=2)
        wide = np.zeros(apart.shape, bool)
        wide[
            max(int(y0 - 0.5 * size), 0) : int(y1 + 0.5 * size),
            max(int(x0 - 0.5 * size), 0) : int(x1 + 0.5 * size),
        ] = True
        assert apart[~wide].max(initial=0) == 0
        inner = np.s_[
            int(y0 + 0.3 * size) : int(y1 - 0.3 * size), int(x0 + 0.3 * size) : int(x1 - 0.3 * size)
        ]
        assert apart[inner].mean() > 4


def test_the_order_of_faces_does_not_matter(photos: Photos, surrogate: Surrogate) -> None:
    """Two heads that touch, the second one smaller."""
    left, right = cv2.resize(photos[0][1], (320, 320)), cv2.resize(photos[4][1], (256, 256))
    both = np.full((320, 520, 3), 128, np.uint8)
    both[:, :320] = left
    both[64:, 264:] = right
    faces = find_faces(both)
    portraits = [portray(both, face) for face in faces]
    assert len(portraits) == 2
    assert all(portraits)
    there = composite(both, portraits, [surrogate] * 2, "strict")
    back = composite(both, portraits[::-1], [surrogate] * 2, "strict")
    np.testing.assert_array_equal(there, back)
    assert len(find_faces(there)) == 2


@settings(deadline=None, max_examples=8)
@given(angle=st.floats(-35, 35), scale=st.floats(0.35, 1.6))
def test_turned_and_scaled_photos(
    photos: Photos, surrogate: Surrogate, angle: float, scale: float
) -> None:
    """The head follows the photo's rotation and scale."""
    _, rgb, portrait = photos[3]
    middle = rgb.shape[0] / 2
    side = int(rgb.shape[0] * scale)
    turn = cv2.getRotationMatrix2D((middle, middle), angle, scale)
    turn[:, 2] += side / 2 - middle
    turned = cv2.warpAffine(rgb, turn, (side, side), borderMode=cv2.BORDER_REPLICATE)
    moved = dataclasses.replace(
        portrait, matrix=geometry.then(geometry.inverse(turn), portrait.matrix)
    )
    released = composite(turned, [moved], [surrogate], "strict")
    look = surrogate.look(portrait.state)
    view = in_frame(released, moved)
    core = cv2.erode(look.solid.astype(np.uint8), np.ones((25, 25), np.uint8)) > 0
    core &= frame.covered_by_photo(turned.shape, moved.matrix, HEAD)
    blur = max(2.0, 1.2 / scale * 2)
    expected, shown = (
        cv2.GaussianBlur(i.astype(np.float32), (0, 0), blur) for i in (look.head[..., :3], view)
    )
    assert np.abs(shown - expected)[core].mean() < 3


def test_a_head_beyond_the_border(photos: Photos, surrogate: Surrogate) -> None:
    _, rgb, portrait = photos[0]
    for x, y in ((150, 0), (0, 140), (-170, -100)):
        shift = np.array([[1.0, 0, x], [0, 1.0, y]])
        moved = dataclasses.replace(portrait, matrix=geometry.then(shift, portrait.matrix))
        released = composite(rgb, [moved], [surrogate], "strict")
        assert released.shape == rgb.shape


def test_wrong_arguments(photos: Photos, surrogate: Surrogate) -> None:
    _, rgb, portrait = photos[0]
    with pytest.raises(InputError, match="strict, natural"):
        composite(rgb, [portrait], [surrogate], "blurred")
    with pytest.raises(InputError, match="1 portraits and 0 surrogates"):
        composite(rgb, [portrait], [], "strict")

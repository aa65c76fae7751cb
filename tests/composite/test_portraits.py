import dataclasses
import io

import cv2
import numpy as np
import pytest

from ksame.composite import NoPortrait, Portrait, best_portrait, person_code, portray
from ksame.composite.frame import HEAD, SCENE
from ksame.composite.traits import pose_of
from ksame.states import POSES
from ksame.vision import BLENDSHAPE_NAMES, Face, find_faces

Photos = list[tuple[str, np.ndarray, Portrait]]


def test_a_portrait_holds_the_head(photos: Photos) -> None:
    for _, rgb, portrait in photos:
        assert portrait.layer.shape == (HEAD.height, HEAD.width, 4)
        assert portrait.maps.shape == (SCENE.height, SCENE.width, 3)
        assert (portrait.layer[..., :3] <= portrait.layer[..., 3:]).all()
        nose = portrait.points[1].astype(int)
        assert portrait.layer[nose[1], nose[0], 3] == 255
        assert portrait.layer[2, 2, 3] == 0
        box, face = portrait.box, find_faces(rgb)[0].box
        assert box[0] < face[0] + 8
        assert box[1] < face[1] + 8
        assert box[2] > face[2] - 8
        assert portrait.pose in POSES


def test_a_head_at_the_edge_of_its_photo_is_cut(photos: Photos) -> None:
    _, rgb, portrait = photos[0]
    assert portrait.cut_off < 0.2  # long hair can leave a photo below
    top = int(find_faces(rgb)[0].box[1])
    cut = portray(rgb[top:].copy(), find_faces(rgb[top:].copy())[0])
    assert isinstance(cut, Portrait)
    assert portrait.cut_off + 0.02 < cut.cut_off < 0.6


def test_arrays_bring_a_portrait_back(photos: Photos) -> None:
    portrait = photos[0][2]
    file = io.BytesIO()
    np.savez(file, **portrait.to_arrays())
    assert file.tell() < 200_000
    file.seek(0)
    back = Portrait.from_arrays(np.load(file, allow_pickle=False))
    np.testing.assert_array_equal(back.layer[..., 3], portrait.layer[..., 3])
    np.testing.assert_array_equal(back.maps, portrait.maps)
    np.testing.assert_array_equal(back.neck, portrait.neck)
    assert np.abs(back.layer.astype(int) - portrait.layer).mean() < 1
    np.testing.assert_allclose(back.points, portrait.points, atol=1e-3)
    np.testing.assert_allclose(back.code, portrait.code, rtol=1e-4, atol=1e-6)
    assert back.state == portrait.state


def test_the_same_photo_gives_the_same_portrait(photos: Photos) -> None:
    _, rgb, portrait = photos[0]
    again = portray(rgb, find_faces(rgb)[0])
    for field in dataclasses.fields(Portrait):
        np.testing.assert_array_equal(getattr(again, field.name), getattr(portrait, field.name))


def test_codes_tell_people_apart(people: list[list[Portrait]]) -> None:
    codes = np.array([[p.code for p in person] for person in people])
    inside = np.linalg.norm(codes[:, 0] - codes[:, 1], axis=1).mean()
    between = np.mean([np.linalg.norm(codes[i, 0] - codes[i - 1, 0]) for i in range(len(codes))])
    assert inside < between
    plain = person_code(people[0])
    assert plain.shape == codes.shape[2:]
    assert (person_code(people[0], tone=False)[:3] == 0).all()
    assert (plain[:3] != 0).any()


def test_what_is_no_face_has_a_reason() -> None:
    flat = np.full((200, 200, 3), 120, np.uint8)
    points = np.array([[80, 80], [120, 80], [100, 100], [85, 120], [115, 120]], float)
    found = portray(flat, Face(np.array([60.0, 50, 140, 150]), 0.9, points))
    assert not found
    assert isinstance(found, NoPortrait)
    assert found.reason


def test_a_tiny_face_has_a_reason(photos: Photos) -> None:
    small = cv2.resize(photos[0][1], (20, 20), interpolation=cv2.INTER_AREA)
    face = find_faces(photos[0][1])[0]
    found = portray(small, Face(face.box / 16, 0.9, face.points / 16))
    assert not found


def test_a_head_at_the_border_is_portrayed(photos: Photos) -> None:
    rgb = photos[0][1]
    cut = rgb[:, int(find_faces(rgb)[0].box[0]) + 5 :].copy()
    faces = find_faces(cut)
    assert faces
    found = portray(cut, faces[0])
    assert found
    assert np.isfinite(found.code).all()


def test_grey_photos_are_told_from_coloured_ones(photos: Photos) -> None:
    _, rgb, portrait = photos[0]
    grey = cv2.cvtColor(cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    found = portray(grey, find_faces(grey)[0])
    assert found
    assert found.grey
    assert found.state.grey
    assert not portrait.grey


@pytest.mark.parametrize(
    ("smile", "jaw", "yaw", "pose"),
    [
        (0.0, 0.0, 0.0, "neutral"),
        (0.8, 0.0, 3.0, "smile"),
        (0.8, 0.0, 25.0, "right"),
        (0.0, 0.7, -3.0, "open"),
        (0.0, 0.7, -25.0, "left"),
    ],
)
def test_poses(smile: float, jaw: float, yaw: float, pose: str) -> None:
    coefficients = np.zeros(52)
    for name in ("mouthSmileLeft", "mouthSmileRight"):
        coefficients[BLENDSHAPE_NAMES.index(name)] = smile
    coefficients[BLENDSHAPE_NAMES.index("jawOpen")] = jaw
    assert pose_of(coefficients, yaw) == pose


def test_the_best_portrait_is_neutral(people: list[list[Portrait]]) -> None:
    for person in people:
        if any(p.pose == "neutral" for p in person):
            assert best_portrait(person).pose == "neutral"


def test_a_portrait_without_colour_keeps_its_shape(photos: Photos) -> None:
    portrait = photos[0][2]
    arrays = portrait.to_arrays()
    del arrays["colour"]
    back = Portrait.from_arrays(arrays)
    np.testing.assert_array_equal(back.layer[..., 3], portrait.layer[..., 3])
    np.testing.assert_array_equal(back.maps, portrait.maps)
    assert not back.layer[..., :3].any()


def test_pictures_that_are_left_out_are_empty_and_the_rest_is_as_it_was(photos: Photos) -> None:
    portrait = photos[0][2]
    arrays = portrait.to_arrays()
    scene = Portrait.from_arrays({n: a for n, a in arrays.items() if n not in ("colour", "masks")})
    np.testing.assert_array_equal(scene.maps, portrait.maps)
    np.testing.assert_array_equal(scene.box, portrait.box)
    assert not scene.layer.any()
    assert not scene.neck.any()
    head = Portrait.from_arrays({n: a for n, a in arrays.items() if n != "maps"})
    whole = Portrait.from_arrays(arrays)
    np.testing.assert_array_equal(head.layer, whole.layer)
    np.testing.assert_array_equal(head.neck, portrait.neck)
    for empty in (scene.layer, scene.neck, head.maps):
        with pytest.raises(ValueError, match="read-only"):
            empty[0, 0] = 1

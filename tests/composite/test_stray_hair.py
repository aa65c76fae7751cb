import numpy as np
import pytest

from ksame import geometry
from ksame.composite import Portrait
from ksame.composite.frame import SCENE
from ksame.composite.matte import Maps
from ksame.composite.stray_hair import ends_of_locks


@pytest.fixture
def scene(people: list[list[Portrait]]) -> tuple[Maps, np.ndarray, np.ndarray]:
    """A head over a wide body, the mask of what goes, and the mesh; nothing has hair's colour."""
    empty = np.zeros((SCENE.height, SCENE.width), np.float32)
    maps = Maps(*(empty.copy() for _ in range(4)))
    maps.head[60:215, 110:195] = 1
    maps.person[60:215, 110:195] = 1
    maps.person[235:, 20:285] = 1
    return maps, maps.head.copy(), geometry.apply(SCENE.from_head(), people[0][0].points)


def test_the_end_of_a_lock_on_a_shoulder_goes(scene) -> None:
    maps, removed, points = scene
    maps.hair[216:236, 196:202] = 1
    found = ends_of_locks(maps, removed, points, SCENE)
    assert (found[218:234, 197:201] == 1).all()
    assert found.sum() < 400


def test_what_is_far_from_the_head_stays(scene) -> None:
    maps, removed, points = scene
    maps.hair[236:246, 260:266] = 1
    assert not ends_of_locks(maps, removed, points, SCENE).any()


def test_a_large_piece_is_no_hair(scene) -> None:
    maps, removed, points = scene
    maps.hair[180:222, 196:222] = 1
    assert not ends_of_locks(maps, removed, points, SCENE).any()


def test_a_collar_stays_where_clothes_look_like_hair(scene) -> None:
    maps, removed, points = scene
    maps.hair[216:236, 196:202] = 1
    maps.hair[260:, 20:285] = 1
    assert not ends_of_locks(maps, removed, points, SCENE).any()

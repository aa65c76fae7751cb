import cv2
import numpy as np

from ksame.composite import Portrait
from ksame.composite.frame import HEAD, around_face
from ksame.composite.masks import radial, rho, skin_only, widths
from ksame.composite.mesh import Warp, triangulate, with_surroundings


def test_warp_onto_itself_changes_nothing(people: list[list[Portrait]]) -> None:
    portrait = people[0][0]
    warped = Warp(portrait.points)(portrait.layer, portrait.points)
    apart = np.abs(warped.astype(int) - portrait.layer)
    assert apart.mean() < 0.05
    assert np.percentile(apart, 99.9) <= 2


def test_warp_brings_points_onto_the_target(people: list[list[Portrait]]) -> None:
    source, target = people[0][0].points, people[1][0].points
    map_x, map_y = Warp(target).lookup(source)
    for number in (1, 33, 61, 152, 263, 291):
        x, y = np.round(target[number]).astype(int)
        found = np.array([map_x[y, x], map_y[y, x]])
        offset = target[number] - (x, y)
        assert np.abs(found + offset - source[number]).max() < 3


def test_a_part_is_what_the_whole_shows_there(people: list[list[Portrait]]) -> None:
    source, target = people[0][0].points, people[1][0].points
    warp = Warp(target)
    whole = warp.lookup(source)
    for part in (np.s_[40:333, 100:301], np.s_[0:512, 0:448]):
        for all_of_it, some in zip(whole, warp.lookup(source, part), strict=True):
            np.testing.assert_allclose(some, all_of_it[part], atol=1e-3)
    part = np.s_[40:333:2, 100:300:2]
    for all_of_it, some in zip(whole, warp.lookup(source, part), strict=True):
        apart = np.abs(some - all_of_it[part])  # differs at the edges of triangles alone
        assert apart.mean() < 0.02
        assert apart.max() < 1
    face = around_face(target, step=2)
    assert rho(target)[face].shape == warp.lookup(source, face)[0].shape


def test_the_border_stays() -> None:
    rng = np.random.default_rng(0)
    points = rng.uniform(150, 300, (478, 2))
    surrounded = with_surroundings(points)
    assert surrounded.min() == 0
    assert surrounded.max(axis=0).tolist() == [HEAD.width - 1, HEAD.height - 1]


def test_masks_follow_the_outline(people: list[list[Portrait]]) -> None:
    points = people[0][0].points
    reach = rho(points)
    for number in (10, 152, 234, 454):
        x, y = np.round(points[number]).astype(int)
        assert abs(reach[y, x] - 1) < 0.05
    face = radial(points, 0.9, 1.0)
    assert face[int(points[1, 1]), int(points[1, 0])] == 1
    assert face[0, 0] == 0
    skin = skin_only(points)
    eye = np.round(points[[33, 133]].mean(axis=0)).astype(int)
    cheek = np.round(points[50]).astype(int)
    assert skin[eye[1], eye[0]] < 0.2 < 0.8 < skin[cheek[1], cheek[0]]
    table = widths(points)
    assert 1.01 < table.min() < table.max() < 1.18
    assert cv2.countNonZero(face) > 0


def test_triangles_are_delaunays(people: list[list[Portrait]]) -> None:
    from scipy.spatial import Delaunay

    for person in people[:4]:
        points = with_surroundings(person[0].points)
        ours = {tuple(sorted(corners)) for corners in triangulate(points).tolist()}
        theirs = {tuple(sorted(corners)) for corners in Delaunay(points).simplices.tolist()}
        assert len(ours ^ theirs) < 0.02 * len(theirs)  # four points on a circle can go either way


def test_triangles_without_the_frame_still_cover_their_points() -> None:
    points = np.random.default_rng(0).uniform(100, 300, (60, 2))
    assert set(triangulate(points).ravel()) == set(range(60))

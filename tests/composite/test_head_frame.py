import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ksame import geometry
from ksame.composite import frame
from ksame.composite.frame import HEAD, SCENE


def mesh(right: tuple[float, float], left: tuple[float, float]) -> np.ndarray:
    points = np.zeros((478, 2))
    points[list(frame.RIGHT_EYE_CORNERS)] = right
    points[list(frame.LEFT_EYE_CORNERS)] = left
    return points


@settings(deadline=None, max_examples=40)
@given(
    x=st.floats(-500, 2000),
    y=st.floats(-500, 2000),
    apart=st.floats(6, 600),
    angle=st.floats(-np.pi, np.pi),
)
def test_eyes_come_to_their_place(x: float, y: float, apart: float, angle: float) -> None:
    left = (x + apart * np.cos(angle), y + apart * np.sin(angle))
    matrix = frame.into_frame(mesh((x, y), left))
    placed = geometry.apply(matrix, np.array([[x, y], left]))
    half = HEAD.eyes / 2
    expected = [[HEAD.width / 2 - half, HEAD.level], [HEAD.width / 2 + half, HEAD.level]]
    np.testing.assert_allclose(placed, expected, atol=1e-6)
    assert geometry.scale(matrix) == pytest.approx(HEAD.eyes / apart)


def test_a_turned_head_keeps_its_size() -> None:
    apart = 100 * np.cos(np.radians(30))
    turned = frame.into_frame(mesh((0, 0), (apart, 0)), 30)
    assert geometry.scale(turned) == pytest.approx(HEAD.eyes / 100)


def test_matrices_chain_and_invert() -> None:
    matrix = frame.into_frame(mesh((10, 20), (60, 40)))
    points = np.array([[3.0, 4.0], [100.0, 50.0]])
    both = geometry.then(matrix, SCENE.from_head())
    stepwise = geometry.apply(SCENE.from_head(), geometry.apply(matrix, points))
    np.testing.assert_allclose(geometry.apply(both, points), stepwise)
    np.testing.assert_allclose(geometry.apply(geometry.inverse(both), stepwise), points, atol=1e-9)


@pytest.mark.parametrize("finer", [1, 3, 7])
def test_a_finer_photo_gives_the_same_view(finer: int) -> None:
    y, x = np.mgrid[: 300 * finer, : 280 * finer] / finer
    photo = np.dstack([x / 2, y / 2, (x + y) / 4]).astype(np.uint8)
    matrix = frame.into_frame(mesh((100 * finer, 140 * finer), (170 * finer, 150 * finer)))
    coarse = frame.into_frame(mesh((100, 140), (170, 150)))
    y, x = np.mgrid[:300, :280].astype(float)
    expected = frame.view_of(np.dstack([x / 2, y / 2, (x + y) / 4]).astype(np.uint8), coarse)
    apart = np.abs(frame.view_of(photo, matrix).astype(int) - expected)
    inside = frame.covered_by_photo((300, 280), coarse, HEAD)
    assert apart[inside].max() <= 2


def test_inside_is_where_the_photo_is() -> None:
    matrix = np.array([[1.0, 0, 100], [0, 1.0, 50]])
    seen = frame.covered_by_photo((40, 30, 3), matrix, HEAD)
    assert seen.sum() == 40 * 30
    assert seen[50:90, 100:130].all()


def test_used_box() -> None:
    alpha = np.zeros((20, 30))
    assert frame.bounding_box(alpha) == (0, 0, 0, 0)
    alpha[4:9, 7:21] = 1
    assert frame.bounding_box(alpha) == (7, 4, 21, 9)

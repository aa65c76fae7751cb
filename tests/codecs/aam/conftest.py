"""Synthetic faces with known points: smooth blobs on a mesh that bends and changes its look."""

from dataclasses import dataclass

import cv2
import numpy as np
import pytest

from ksame.codecs.aam import ActiveAppearanceModel, Fitting, PiecewiseAffine, Pose, triangulate


@dataclass(frozen=True)
class Faces:
    images: list
    shapes: np.ndarray


def make_faces(count, seed, height=150, width=170):
    """Faces of one family: the same two shape modes and three looks for every seed."""
    family = np.random.default_rng(99)
    x, y = np.meshgrid(np.linspace(0, 60, 5), np.linspace(0, 70, 5))
    base = np.stack([x.ravel(), y.ravel()], axis=1) + family.normal(0, 1.5, (25, 2))
    bends = np.stack([0.1 * (base[:, ::-1] - 30) ** 2 / 30, 0.15 * (base - 30)])
    bends[1, :, 0] *= -1
    looks = [cv2.GaussianBlur(family.normal(0, 1, (75, 75, 3)), (0, 0), s) for s in (2, 3, 3, 4)]
    looks = [look / look.std() for look in looks]
    mesh = PiecewiseAffine(base + 2, triangulate(base), (75, 66))
    rng = np.random.default_rng(seed)
    images, shapes = [], []
    for _ in range(count):
        shape = base + np.tensordot(rng.normal(0, 0.8, 2), bends, axes=1)
        angle, scale = rng.normal(0, 0.08), rng.uniform(0.95, 1.15)
        pose = Pose(
            scale * np.exp(1j * angle), 45 + rng.uniform(-8, 8) + 1j * (38 + rng.normal(0, 6))
        )
        points = pose.apply(shape)
        look = looks[0] + 0.35 * np.tensordot(rng.normal(0, 1, 3), looks[1:], axes=1)
        texture = np.clip(128 + rng.uniform(28, 36) * look, 0, 255)[:75, :66]
        picture = np.full((height, width, 3), 96.0)
        drawn, mask = mesh.render(texture, points, (height, width))
        picture[mask] = drawn[mask]
        images.append(np.clip(picture + rng.normal(0, 1.0, picture.shape), 0, 255).astype(np.uint8))
        shapes.append(points)
    return Faces(images, np.stack(shapes))


SMALL = Fitting(
    sizes=(24, 48),
    shape_modes=(2, 2),
    appearance_modes=(6, 8),
    iterations=(20, 20),
    prior=10.0,
)


@pytest.fixture(scope="session")
def faces():
    return make_faces(24, seed=1)


@pytest.fixture(scope="session")
def unseen():
    return make_faces(6, seed=2)


@pytest.fixture(scope="session")
def small():
    return SMALL


@pytest.fixture(scope="session")
def model(faces):
    return ActiveAppearanceModel(size=64, fitting=SMALL).fit(faces.images, faces.shapes)

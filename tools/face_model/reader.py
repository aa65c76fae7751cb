"""Teach the reader of expressions what MediaPipe's network says of any face."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from tools.face_model.expressions import weights_of
from tools.face_model.frame import Frame

from ksame.codecs.face.weights import ExpressionReader

_RIDGE = 2.0
_MIXED = 14000
# parts of the face that are looked at on their own: components and random features of each
_PARTS = {"mouth": (36, 700), "eyes": (30, 350), "brows": (20, 250), "all": (30, 200)}


def _first_layers(
    frame: Frame, away: npt.NDArray[np.float32], rng: np.random.Generator
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Whitened components (956, p) of each part, and random features (p + 1, h) within parts."""
    mean = np.concatenate([frame.mean, np.tile(frame.mean[[33]], (10, 1))])
    x, y = mean[:, 0], mean[:, 1]
    near_eye = np.hypot(np.abs(x) - 0.35, y + 0.35)
    near_eye[468:] = 0
    inside = {
        "mouth": (np.abs(x) < 0.5) & (y > 0.1),
        "eyes": near_eye < 0.24,
        "brows": (y < -0.25) & (np.abs(x) < 0.75) & (near_eye > 0.05),
        "all": np.ones(len(x), bool),
    }
    blocks, features = [], []
    total = sum(count for count, _ in _PARTS.values())
    start = 0
    for name, (count, wide) in _PARTS.items():
        columns = np.repeat(inside[name], 2)
        size, vectors = np.linalg.eigh(np.cov(away[:, columns].T.astype(np.float64)))
        order = np.argsort(size)[::-1][:count]
        block = np.zeros((away.shape[1], count))
        block[columns] = vectors[:, order] / np.sqrt(size[order])
        blocks.append(block)
        feature = np.zeros((total + 1, wide))
        feature[start : start + count] = rng.normal(size=(count, wide)) / np.sqrt(count)
        feature[-1] = rng.normal(size=wide)
        features.append(feature)
        start += count
    rounded = (np.concatenate(part, axis=1).astype(np.float16) for part in (blocks, features))
    components, hidden = (np.ascontiguousarray(part).astype(np.float32) for part in rounded)
    return components, hidden


def teach_reader(frame: Frame, points: npt.NDArray[np.float32]) -> dict[str, npt.NDArray[Any]]:
    """The reader's arrays, from frontal points (n, 478, 3) of all kinds of faces.

    Faces are mixed as well: one's shape with the difference between two others', turned a little,
    so that the reader sees expressions on faces that never made them.
    """
    rng = np.random.default_rng(5)
    a, b, c = (rng.integers(len(points), size=_MIXED) for _ in range(3))
    amount = rng.uniform(0.2, 0.8, size=(_MIXED, 1, 1))
    mixed = points[a] + amount * (points[b] - points[c])
    angle = np.radians(rng.normal(0, 3, size=_MIXED))
    turn = np.stack([np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)], 1)
    mixed[..., :2] = np.einsum("nij,nkj->nki", turn.reshape(-1, 2, 2), mixed[..., :2])
    seen = np.concatenate([points, mixed]).astype(np.float32)
    said = weights_of(seen)
    flat = seen[..., :2].reshape(len(seen), -1)
    mean = flat.mean(axis=0)
    components, hidden = _first_layers(frame, flat - mean, rng)
    reader = ExpressionReader(mean, components, hidden, np.zeros((1, 1), np.float32))
    features = reader.features(seen[..., :2]).astype(np.float64)
    test = np.arange(len(seen)) % 7 == 0
    gram = features[~test].T @ features[~test] + _RIDGE * np.eye(features.shape[1])
    output = np.linalg.solve(gram, features[~test].T @ said[~test])
    missed = ((features[test] @ output - said[test]) ** 2).mean(axis=0) / said[test].var(axis=0)
    print("reader, share not explained:", np.round(missed, 2).tolist())
    return {
        "reader_mean": mean.astype(np.float32),
        "reader_components": components.astype(np.float16),
        "reader_hidden": hidden.astype(np.float16),
        "reader_output": output.astype(np.float16),
    }

"""Faces drawn by an Active Appearance Model in one fixed frame, for recognisers of pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ksame.arrays import Floats, Floats32, Image, Indices
from ksame.codecs.aam import ActiveAppearanceModel, Pose
from ksame.codecs.aam.warp import frame
from ksame.experiments.stills import Stills


@dataclass(frozen=True)
class Drawn:
    """A model with the codes of some stills."""

    model: ActiveAppearanceModel = field(repr=False)
    codes: Floats = field(repr=False)

    def draw(self, codes: Floats) -> Floats32:
        """Grey pictures `(n, h, w)`, black around the face; equal codes are drawn once."""
        distinct, where = np.unique(codes, axis=0, return_inverse=True)
        pose, canvas = _place(self.model)
        made = [
            np.asarray(self.model.render(code, canvas=canvas, pose=pose), dtype=np.float32)
            for code in distinct
        ]
        return np.stack(made)[where.ravel()]


def train(stills: Stills, rows: Sequence[int] | Indices | None = None) -> Drawn:
    """Train a grey model on some of the stills (all by default) and encode all of them.

    The points are known (hand-marked or detected), so that nothing depends on a fitting search.
    """
    chosen = range(len(stills)) if rows is None else rows
    model = ActiveAppearanceModel(size=96, colour=False)
    model.fit([stills.images[i] for i in chosen], stills.shapes[list(chosen)])
    codes = [_code(model, stills, i) for i in range(len(stills))]
    return Drawn(model, np.stack(codes))


def _code(model: ActiveAppearanceModel, stills: Stills, i: int) -> Floats:
    found: Any = model.project(stills.images[i](), stills.shapes[i])
    return np.asarray(found.code, dtype=np.float64)


def _place(model: ActiveAppearanceModel) -> tuple[Pose, Image]:
    """The pose of the mean face in its own frame, with an eighth of room on every side."""
    points, grid = frame(model.shape_.mean, model.size)
    room = model.size // 8
    pose = model.shape_.align(points + room)[1]
    return pose, np.zeros((grid[0] + 2 * room, grid[1] + 2 * room), dtype=np.uint8)

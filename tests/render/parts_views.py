"""Faces as a network tells their parts, on the grid on which it is decided what lies in front."""

from dataclasses import replace

import numpy as np

from ksame.render.cells import Cells
from ksame.render.draw import LOWER_CORE, UPPER_CORE
from ksame.render.worn import HAIR as HAIR_LINE
from ksame.render.worn import LENSES, MASK, RIMS
from ksame.vision.parts import BACKGROUND, FACE_SKIN, THINGS

SIDE = 96


def a_view():
    """A round face with eyes above and nose and mouth below."""
    y, x = np.mgrid[:SIDE, :SIDE]
    alpha = np.where(np.hypot(x - 48, (y - 48) * 0.85) < 36, 255, 0).astype(np.uint8)
    core = np.zeros((SIDE, SIDE), np.uint8)
    core[50:76, 36:60] = LOWER_CORE
    core[30:50, 22:74] = UPPER_CORE
    part = np.full((SIDE, SIDE, 3), 150, np.float32)
    return Cells(part=part, bare=part.copy(), alpha=alpha, core=core, worn=what_everybody_wears())


def what_everybody_wears():
    worn = np.zeros((SIDE, SIDE), np.uint8)
    worn[52:84, 24:72] |= MASK
    for columns in (slice(24, 44), slice(52, 72)):
        worn[34:48, columns] |= LENSES
        for row in (34, 46):
            worn[row : row + 2, columns] |= RIMS
    worn[:26] |= HAIR_LINE
    return worn


def bare_scores(view):
    """A network that sees a bare face and nothing else."""
    told = np.zeros((SIDE, SIDE, 6), np.float32)
    told[..., BACKGROUND] = 1
    told[view.face] = np.eye(6)[FACE_SKIN]
    return told


def shows(scores, part, rows, columns):
    scores[rows, columns] = np.eye(6)[part]


def dark(view, scores):
    """The view with everything that is no skin in black."""
    return replace(view, part=np.where((scores[..., THINGS] > 0)[..., None], 20, view.part))


def rims(scores):
    for columns in (slice(24, 44), slice(52, 72)):
        for row in (34, 46):
            shows(scores, THINGS, slice(row, row + 2), columns)

"""Expressions acted by rendered people (`tools.synthetic_people`, CC0): one unit at a time.

Photographs of one person rarely show a pucker, one closed eye or a sneer on its own; the
renderer's heads do, and all else of the picture stays as it is.
"""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
from tools.synthetic_people.assets import load_assets
from tools.synthetic_people.person import make_people
from tools.synthetic_people.photo import take
from tools.synthetic_people.scene import make_sitter
from tools.synthetic_people.shape import EXPRESSIONS
from tools.synthetic_people.shots import studio_shot

from ksame.vision import find_faces, find_landmarks

UNITS: tuple[dict[str, float], ...] = (
    {},
    {"jawOpen": 0.25},
    {"jawOpen": 0.6},
    {"jawOpen": 1.0},
    {"mouthSmile": 0.5},
    {"mouthSmile": 1.0},
    {"mouthSmileLeft": 0.9},
    {"mouthSmile": 0.9, "jawOpen": 0.4, "mouthUpperUp": 0.5},
    {"mouthPucker": 0.9},
    {"mouthFunnel": 0.9},
    {"mouthFunnel": 0.6, "jawOpen": 0.5},
    {"mouthStretch": 0.9},
    {"mouthFrown": 0.9},
    {"mouthUpperUp": 0.9},
    {"mouthLowerDown": 0.9},
    {"mouthPress": 0.9},
    {"mouthRollLower": 0.8, "mouthRollUpper": 0.8},
    {"mouthShrugLower": 0.8, "mouthShrugUpper": 0.6},
    {"mouthLeft": 0.9},
    {"mouthRight": 0.9},
    {"noseSneer": 0.9},
    {"browDown": 0.9},
    {"browInnerUp": 0.9},
    {"browOuterUp": 0.9},
    {"browInnerUp": 0.8, "browOuterUp": 0.8, "eyeWide": 0.8},
    {"eyeBlink": 0.5},
    {"eyeBlink": 1.0},
    {"eyeBlinkLeft": 1.0},
    {"eyeSquint": 0.9},
    {"eyeWide": 0.9},
    {"mouthSmile": 0.8, "eyeSquint": 0.6, "cheekSquint": 0.6},
)


def act(
    wheel: Path | None, kept: Path, people: int = 12
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """Points (n, 478, 3) of rendered people who act, and the number of each one's person."""
    file = kept / f"acted-{people}-{len(UNITS)}.npz"
    if not file.is_file():
        kept.mkdir(parents=True, exist_ok=True)
        points, person = _act(wheel, people)
        np.savez(file, points=points, person=person)
    with np.load(file) as arrays:
        return arrays["points"], arrays["person"]


def _act(wheel: Path | None, count: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    assets = load_assets(wheel)
    points, person = [], []
    with patch.dict(EXPRESSIONS, {f"acted {n}": units for n, units in enumerate(UNITS)}):
        for number, someone in enumerate(make_people(count, 11)):
            sitter = make_sitter(assets, someone)
            for name in (f"acted {n}" for n in range(len(UNITS))):
                rgb = take(assets, sitter, studio_shot(someone, name), 288).rgb
                faces = find_faces(rgb, finest=640, turned=False)
                found = find_landmarks(rgb, faces[0]) if faces else None
                if not found:
                    continue
                points.append(np.column_stack([found.points, found.depth]).astype(np.float32))
                person.append(number)
    return np.stack(points), np.array(person)

"""Whose fine skin the model keeps, and how a skin's numbers tell sex, age and tone."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from tools.face_model.frame import SIDE
from tools.face_model.skin import Skin
from tools.face_model.textures import Textures

# how many fine layers of which ages
LAYER_AGES = ((0, 11, 8), (11, 30, 18), (30, 48, 12), (48, 200, 14))
_SHARPEST = 0.4  # share of the people with many pixels whose pictures are crisp


def layer_rows_of(
    skin: Skin, own: npt.NDArray[np.intp], scale: Any, textures: Textures, inside: Any, age: Any
) -> npt.NDArray[np.intp]:
    """Whose fine skin is kept: at every age those of crisp pictures, spread over all looks."""
    seen = cv2.resize(inside.astype(np.uint8), (SIDE, SIDE), interpolation=cv2.INTER_NEAREST) > 0
    grey = [cv2.cvtColor(textures.skin[row], cv2.COLOR_RGB2GRAY) for row in own]
    crisp = np.array(
        [np.abs(cv2.Laplacian(g, cv2.CV_32F))[seen].mean() / (20 + g[seen].mean()) for g in grey]
    )
    codes = skin.codes[:, :40] / np.linalg.norm(skin.codes[:, :40], axis=1, keepdims=True)
    chosen: list[int] = []
    for low, high, count in LAYER_AGES:
        band = np.nonzero((age[own] >= low) & (age[own] < high))[0]
        band = band[scale[own][band] >= np.quantile(scale[own][band], 0.3)]
        sharp = band[crisp[band] >= np.quantile(crisp[band], 1 - _SHARPEST)]
        # farthest-first: each next one is the one that the chosen ones stand in for worst
        taken = [int(sharp[np.argmax(codes[sharp] @ codes[sharp].mean(axis=0))])]
        while len(taken) < min(count, len(sharp)):
            nearest = (codes[sharp] @ codes[taken].T).max(axis=1)
            taken.append(int(sharp[np.argmin(nearest)]))
        chosen += taken
    return np.array(chosen)


def looks_modes(codes: npt.NDArray[np.float32], looks: Any) -> npt.NDArray[np.float32]:
    """What a skin's numbers say of sex, age and tone, standardised: (t + 1, 3)."""
    wanted = (looks - looks.mean(axis=0)) / looks.std(axis=0)
    known = np.column_stack([codes, np.ones(len(codes))]).astype(np.float64)
    gram = known.T @ known + 20 * np.eye(known.shape[1])
    return np.linalg.solve(gram, known.T @ wanted).astype(np.float32)


def tones(colour: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Individual typology angles in degrees of skins given as luma, Cr, Cb."""
    rgb = cv2.cvtColor((colour[None] / 255).astype(np.float32), cv2.COLOR_YCrCb2RGB)
    lab = cv2.cvtColor(np.clip(rgb, 0, 1), cv2.COLOR_RGB2LAB)[0]
    return np.degrees(np.arctan2(lab[:, 0] - 50, np.maximum(lab[:, 2], 1e-6))).astype(np.float32)

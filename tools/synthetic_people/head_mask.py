"""Which pixels of a photo show the head: known from the geometry, not guessed from the picture.

This is what tests of removing and replacing heads are judged by.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from tools.synthetic_people.raster import draw_strands
from tools.synthetic_people.scene import Scene

Floats = npt.NDArray[np.float32]
Labels = npt.NDArray[np.uint8]

ELSEWHERE, SKIN, HAIR = 0, 1, 2
EARS = 2  # column of `Scene.masks`
JAW = slice(0, 17)  # of the 68 landmarks
HALF = 0.5  # a pixel belongs to what covers at least half of it


@dataclass(frozen=True)
class HeadMask:
    """Skin of the head (with eyes and mouth) and its hair, at the size of the rendering."""

    skin: Floats
    hair: Floats

    @classmethod
    def of_skin(cls, scene: Scene, face: npt.NDArray[np.int32], landmarks: Floats) -> HeadMask:
        """The head without hair: what lies above the line of the jaw, and the ears.

        `face` is the triangle that each pixel shows, `landmarks` (68, 2) lie in those pixels. The
        neck and the shoulders are no part of the head.
        """
        height, width = face.shape
        jaw = landmarks[JAW]
        order = np.argsort(jaw[:, 0])
        line = np.interp(np.arange(width), jaw[order, 0], jaw[order, 1])
        above = np.arange(height)[:, None] <= line[None, :]
        ears = scene.masks[scene.triangles][:, :, EARS].mean(axis=1) > HALF
        skin = (face >= 0) & (above | ears[np.maximum(face, 0)])
        return cls(skin.astype(np.float32), np.zeros((height, width, 3), np.float32))

    def add_strands(self, screen: Floats, widths: Floats, depth: Floats) -> None:
        """Add the visible part of a bundle of strands, drawn as opaque; `depth` is changed."""
        draw_strands(screen, np.ones_like(screen), widths, self.hair, depth, 1.0)

    def shrunk(self, size: int) -> Labels:
        """One label per pixel of a picture of `size` x `size` pixels."""
        skin, hair = (
            cv2.resize(part, (size, size), interpolation=cv2.INTER_AREA)
            for part in (self.skin, self.hair[..., 0])
        )
        labels = np.where(skin >= HALF, SKIN, ELSEWHERE)
        return np.where(hair >= HALF, HAIR, labels).astype(np.uint8)


def save_heads(path: Path, heads: list[Labels]) -> None:
    """Store the masks of all photos: one bit per pixel for skin, one for hair."""
    stack = np.stack(heads)
    np.savez_compressed(
        path,
        skin=np.packbits(stack == SKIN, axis=-1),
        hair=np.packbits(stack == HAIR, axis=-1),
    )

"""Rows of faces as a picture, in the form of the papers' figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ksame.arrays import Array
from ksame.metrics.displays import save

_INCH = 1.1  # of a face in a picture
Faces = Array


@dataclass(frozen=True)
class FaceGrid:
    """Rows of faces with a word above each column, and profiles of grey values below."""

    columns: Sequence[str]
    rows: Mapping[str, Sequence[Faces]] = field(repr=False)
    profiles: bool = False

    def draw(self, path: Path) -> None:
        """Draw as a picture file."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        count = len(self.rows) + int(self.profiles)
        size = (_INCH * len(self.columns), 1.45 * _INCH * count)
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(count, len(self.columns), squeeze=False)
        for i, (name, faces) in enumerate(self.rows.items()):
            for j, face in enumerate(faces):
                axes[i, j].imshow(face, cmap="gray", vmin=0, vmax=255)
                axes[i, j].set(xticks=[], yticks=[], title=self.columns[j] if i == 0 else "")
                axes[i, j].title.set_fontsize(7)
            axes[i, 0].set_ylabel(name, fontsize=7)
        if self.profiles:
            for j, face in enumerate(next(iter(self.rows.values()))):
                axes[-1, j].plot(np.asarray(face)[round(0.36 * len(face))], linewidth=0.8)
                axes[-1, j].set(xticks=[], yticks=[], ylim=(0, 255))
        save(figure, path)

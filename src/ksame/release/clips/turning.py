"""Heads that are turned far, looked at now and then: how their silhouette says they are posed.

Landmarks of profiles are turned too little, and five points do not tell fifty degrees from ninety.
As in photos such a head is turned until it covers the skin that is seen (``render.silhouette``).
That costs 140 ms a look, so that it is done five times a second, at frames that are numbered from
the clip's first on: which they are does not depend on where it was divided for the work.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from ksame.arrays import Arrays, Floats, Image
from ksame.faces import Face

if TYPE_CHECKING:
    from ksame.vision import Landmarks

_EVERY: Final = 0.2  # seconds between looks: no head turns there and back in between
_LEAST: Final = 24.0  # px of a face: of a smaller one nobody sees where its nose points
# The middle of a found face, and how much of it a turned one must cover: the last look asks for
# .6 of it in every frame, and between two looks the face is guessed. Shares of the turn to try
_MIDDLE: Final = 0.6
_COVERED: Final = 0.72
_SHARES: Final = (1.0, 0.75, 0.5, 0.25)


@dataclass
class Turns:
    """Gathers the poses of the turned faces of one segment; ``rate`` is in frames a second."""

    rate: float
    _rows: list[int] = field(default_factory=list)
    _meshes: list[Floats] = field(default_factory=list)

    def see(self, rgb: Image, frame: int, row: int, face: Face, marks: "Landmarks") -> None:
        """Look at a detection, if it is time to and its head is turned far."""
        if frame % every(self.rate) or face.size < _LEAST:
            return
        from ksame.release.styles.poses import posed_if_turned

        posed = posed_if_turned(rgb, face, marks)
        mesh = None if posed is marks else _covering(face, marks, posed)
        if mesh is not None:
            self._rows.append(row)
            self._meshes.append(mesh.astype(np.float32))

    def as_arrays(self) -> Arrays:
        """The landmarks of turned faces; ``turned/row`` is the detection they were taken of."""
        return {
            "turned/row": np.array(self._rows, np.int64),
            "turned/mesh": np.array(self._meshes, np.float32).reshape(-1, 478, 3),
        }


def _covering(face: Face, marks: "Landmarks", posed: "Landmarks") -> Floats | None:
    """Turned landmarks (478, 3), or as much of their turn as still covers what was detected.

    A profile is narrow, and a face that bares half of what was found is filled besides.
    """
    from ksame.release.styles.poses import on_face
    from ksame.vision import Landmarks

    middle, half = (face.box[:2] + face.box[2:]) / 2, (face.box[2:] - face.box[:2]) / 2 * _MIDDLE
    found = Face(np.concatenate([middle - half, middle + half]), face.score, face.points)
    for share in _SHARES:
        mesh: Floats = marks.xyz + (posed.xyz - marks.xyz) * share
        if on_face(Landmarks(mesh[:, :2], mesh[:, 2], posed.score), found, _COVERED):
            return mesh
    return None


def every(rate: float) -> int:
    """Frames between two looks."""
    return max(round(_EVERY * rate), 1)

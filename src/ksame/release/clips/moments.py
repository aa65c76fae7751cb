"""The moments of a face that tell most: for identity, looks and light a few frames will do."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from ksame.arrays import Arrays, Floats, Image
from ksame.faces import Face

if TYPE_CHECKING:
    from ksame.render import Glimpse
    from ksame.vision import Landmarks

SFACE: Final = 128  # numbers by which the recogniser describes a face
EVERY: Final = 4  # frames between glimpses of the light: it changes slowly
_BUCKET: Final = 25  # frames of which the best one is shown to the recogniser
_CHIPS: Final = 4  # ... and at most so many of a face in a segment
_BETTER: Final = 1.15  # times better a frame must be than the best before, to be looked at
_LARGE: Final = 160.0  # px: a larger face tells no more of who it is
_PORTRAIT: Final = 512  # px of the longer side of a kept portrait
_AROUND: Final = 0.6  # of the face's side, kept around a portrait


@dataclass
class _Best:
    """What is known of one followed face so far."""

    quality: float = 0.0
    chips: dict[int, tuple[float, int, Image]] = field(default_factory=dict)
    looks: list[tuple[int, Floats]] = field(default_factory=list)
    portrait: tuple[int, Image, Floats] | None = None


class Moments:
    """Gathers the best moments of the faces of one segment."""

    def __init__(self) -> None:
        self._faces: dict[int, _Best] = {}
        self._glimpses: list[tuple[int, float, Glimpse]] = []
        self._count = 0

    def next_held(self) -> int:
        """A number for a face that comes into view."""
        self._count += 1
        return self._count - 1

    def see(
        self, rgb: Image, frame: int, row: int, held: int, face: Face, marks: "Landmarks"
    ) -> None:
        """Take from a frame what is better than what is known."""
        from ksame.codecs.face import FaceModel
        from ksame.render import glimpse
        from ksame.vision.embeddings import sface_chip

        best = self._faces.setdefault(held, _Best())
        if frame % EVERY == 0 or not best.quality:
            seen = glimpse(FaceModel.load(), rgb, marks.points)
            self._glimpses.append((row, _unit(marks), seen))
        quality = _quality(face, marks)
        bucket = frame // _BUCKET
        if quality > _BETTER * best.chips.get(bucket, (0.0, 0, rgb))[0]:
            best.chips[bucket] = (quality, row, sface_chip(rgb, face))
        if quality > _BETTER * best.quality:
            best.quality = quality
            best.looks.append((row, _looks(rgb, face, marks)))
            best.portrait = (row, *_portrait(rgb, marks))

    def as_arrays(self) -> Arrays:
        """Parallel arrays for each kind of moment; ``.../row`` is the detection it was taken of."""
        chips = [
            (row, chip)
            for best in self._faces.values()
            for _, row, chip in sorted(best.chips.values(), key=lambda c: -c[0])[:_CHIPS]
        ]
        looks = [one for best in self._faces.values() for one in best.looks[-_CHIPS:]]
        arrays = {**_embedded(chips), **_described(looks), **_lit(self._glimpses)}
        for best in self._faces.values():
            if best.portrait is not None:
                row, picture, corner = best.portrait
                arrays[f"portrait/{row}"] = picture
                arrays[f"corner/{row}"] = corner
        return arrays


def _quality(face: Face, marks: "Landmarks") -> float:
    """How much of a person a frame tells: large, sure and from the front."""
    nose, right, left = marks.points[1], marks.points[33], marks.points[263]
    sides = np.hypot(*(nose - right)), np.hypot(*(nose - left))
    frontal = float(min(sides) / max(*sides, 1e-6))
    return face.score * marks.score * min(face.size / _LARGE, 1.0) * frontal


def _looks(rgb: Image, face: Face, marks: "Landmarks") -> Floats:
    from ksame.vision.looks import measure_looks

    found = measure_looks(rgb, face, marks)
    return np.array([found.female, found.age, found.tone, found.tone_sure])


def _portrait(rgb: Image, marks: "Landmarks") -> tuple[Image, Floats]:
    """A picture of the face, and (x, y, scale) of its corner: photo = corner + picture / scale."""
    import cv2

    low, high = marks.points.min(axis=0), marks.points.max(axis=0)
    more = _AROUND * float((high - low).max())
    limit = np.array([rgb.shape[1], rgb.shape[0]])
    x0, y0 = np.clip(np.floor(low - more).astype(int), 0, limit - 1)
    x1, y1 = np.clip(np.ceil(high + more).astype(int), (x0 + 1, y0 + 1), limit)
    part = rgb[y0:y1, x0:x1]
    scale = min(_PORTRAIT / max(part.shape[:2]), 1.0)
    size = max(round(part.shape[1] * scale), 1), max(round(part.shape[0] * scale), 1)
    picture = cv2.resize(part, size, interpolation=cv2.INTER_AREA)
    return np.ascontiguousarray(picture), np.array([x0, y0, scale], np.float64)


def _embedded(chips: list[tuple[int, Image]]) -> Arrays:
    from ksame.vision.embeddings import embed_sface_chip

    rows = [embed_sface_chip(chip) for _, chip in chips]
    return {
        "sface/row": np.array([row for row, _ in chips], np.int64),
        "sface/values": np.array(rows, np.float64).reshape(-1, SFACE),
    }


def _described(looks: list[tuple[int, Floats]]) -> Arrays:
    return {
        "looks/row": np.array([row for row, _ in looks], np.int64),
        "looks/values": np.array([values for _, values in looks], np.float64).reshape(-1, 4),
    }


def _unit(marks: "Landmarks") -> float:
    """The distance between the outer corners of the eyes, in space: the model's unit in px."""
    return float(np.linalg.norm(marks.xyz[33] - marks.xyz[263]))


def _lit(glimpses: "list[tuple[int, float, Glimpse]]") -> Arrays:
    from ksame.render.anatomy import GRID
    from ksame.render.numbers import COLOURS

    seen = [one.seen for _, _, one in glimpses]
    # what the camera does: blur of edges, three strengths of grain, colour, and the face's size
    camera = [
        [one.softness, *one.grain, COLOURS.index(one.colour), unit] for _, unit, one in glimpses
    ]
    return {
        "light/row": np.array([row for row, _, _ in glimpses], np.int64),
        "light/seen": np.array(seen, np.uint8).reshape(-1, GRID, GRID, 3),
        "light/black": np.array([one.black for _, _, one in glimpses], np.float64),
        "light/camera": np.array(camera, np.float64).reshape(-1, 6),
    }

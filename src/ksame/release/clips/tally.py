"""What a segment's order asks for, and what is counted while it is written."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np

from ksame._version import __version__
from ksame.arrays import Arrays, Floats, Image
from ksame.faces import Face
from ksame.release.clips.footage import Footage
from ksame.release.clips.moments import SFACE
from ksame.release.clips.motion import Motion
from ksame.release.hiding import hide
from ksame.release.last_look import face_at
from ksame.release.orders import PhotoOrder
from ksame.store import key_of

if TYPE_CHECKING:
    from ksame.render import Laid

_DESCRIBED: Final = 12  # frames between those that a recogniser is shown


@dataclass(frozen=True, slots=True)
class SegmentOrder:
    """The order to write the frames ``start`` to ``stop - 1`` of a clip."""

    order: PhotoOrder
    clip: str
    segments: tuple[str, ...] = field(repr=False)
    number: int
    start: int
    stop: int

    @property
    def steps(self) -> int:
        """What it counts for in the progress: frames."""
        return self.stop - self.start

    @property
    def key(self) -> str:
        """What the written segment depends on."""
        return key_of("segment", __version__, self.order.key, self.start, self.stop)

    @property
    def file(self) -> Path:
        """Where the encoded segment lies; private, and complete or absent."""
        return self.order.store.root / "segments" / f"{self.key}.mp4"


@dataclass(frozen=True, slots=True)
class SegmentWritten:
    """A segment after it was written; ``failure`` says why its clip must be withheld.

    ``late`` are the fills of single frames: the frame, the box found and the box hidden.
    ``fronts`` tell what lies in front of faces: the track, the frame, and the bitmaps.
    ``hidden`` counts frames in which a track was hidden, ``found`` replaced faces that are still
    seen as faces, and ``changed`` is the sum over frames of the share of pixels that differ.
    """

    key: str
    sha256: str = ""
    failure: str | None = None
    late: tuple[tuple[int, tuple[float, ...], tuple[int, ...]], ...] = ()
    fronts: tuple[tuple[int, int, dict[str, Any]], ...] = ()
    hidden: int = 0
    shown: int = 0
    found: int = 0
    changed: float = 0.0


@dataclass(frozen=True)
class Actor:
    """A track in a segment: its footage, and what is shown in its place (nothing: hidden)."""

    number: int
    footage: Footage
    motion: Motion | None
    identity: Any = None
    bare: bool = False  # nothing is kept in front of it

    def covers(self, frame: int) -> bool:
        """Whether the face may be seen in a frame."""
        return self.footage.first <= frame < self.footage.stop


class Tally:
    """What is counted while a segment is written."""

    def __init__(self, task: SegmentOrder) -> None:
        self.task = task
        self.late: list[tuple[int, tuple[float, ...], tuple[int, ...]]] = []
        self.fronts: list[tuple[int, int, dict[str, Any]]] = []
        self.hidden = 0
        self.surprised = False  # whether a face was left that quick looks before may have missed
        self.shown: dict[int, Floats] = {}
        self.faces: list[Face] = []
        self._count = self._found = 0
        self._changed = 0.0
        self._described: list[tuple[int, Floats]] = []
        self._boxes: dict[int, list[list[int]]] = {}

    def fill(self, result: Image, frame: int, box: Floats) -> list[float]:
        """Hide what is at a box of a frame, in place, and list it; returns what was hidden."""
        order = self.task.order
        hidden = hide(result, box.tolist(), order.on_failure, order.seed)
        found = tuple(round(float(value), 2) for value in box)
        self.late.append((frame, found, hidden))
        return list(map(float, hidden))

    def note(self, number: int, changed: Sequence[int], found: Floats) -> None:
        """Where a track's face was in a frame: what was changed for it, and where it was found."""
        boxes = [*changed, *np.round(found).astype(int).tolist()]
        self._boxes.setdefault(number, []).append(boxes)

    def tell_fronts(self, frame: int, laid: "Sequence[Laid]") -> None:
        """What lies in front of the faces of a finished frame, by the number of their track."""
        told = [(one.place, one.front) for one in laid]
        self.fronts += [(n, frame, front.as_json()) for n, front in told if front is not None]

    def rows_of(self, actors: Sequence[Actor]) -> Arrays:
        """What the ledger tells of each track: its numbers and boxes, one row a frame."""
        arrays: Arrays = {}
        for actor in actors:
            rows = np.array(self._boxes[actor.number], np.int64)
            camera = np.zeros(0, np.int64)
            if actor.motion is not None:
                rows = np.concatenate([actor.motion.steps, rows], axis=1)
                camera = actor.motion.camera
            arrays |= {f"{actor.number}/rows": rows, f"{actor.number}/camera": camera}
        return arrays

    def see(self, result: Image, rgb: Image, frame: int) -> None:
        """Count one finished frame, and describe its faces now and then as a recogniser does."""
        from ksame.vision import embed_sface

        describe = self.task.order.embed and (frame - self.task.start) % _DESCRIBED == 0
        for number, box in self.shown.items():
            self._count += 1
            face = face_at(self.faces, box.tolist())
            self._found += face is not None
            if face is not None and describe:
                self._described.append((number, np.asarray(embed_sface(result, face))))
        self.shown = {}
        if describe:
            red, green, blue = cv2.split(cv2.absdiff(result, rgb))
            share = cv2.countNonZero(red | green | blue) / red.size
            # for all frames up to the next one that is looked at
            self._changed += share * min(_DESCRIBED, self.task.stop - frame)

    def written(self, sha256: str) -> SegmentWritten:
        """The segment as it was counted."""
        return SegmentWritten(
            self.task.key, sha256, None, tuple(self.late), tuple(self.fronts), self.hidden,
            self._count, self._found, self._changed,
        )  # fmt: skip

    def described(self) -> Arrays:
        """The finished faces as a recogniser sees them: whose they are, and their rows."""
        rows = [row for _, row in self._described]
        return {
            "sface/track": np.array([number for number, _ in self._described], np.int64),
            "sface/values": np.array(rows, np.float64).reshape(-1, SFACE),
        }


def told_of(written: SegmentWritten) -> dict[str, Any]:
    """A written segment as the store keeps it."""
    return {name: getattr(written, name) for name in SegmentWritten.__slots__}


def restored(record: dict[str, Any]) -> SegmentWritten:
    """A segment as an earlier run wrote it."""
    late = tuple((frame, tuple(box), tuple(hidden)) for frame, box, hidden in record["late"])
    fronts = tuple((track, frame, front) for track, frame, front in record["fronts"])
    return SegmentWritten(**{**record, "late": late, "fronts": fronts})

"""One segment of a clip with its faces replaced: every frame is searched again, then encoded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from ksame._version import __version__
from ksame.arrays import Arrays, Floats, Image
from ksame.codecs.face import FaceModel
from ksame.errors import MediaError
from ksame.faces import Face
from ksame.files import sha256_of
from ksame.geometry import share_inside
from ksame.release.clips.facts import load_facts
from ksame.release.clips.footage import Footage, open_footage
from ksame.release.clips.motion import Motion, move
from ksame.release.clips.watching import SURE, Watch
from ksame.release.find import CHANGED, FAULTS, FOUND, UNWORKABLE
from ksame.release.hiding import hide
from ksame.release.last_look import face_at
from ksame.release.model_faces import load_identity
from ksame.release.orders import PhotoOrder
from ksame.store import key_of

ENCODED: Final = "encoded"  # the kind under which the store keeps written segments
UNPROTECTED: Final = "a face was found in a finished frame that was not replaced"
_ROUNDS: Final = 3  # looks at a finished frame, hiding what is left after each
_COVERED: Final = 0.5  # of a found face that must lie on one protected region
_DESCRIBED: Final = 25  # frames between those that a recogniser is shown


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
    ``hidden`` counts frames in which a track was hidden, ``found`` replaced faces that are still
    seen as faces, and ``changed`` is the sum over frames of the share of pixels that differ.
    """

    key: str
    sha256: str = ""
    failure: str | None = None
    late: tuple[tuple[int, tuple[float, ...], tuple[int, ...]], ...] = ()
    hidden: int = 0
    shown: int = 0
    found: int = 0
    changed: float = 0.0


@dataclass(frozen=True)
class _Actor:
    """A track in a segment: its footage, and what is shown in its place."""

    number: int
    footage: Footage
    motion: Motion | None
    identity: Any = None

    def covers(self, frame: int) -> bool:
        return self.footage.first <= frame < self.footage.stop


def write_segment(task: SegmentOrder) -> SegmentWritten:
    """Write a segment, unless that was done before.

    Guarantee: a segment appears only after every face that the detector sees in its finished
    frames was found to lie on a replaced or hidden region.
    """
    store = task.order.store
    if (record := store.note(ENCODED, task.key)) is not None:
        done = _restored(record)
        if done.failure or (task.file.is_file() and sha256_of(task.file) == done.sha256):
            return done
    task.file.parent.mkdir(parents=True, exist_ok=True)
    draft = task.file.with_name(f".{task.key}.{task.number}.mp4")
    try:
        written, arrays = _make(task, draft)
    except MediaError:
        written, arrays = SegmentWritten(task.key, failure=CHANGED), {}
    except FAULTS as fault:
        why = f"{UNWORKABLE}: {type(fault).__name__}"
        written, arrays = SegmentWritten(task.key, failure=why), {}
    if written.failure is None:
        draft.replace(task.file)
    draft.unlink(missing_ok=True)
    store.save(ENCODED, task.key, arrays, _told(written))
    return written


def _make(task: SegmentOrder, draft: Path) -> tuple[SegmentWritten, Arrays]:
    from ksame.media.clips import Segment, SegmentWriter, read_pairs

    order = task.order
    facts = load_facts(order.store, task.clip)
    found = order.store.load(FOUND, order.found)
    actors = _actors(task, found, float(facts.rate))
    segment, cuts = Segment(task.start, task.stop), set(facts.cuts)
    tally = _Tally(task)
    watch = Watch(facts.upright_size, order.detector)
    with SegmentWriter(draft, facts, segment, order.video_codec) as writer:
        for frame in read_pairs(order.path, facts, segment):
            result = np.array(frame.rgb)
            regions = _no_faces(found, frame.number)
            regions += _shown(result, frame.number, actors, order, tally)
            if not _look(result, frame.number, regions, watch, frame.number in cuts, tally):
                return SegmentWritten(task.key, failure=UNPROTECTED), {}
            tally.see(result, frame.rgb, frame.number)
            writer.write(result, frame)
    return tally.written(sha256_of(draft)), tally.rows_of(actors) | tally.described()


def _actors(task: SegmentOrder, found: Mapping[str, Any], rate: float) -> list[_Actor]:
    """The tracks of a segment with their motion, far faces first."""
    model, order = FaceModel.load(), task.order
    actors = []
    for face in order.faces:
        if f"{face.number}/cover" not in found:
            continue
        footage = open_footage(order.store, found, face.number, task.segments, rate)
        first, stop = max(footage.first, task.start), min(footage.stop, task.stop)
        if first >= stop:
            continue
        if face.surrogate is None:
            actors.append(_Actor(face.number, footage, None))
            continue
        identity = load_identity(order.store, face.surrogate)
        motion = move(model, footage, identity, first, stop)
        actors.append(_Actor(face.number, footage, motion, identity))
    return actors


def _no_faces(found: Mapping[str, Any], frame: int) -> list[list[float]]:
    """Where a detector sees a face in a frame and other models do not."""
    boxes = found["no_face/xyxy"][found["no_face/frame"] == frame]
    return [list(box) for box in boxes.tolist()]


def _shown(
    result: Image, frame: int, actors: Sequence[_Actor], order: PhotoOrder, tally: "_Tally"
) -> list[list[float]]:
    """Replace or hide the faces of one frame, in place; returns where."""
    from ksame.render import render, replace_face

    model, size = FaceModel.load(), (result.shape[1], result.shape[0])
    now = [(actor, actor.footage.box(frame)) for actor in actors if actor.covers(frame)]
    regions: list[list[float]] = []
    # small faces are far faces: near ones are laid over them
    for actor, box in sorted(now, key=lambda item: float(item[1][2] - item[1][0])):
        regions.append(box.tolist())
        if actor.motion is None:
            continue
        rendered = render(model, actor.identity, actor.motion.at(frame), size)
        replace_face(result, rendered)
        regions.append(list(map(float, rendered.box)))
        tally.shown[actor.number] = box
        tally.note(actor.number, rendered.box, box)
    for actor, box in now:
        if actor.motion is None:
            hidden = hide(result, box.tolist(), order.on_failure, order.seed)
            regions.append(list(map(float, hidden)))
            tally.note(actor.number, hidden, box)
            tally.hidden += 1
    return regions


def _look(
    result: Image,
    frame: int,
    regions: list[list[float]],
    watch: Watch,
    fresh: bool,
    tally: "_Tally",
) -> bool:
    """Look at a finished frame, and hide what is found on no protected region, until nothing is.

    False where the clip must be withheld.
    """
    order = tally.task.order
    for turn in range(_ROUNDS):
        # the watch counts frames; later rounds are careful ones
        faces = watch.look(result, fresh) if not turn else Watch(result.shape[1::-1]).look(result)
        sure = [face for face in faces if face.score >= SURE]
        protected = np.array(regions, np.float64).reshape(-1, 4)
        left = [f for f in sure if not (share_inside(f.box, protected) > _COVERED).any()]
        tally.faces = [face for face in sure if face not in left]
        if not left:
            return True
        if order.on_failure == "withhold":
            return False
        for face in left:
            hidden = hide(result, face.box.tolist(), order.on_failure, order.seed)
            box = tuple(round(float(value), 2) for value in face.box)
            tally.late.append((frame, box, hidden))
            regions += [list(map(float, hidden)), list(box)]
    return False


class _Tally:
    """What is counted while a segment is written."""

    def __init__(self, task: SegmentOrder) -> None:
        self.task = task
        self.late: list[tuple[int, tuple[float, ...], tuple[int, ...]]] = []
        self.hidden = 0
        self.shown: dict[int, Floats] = {}
        self.faces: list[Face] = []
        self._count = self._found = 0
        self._changed = 0.0
        self._described: list[tuple[int, Floats]] = []
        self._boxes: dict[int, list[list[int]]] = {}

    def note(self, number: int, changed: Sequence[int], found: Floats) -> None:
        """Where a track's face was in a frame: what was changed for it, and where it was found."""
        boxes = [*changed, *np.round(found).astype(int).tolist()]
        self._boxes.setdefault(number, []).append(boxes)

    def rows_of(self, actors: Sequence[_Actor]) -> Arrays:
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
            self.task.key, sha256, None, tuple(self.late), self.hidden, self._count,
            self._found, self._changed,
        )  # fmt: skip

    def described(self) -> Arrays:
        """The finished faces as a recogniser sees them: whose they are, and their rows."""
        rows = [row for _, row in self._described]
        return {
            "sface/track": np.array([number for number, _ in self._described], np.int64),
            "sface/values": np.array(rows, np.float64).reshape(len(rows), -1),
        }


def _told(written: SegmentWritten) -> dict[str, Any]:
    return {name: getattr(written, name) for name in SegmentWritten.__slots__}


def _restored(record: dict[str, Any]) -> SegmentWritten:
    late = tuple((frame, tuple(box), tuple(hidden)) for frame, box, hidden in record["late"])
    return SegmentWritten(**{**record, "late": late})

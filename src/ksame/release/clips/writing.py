"""One segment of a clip with its faces replaced: every frame is searched again, then encoded."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from ksame.arrays import Arrays, Floats
from ksame.codecs.face import FaceModel
from ksame.errors import MediaError
from ksame.faces import Faces
from ksame.files import sha256_of
from ksame.release.clips.facts import load_facts
from ksame.release.clips.footage import Footage, open_footage
from ksame.release.clips.fronts import Fronts
from ksame.release.clips.guarding import BARE, raised
from ksame.release.clips.looking import UnfinishedFrame, covers, look
from ksame.release.clips.motion import move
from ksame.release.clips.searching import FRAMES
from ksame.release.clips.tally import (
    Actor,
    SegmentOrder,
    SegmentWritten,
    Tally,
    restored,
    told_of,
)
from ksame.release.clips.watching import Watch
from ksame.release.find import CHANGED, FAULTS, FOUND, UNWORKABLE
from ksame.release.hiding import hide
from ksame.release.model_faces import load_identity

ENCODED: Final = "encoded"  # the kind under which the store keeps written segments
UNPROTECTED: Final = "a face was found in a finished frame that was not replaced"
_FIRST_LOOK: Final = ("level", "frame", "xyxy", "points", "score")
_LANDMARKS: Final = 478  # the first points of the model's shape
_PASSES: Final = 0.5  # of a pixel's original that is kept in front of a face
_OPAQUE: Final = 127  # of alpha: what is less is the feather around a face


def write_segment(task: SegmentOrder) -> SegmentWritten:
    """Write a segment, unless that was done before.

    Guarantee: a segment appears only after every face that the detector sees in its finished
    frames was found to lie on a replaced or hidden region, and to show none of the original's.
    """
    store = task.order.store
    if (record := store.note(ENCODED, task.key)) is not None:
        done = restored(record)
        if done.failure or (task.file.is_file() and sha256_of(task.file) == done.sha256):
            return done
    task.file.parent.mkdir(parents=True, exist_ok=True)
    draft = task.file.with_name(f".{task.key}.{task.number}.mp4")
    try:
        made = _make(task, draft) or _make(task, draft, careful=True)
        written, arrays = made or _unprotected(task)
    except MediaError:
        written, arrays = SegmentWritten(task.key, failure=CHANGED), {}
    except FAULTS as fault:
        why = f"{UNWORKABLE}: {type(fault).__name__}"
        written, arrays = SegmentWritten(task.key, failure=why), {}
    if written.failure is None:
        draft.replace(task.file)
    draft.unlink(missing_ok=True)
    if written.failure != CHANGED:  # a clip that comes back is written by the next run
        store.save(ENCODED, task.key, arrays, told_of(written))
    return written


def _unprotected(task: SegmentOrder) -> tuple[SegmentWritten, Arrays]:
    return SegmentWritten(task.key, failure=UNPROTECTED), {}


def _make(
    task: SegmentOrder, draft: Path, careful: bool = False
) -> tuple[SegmentWritten, Arrays] | None:
    """Write a segment; None where quick looks at its frames may have missed a face.

    A ``careful`` look at every frame misses none that a thorough look sees.
    """
    from ksame.media.clips import Segment, SegmentWriter, read_pairs

    order = task.order
    facts = load_facts(order.store, task.clip)
    found = order.store.load(FOUND, order.found)
    actors = _actors(task, found, float(facts.rate))
    kept = _kept_tracks(task, found, float(facts.rate))
    segment, cuts = Segment(task.start, task.stop), set(facts.cuts)
    tally = Tally(task)
    first = order.store.load(FRAMES, task.segments[task.number], names=_FIRST_LOOK)
    levels = [] if careful else first["level"].tolist()
    watch = Watch(levels, order.detector, lambda place: _seen_first(first, task.start + place))
    fronts = Fronts()
    with SegmentWriter(draft, facts, segment, order.video_codec) as writer:
        for frame in read_pairs(order.path, facts, segment):
            made = UnfinishedFrame.of(
                frame.number, frame.rgb, _left_alone(found, kept, frame.number)
            )
            _shown(made, actors, fronts, tally)
            if not look(made, watch, frame.number in cuts, tally):
                writer.abandon()
                return _unprotected(task)
            if tally.surprised:
                writer.abandon()
                return None
            tally.tell_fronts(frame.number, made.laid)
            tally.see(made.result, frame.rgb, frame.number)
            writer.write(made.result, frame)
    return tally.written(sha256_of(draft)), tally.rows_of(actors) | tally.described()


def _seen_first(first: Mapping[str, Any], frame: int) -> Faces:
    """The faces that the first look saw in a frame."""
    here = first["frame"] == frame
    return Faces(first["xyxy"][here], first["points"][here], first["score"][here])


def _actors(task: SegmentOrder, found: Mapping[str, Any], rate: float) -> list[Actor]:
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
            actors.append(Actor(face.number, footage, None))
            continue
        identity = load_identity(order.store, face.surrogate)
        motion = raised(move(model, footage, identity, first, stop), face.guard)
        actors.append(Actor(face.number, footage, motion, identity, face.guard == BARE))
    return actors


def _kept_tracks(task: SegmentOrder, found: Mapping[str, Any], rate: float) -> list[Footage]:
    """The tracks of whoever consented to be shown as is: no order speaks of them."""
    ordered = {face.number for face in task.order.faces}
    numbers = sorted(int(n.split("/")[0]) for n in found if n.endswith("/cover"))
    return [
        open_footage(task.order.store, found, number, task.segments, rate)
        for number in numbers
        if number not in ordered
    ]


def _left_alone(found: Mapping[str, Any], kept: Sequence[Footage], frame: int) -> Floats:
    """The boxes of a frame that stay: what models or a person take for no face, and consented."""
    shown = [track.box(frame) for track in kept if track.first <= frame < track.stop]
    told = found["no_face/xyxy"][found["no_face/frame"] == frame]
    boxes: Floats = np.array([*told, *shown], np.float64).reshape(-1, 4)
    return boxes


def _shown(made: UnfinishedFrame, actors: Sequence[Actor], fronts: Fronts, tally: Tally) -> None:
    """Replace or hide the faces of one frame, in place.

    As in photos, faces that a fill reaches over are laid over it again.
    """
    from ksame.render import Laid, filled_box, lay_over_fills, render, replace_face

    result, frame, laid = made.result, made.number, made.laid
    model, size, order = FaceModel.load(), (result.shape[1], result.shape[0]), tally.task.order
    now = [(actor, actor.footage.box(frame)) for actor in actors if actor.covers(frame)]
    fronts.look(made.before, frame, _places(model, [actor for actor, _ in now], frame))
    fills = [
        filled_box(box) for actor, box in now if actor.motion is None and order.on_failure == "fill"
    ]
    # small faces are far faces: near ones are laid over them
    for actor, box in sorted(now, key=lambda item: float(item[1][2] - item[1][0])):
        if actor.motion is None:
            continue
        rendered = render(model, actor.identity, actor.motion.at(frame), size)
        front = None if actor.bare else fronts.front(made.before, actor.number, rendered)
        laid.append(Laid(rendered, front, place=actor.number).also_beside(fills))
        front = laid[-1].front
        replace_face(result, rendered, front)
        tally.shown[actor.number] = box
        x0, y0, x1, y1 = rendered.box
        pixels = rendered.alpha > _OPAQUE
        if front is not None:  # there the original is seen, and only there
            kept = cv2.resize(front.soft(), (x1 - x0, y1 - y0), interpolation=cv2.INTER_LINEAR)
            pixels &= kept < _PASSES
        made.replaced(rendered.box, pixels, box)
        own = np.zeros(result.shape[:2], bool)
        own[y0:y1, x0:x1] = pixels
        if covers(own, box):
            tally.note(actor.number, rendered.box, box)
            continue
        # landmarks went astray: what was found is filled besides
        tally.note(actor.number, rendered.box, _centred(box, rendered.box))
        made.fill(box, tally)
        if order.on_failure == "fill":
            fills.append(filled_box(box))
    for actor, box in now:
        if actor.motion is None:
            hidden = hide(result, box.tolist(), order.on_failure, order.seed)
            made.hidden(hidden)
            tally.note(actor.number, hidden, box)
            tally.hidden += 1
    lay_over_fills(result, laid)


def _places(model: FaceModel, actors: Sequence[Actor], frame: int) -> dict[int, Floats]:
    """The landmarks (n, 2) of the faces that are shown in a frame, as smooth as their motion."""
    from ksame.render.posing import posed

    found = {}
    for actor in actors:
        if actor.motion is None:
            continue
        numbers = actor.motion.at(frame)
        shape = model.shape(actor.identity, numbers.expression_weights.astype(np.float32))
        found[actor.number] = posed(model, shape, numbers)[:_LANDMARKS]
    return found


def _centred(box: Floats, drawn: Sequence[int]) -> Floats:
    """A box of the same size, which decides what lies in front of what, over what was drawn."""
    middle = np.array([drawn[0] + drawn[2], drawn[1] + drawn[3]]) / 2
    half = (box[2:] - box[:2]) / 2
    return np.concatenate([middle - half, middle + half])

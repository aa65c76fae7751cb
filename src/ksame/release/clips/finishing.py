"""The fourth stage for clips: segments written one by one, then joined to finished clips."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np

from ksame.arrays import Arrays, Ints
from ksame.errors import MediaError
from ksame.files import HIDDEN, sha256_of
from ksame.release.clips.describing import means
from ksame.release.clips.facts import load_facts
from ksame.release.clips.finding import SURVEYS
from ksame.release.clips.guarding import guarded_more, within
from ksame.release.clips.packing import packed
from ksame.release.clips.tally import SegmentOrder, SegmentWritten
from ksame.release.clips.writing import ENCODED, write_segment
from ksame.release.contents import content_of
from ksame.release.find import CHANGED, FAULTS, FOUND, UNWORKABLE
from ksame.release.hiding import head_box
from ksame.release.job import Job
from ksame.release.orders import FaceOrder, PhotoOrder
from ksame.release.styles.contract import FaceWritten
from ksame.release.write import WRITTEN, Written, restored, save_written

_SECONDS: Final = 3  # decimals of a time


@dataclass(frozen=True, slots=True)
class ClipOrder:
    """The order to join a clip's segments.

    ``asked`` is the clip's order as it came, under which what was written is kept; ``order`` is the
    same with the guards that it was written with.
    """

    asked: PhotoOrder
    order: PhotoOrder
    clip: str
    segments: tuple[SegmentOrder, ...] = field(repr=False)
    failure: str | None = None


def write(job: Job, orders: Sequence[PhotoOrder]) -> list[Written]:
    """Write clips: all segments of all of them by all workers, then each clip joined."""
    clips, written = _segments_written(job, [_divided(order) for order in orders])
    joined = [
        replace(
            clip,
            failure=next((w.failure for t in clip.segments if (w := written[t]).failure), None),
        )
        for clip in clips
    ]
    return list(job.runner.run("join clips", join_clip, joined))


def _segments_written(
    job: Job, clips: list[ClipOrder]
) -> tuple[list[ClipOrder], dict[SegmentOrder, SegmentWritten]]:
    """All segments, those of known tracks again with more guard until none is known, or no more is.

    The clips are returned as they were written last.
    """
    written: dict[SegmentOrder, SegmentWritten] = {}
    due: Sequence[int] = range(len(clips))
    while due:
        tasks = [task for n in due for task in clips[n].segments if task not in written]
        written |= zip(tasks, job.runner.run("write clips", write_segment, tasks), strict=True)
        finished = [n for n in due if not any(written[t].failure for t in clips[n].segments)]
        more = {n: guarded_more(clips[n].order, _described(clips[n])) for n in finished}
        due = [n for n, order in more.items() if order != clips[n].order]
        for n in due:
            clips[n] = replace(_divided(more[n]), asked=clips[n].asked)
    return clips, written


def _divided(order: PhotoOrder) -> ClipOrder:
    """A clip's order as one a segment."""
    told = order.store.note(FOUND, order.found)
    found = order.store.load(FOUND, order.found)
    parts = order.store.note(SURVEYS, told["clip"])
    keys = tuple(told["segments"])
    return ClipOrder(
        order,
        order,
        told["clip"],
        tuple(
            SegmentOrder(within(order, found, start, stop), told["clip"], keys, number, start, stop)
            for number, (start, stop) in enumerate(parts)
        ),
    )


def join_clip(clip: ClipOrder) -> Written:
    """Join the segments of one clip, unless that was done before."""
    order = clip.order
    target = order.folder / order.name
    if (record := order.store.note(WRITTEN, clip.asked.key)) is not None:
        done = restored(record)
        if done.failure or (target.is_file() and sha256_of(target) == done.sha256):
            return done
    target.unlink(missing_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    arrays: Arrays = {}
    written = Written(order.name, failure=clip.failure)
    if clip.failure is None:
        try:
            written, arrays = _joined(clip, target)
        except MediaError:
            written = Written(order.name, failure=CHANGED)
        except FAULTS as fault:
            why = f"{UNWORKABLE}: {type(fault).__name__}"
            written = Written(order.name, failure=why)
    if written.failure != CHANGED:
        save_written(clip.asked, written, arrays)
    return written


def _joined(clip: ClipOrder, target: Path) -> tuple[Written, Arrays]:
    from ksame.media.clips import join

    order = clip.order
    facts = load_facts(order.store, clip.clip)
    draft = target.with_name(f"{HIDDEN}{target.name}")
    files = [task.file for task in clip.segments]
    sound = join(files, facts, draft, audio=order.audio, source=order.path)
    sha256 = sha256_of(draft)
    draft.chmod(0o644)
    draft.replace(target)
    notes = [SegmentWritten(**order.store.note(ENCODED, task.key)) for task in clip.segments]
    late = [
        {"frame": frame, "seconds": round(facts.seconds_at(frame), _SECONDS),
         "box": list(box), "hidden": list(hidden)}
        for note in notes for frame, box, hidden in note.late
    ]  # fmt: skip
    shown = sum(note.shown for note in notes)
    found = order.store.load(FOUND, order.found)
    faces = tuple(_face(face, clip, found, facts.upright_size) for face in order.faces)
    told = {
        "facts": facts.as_json(),
        "frames": facts.frames,
        "seconds": round(facts.seconds, _SECONDS),
        "filled_frames": len({one["frame"] for one in late} | _frames_hidden(faces)),
        "hidden": sum(note.hidden for note in notes),
        "late": late,
        "audio": order.audio if facts.audio else "none",
        "notes": [*facts.notes, *sound],
    }
    written = Written(
        order.name,
        sha256,
        faces=faces,
        # of a clip a face counts once, as its tracks do
        found=round(len(order.faces) * sum(note.found for note in notes) / max(shown, 1)),
        changed=sum(note.changed for note in notes) / facts.frames,
        clip=told,
        content=content_of(order),
        guard=max((face.guard for face in order.faces), default=0),
    )
    return written, _described(clip)


def _frames_hidden(faces: Sequence[FaceWritten]) -> set[int]:
    """The frames in which a track is hidden from its first to its last."""
    tracks = [face.numbers["track"] for face in faces if face.hidden and face.numbers]
    return {track["first"] + i for track in tracks for i in range(track["frames"])}


def _face(face: FaceOrder, clip: ClipOrder, found: Arrays, size: tuple[int, int]) -> FaceWritten:
    """What became of one track: its numbers, or the box that is hidden where it is best seen."""
    hidden = None if face.surrogate else head_box(face.box, (size[1], size[0]))
    if f"{face.number}/cover" not in found:  # no track is at this place
        return FaceWritten(hidden=hidden)
    rows: list[Ints] = []
    camera: list[int] = []
    for task in clip.segments:
        kept = clip.order.store.load(ENCODED, task.key, f"{face.number}/")
        if "rows" in kept:
            rows.append(kept["rows"])
            camera = kept["camera"].tolist()
    first = int(found[f"{face.number}/cover"][0])
    fronts = {
        frame: front
        for task in clip.segments
        for track, frame, front in clip.order.store.note(ENCODED, task.key)["fronts"]
        if track == face.number
    }
    return FaceWritten(hidden=hidden, numbers=packed(np.concatenate(rows), first, camera, fronts))


def _described(clip: ClipOrder) -> Arrays:
    """The finished tracks as a recogniser sees them: the mean over their frames."""
    order = clip.order
    if not order.embed or not order.faces:
        return {}
    parts = [order.store.load(ENCODED, task.key, "sface/") for task in clip.segments]
    parts = [part for part in parts if len(part["track"])]
    rows = np.concatenate([part["values"] for part in parts]) if parts else np.zeros((0, 1))
    owner = np.concatenate([part["track"] for part in parts]) if parts else np.zeros(0, np.int64)
    return {"sface": means([list(rows[owner == face.number]) for face in order.faces])}

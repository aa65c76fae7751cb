"""Files of a release that is made again: what would come out as it was is taken over, not made."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ksame.arrays import Arrays
from ksame.files import HIDDEN, sha256_of
from ksame.people.ledgers import LATE
from ksame.release.before import Before
from ksame.release.contents import content_of
from ksame.release.finished_files import described, read_back
from ksame.release.guarding import known_faces
from ksame.release.job import Job
from ksame.release.last_look import lies_on
from ksame.release.leftovers import LateFace
from ksame.release.orders import FaceOrder, PhotoOrder
from ksame.release.styles.contract import FaceWritten
from ksame.release.write import (
    Written,
    make_folder,
    save_written,
)

# cosine: a coded clip's frames tell its tracks a little differently than those that were written
_AS_CODED: Final = 0.03


@dataclass(frozen=True, slots=True)
class Reuse:
    """The order to take a file over from the release before, and what its ledger tells of it."""

    order: PhotoOrder
    file: Path = field(repr=False)
    written: Written = field(repr=False)


def take_over(job: Job, orders: Mapping[int, PhotoOrder]) -> dict[int, Written]:
    """The photos that need not be made, by their number; they lie in the release's folder.

    Guarantee: such a file is byte for byte the one that the ledger of the release before lists, and
    was made from just what its photo would be made from now. A face that was guarded, because of
    somebody who is another person by now, stays guarded.
    """
    before = job.before
    if before is None or not orders:
        return {}
    listed = {told.get("content"): name for name, told in before.book.get("made", {}).items()}
    numbers = sorted(orders)
    contents = job.runner.run("compare", content_of, [orders[n] for n in numbers])
    tasks = {
        n: task
        for n, content in zip(numbers, contents, strict=True)
        if content in listed and (task := _told(orders[n], before, listed[content])) is not None
    }
    results = job.runner.run("take over", reuse_one, list(tasks.values()))
    return {n: written for n, written in zip(tasks, results, strict=True) if written is not None}


def _told(order: PhotoOrder, before: Before, name: str) -> Reuse | None:
    """As `_reuse`; None where the ledger does not tell all of it: then the photo is made."""
    try:
        return _reuse(order, before, name)
    except (LookupError, TypeError, ValueError, AttributeError):
        return None


def _reuse(order: PhotoOrder, before: Before, name: str) -> Reuse:
    """What the ledger tells of a file, as if it had just been written under its new name."""
    book, told = before.book, before.book["made"][name]
    entries = [face for face in book["faces"] if face["file"] == name]
    made = {tuple(face["box"]): face for face in entries if face["reason"] != LATE}
    late = tuple(LateFace.of(face) for face in entries if face["reason"] == LATE)
    written = Written(
        order.name,
        told["sha256"],
        faces=tuple(FaceWritten.of(made[face.box]) for face in order.faces),
        late=late,
        ignored=tuple(tuple(box) for box in book["ignored"].get(name, ())),
        found=told["found"],
        changed=told["changed"],
        clip=book["clips"].get(name),
        content=told["content"],
        guard=told["guard"],
    )
    return Reuse(order, before.out / name, written)


def reuse_one(task: Reuse) -> Written | None:
    """Copy one file; None where it is not the one that was written, or would be guarded more."""
    order, target = task.order, task.order.folder / task.order.name
    make_folder(target.parent, order.folder)
    draft = target.with_name(f"{HIDDEN}{target.name}")
    try:
        shutil.copyfile(task.file, draft)
        if sha256_of(draft) != task.written.sha256:
            return None
        draft.chmod(0o644)
        draft.replace(target)
    except OSError:
        return None
    finally:
        draft.unlink(missing_ok=True)
    seen = _described(order, target, task.written)
    # compared with whoever is who by now; what could be done about it was done to the others
    spare = _AS_CODED if order.moves else 0.0
    if not task.written.guard and known_faces(order, seen, spare):
        target.unlink(missing_ok=True)
        return None
    save_written(order, task.written, seen)
    return task.written


def _described(order: PhotoOrder, file: Path, written: Written) -> Arrays:
    """The finished faces as the recogniser sees them, which no ledger tells."""
    if not order.embed or not order.faces:
        return {}
    if not order.moves:
        from ksame.vision import find_faces_by

        rgb = read_back(file.read_bytes())
        drawn = lies_on(_regions(order, written))
        return described(order, rgb, list(find_faces_by(order.detector, rgb, drawn)))
    from ksame.release.clips.describing import ClipPair, described_tracks, sampled

    def samples(face: FaceOrder, made: FaceWritten) -> Any:
        return sampled((made.numbers or {})["track"]) if made.numbers else ()

    tracks = tuple(samples(f, made) for f, made in zip(order.faces, written.faces, strict=True))
    pair = ClipPair(order.path, file, tracks, "sface", order.max_pixels)
    return {"sface": described_tracks(file, pair)}


def _regions(order: PhotoOrder, written: Written) -> list[Sequence[float]]:
    """The boxes (xyxy) of a written photo in which faces were replaced or hidden."""
    boxes: list[Sequence[float]] = [*written.ignored]
    for order_of, face in zip(order.faces, written.faces, strict=True):
        drawn = face.numbers["box"] if face.numbers else face.hidden
        boxes += [order_of.box, *([drawn] if drawn else [])]
    for late in written.late:
        boxes += [late.box, late.hidden]
    return boxes

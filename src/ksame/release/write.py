"""Pass 4: one photo with its faces replaced, checked, and only then put where OUT is built."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from ksame.errors import MediaError
from ksame.release.adhoc import conceal_faces
from ksame.release.find import CHANGED, FAULTS, UNWORKABLE, load_array, load_portrait
from ksame.release.plan import Mode
from ksame.release.scratch import Scratch, read_json, sha256_of, write_bytes, write_record
from ksame.release.surrogates import load_surrogate

Image = npt.NDArray[np.uint8]
Box = tuple[int, int, int, int]

LOOK_AGAIN = 48.0  # pixels that the smallest replaced face has in the last look
UNPROTECTED = "a face was found in the result that was not replaced"


@dataclass(frozen=True, slots=True)
class FaceOrder:
    """What is to become of one face: a group's surrogate, or black where group is None."""

    number: int
    box: tuple[float, ...]
    group: int | None


@dataclass(frozen=True, slots=True)
class PhotoOrder:
    """What is to become of one photo."""

    path: Path
    sha256: str
    name: str
    root: Path
    faces: tuple[FaceOrder, ...]
    mode: Mode
    max_pixels: int
    method: str = ""
    seed: int = 0
    others: tuple[tuple[str, int], ...] = ()

    @property
    def first_group(self) -> int:
        """The group of its first replaced face; -1 without any."""
        return next((face.group for face in self.faces if face.group is not None), -1)


@dataclass(frozen=True, slots=True)
class Written:
    """A photo after pass 4; ``failure`` says why it was withheld at the last moment.

    ``placements`` and ``states`` are parallel to the order's faces; ``hidden`` too, with the black
    box where a face was blacked out. ``found`` counts the replaced faces that are still seen as
    faces, ``changed`` is the share of pixels that differ from the original.
    """

    name: str
    sha256: str
    failure: str | None = None
    placements: tuple[Any, ...] = ()
    states: tuple[str | None, ...] = ()
    hidden: tuple[Box | None, ...] = ()
    found: int = 0
    changed: float = 0.0


def write_one(order: PhotoOrder) -> Written:
    """Replace, check and write the faces of one photo, unless that was done before.

    Guarantee: a file appears in the release's folder only after every face that the detector sees
    in the finished picture was found to lie on a replaced or blacked out head.
    """
    scratch = Scratch(order.root)
    record = scratch.done / f"{order.name}.json"
    target = scratch.release / order.name
    if record.is_file():
        done = _restore(read_json(record))
        if done.failure or (target.is_file() and sha256_of(target) == done.sha256):
            return done
    target.unlink(missing_ok=True)
    for folder in (target.parent, record.parent):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        written = _make(order, scratch, target)
    except FAULTS as fault:
        written = Written(order.name, "", f"{UNWORKABLE}: {type(fault).__name__}")
    write_record(record, asdict(written))
    return written


def _make(order: PhotoOrder, scratch: Scratch, target: Path) -> Written:
    from ksame.media import encode_photo, read_photo

    try:
        photo = read_photo(order.path, max_pixels=order.max_pixels, writeable=False)
        if sha256_of(order.path) != order.sha256:
            return Written(order.name, "", CHANGED)
    except (MediaError, OSError):
        return Written(order.name, "", CHANGED)
    change = _conceal if order.method else _protect
    result, written = change(order, scratch, photo.rgb)
    if written.failure:
        return written
    data = encode_photo(result, photo.release_format, photo.quality, photo.subsampling)
    write_bytes(target, data, 0o644)
    return replace(written, sha256=hashlib.sha256(data).hexdigest())


def _protect(order: PhotoOrder, scratch: Scratch, rgb: Image) -> tuple[Image, Written]:
    """The photo with every face replaced or black, and what the ledger needs to know of it."""
    from ksame.composite import composite

    swapped = [face for face in order.faces if face.group is not None]
    portraits = [load_portrait(scratch, order.sha256, f.number, colour=False) for f in swapped]
    heads = dict(zip((face.number for face in swapped), portraits, strict=True))
    hidden = {f.number: head_box(f.box, rgb.shape) for f in order.faces if f.group is None}
    surrogates = [load_surrogate(order.root, face.group or 0) for face in swapped]
    shown = {
        face.number: _placed_state(surrogate, portrait.state)
        for face, surrogate, portrait in zip(swapped, surrogates, portraits, strict=True)
    }
    result = composite(rgb, portraits, surrogates, order.mode) if swapped else rgb.copy()
    for x0, y0, x1, y1 in hidden.values():
        result[y0:y1, x0:x1] = 0
    covered = [tuple(map(float, portrait.box)) for portrait in portraits]
    smallest = min((_size(face.box) for face in swapped), default=float(max(rgb.shape)))
    found = check_protected(result, covered, list(hidden.values()), smallest)
    written = Written(
        order.name,
        "",
        UNPROTECTED if found is None else None,
        tuple(_matrix(heads[f.number]) if f.number in heads else None for f in order.faces),
        tuple(shown.get(face.number) for face in order.faces),
        tuple(hidden.get(face.number) for face in order.faces),
        found or 0,
        _changed(result, rgb),
    )
    return result, written


def _conceal(order: PhotoOrder, scratch: Scratch, rgb: Image) -> tuple[Image, Written]:
    """The photo with every face altered by an ad hoc method."""
    boxes = [face.box for face in order.faces]
    others = [load_array(scratch, *file, "crop") for file in order.others]
    result = conceal_faces(rgb, boxes, order.method, others, order.seed)
    smallest = min(map(_size, boxes), default=float(max(rgb.shape)))
    found = check_protected(result, boxes, [], smallest)
    none = (None,) * len(boxes)
    why = UNPROTECTED if found is None else None
    changed = _changed(result, rgb)
    return result, Written(order.name, "", why, none, none, none, found or 0, changed)


def check_protected(
    result: Image, replaced: Sequence[tuple[float, ...]], hidden: Sequence[Box], smallest: float
) -> int | None:
    """Count the faces found in a finished picture; None if one lies on no protected region.

    What lies outside the replaced regions was searched by the first pass at every scale. The second
    look is as fine as the smallest replaced face needs, and finds what the replacement uncovered.
    """
    from ksame.vision import COARSEST_SIDE, FINEST_SIDE, find_faces

    regions = np.array([*replaced, *hidden], np.float64).reshape(-1, 4)
    needed = LOOK_AGAIN * max(result.shape) / max(smallest, 1.0)
    found = find_faces(
        result, finest=int(np.clip(needed, COARSEST_SIDE, FINEST_SIDE)), turned=False
    )
    for face in found:
        low = np.maximum(regions[:, :2], face.box[:2])
        high = np.minimum(regions[:, 2:], face.box[2:])
        shared = np.clip(high - low, 0, None).prod(axis=1)
        area = float(np.prod(face.box[2:] - face.box[:2]))
        if not (shared > 0.5 * area).any():
            return None
    return len(found)


def head_box(box: Sequence[float], shape: tuple[int, ...]) -> Box:
    """A generous box around the head of a face box: hair, ears, chin and some more."""
    x0, y0, x1, y1 = box
    width, height = x1 - x0, y1 - y0
    side = max(width, height)
    grown = (x0 - 0.45 * side, y0 - 0.6 * side, x1 + 0.45 * side, y1 + 0.35 * side)
    limits = (shape[1], shape[0], shape[1], shape[0])
    a, b, c, d = (int(np.clip(round(v), 0, m)) for v, m in zip(grown, limits, strict=True))
    return a, b, c, d


def _changed(result: Image, rgb: Image) -> float:
    """The share of pixels that differ."""
    red, green, blue = cv2.split(cv2.absdiff(result, rgb))
    different: float = cv2.countNonZero(red | green | blue) / red.size
    return different


def _size(box: Sequence[float]) -> float:
    return max(box[2] - box[0], box[3] - box[1])


def _placed_state(surrogate: Any, state: str) -> str:
    """The expression that a surrogate shows where a face has this one."""
    look = surrogate.look(state)
    return next(str(name) for name, other in surrogate.looks.items() if other is look)


def _matrix(portrait: Any) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(value) for value in row) for row in portrait.matrix)


def _restore(record: dict[str, Any]) -> Written:
    """A photo as an earlier run wrote it."""
    placements = tuple(
        None if matrix is None else tuple(tuple(row) for row in matrix)
        for matrix in record["placements"]
    )
    hidden = tuple(None if box is None else tuple(box) for box in record["hidden"])
    return Written(
        **{
            **record,
            "placements": placements,
            "states": tuple(record["states"]),
            "hidden": hidden,
        }
    )

"""A released clip: every frame is decoded, and the faces of some of them are drawn again.

A track's numbers lie in the ledger as differences from frame to frame. They are unpacked here, by
code of its own, and each sampled frame is judged as a photo is, with what coding moves added.
"""

import base64
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from av.video.frame import VideoFrame

from ksame.arrays import Image, Ints
from ksame.verification.documents import Face
from ksame.verification.photos import Listed
from ksame.verification.reading import Malformed, count, entry, items, table, text, whole
from ksame.verification.shown import Shown
from ksame.verification.steps import COLOURS, LIGHTS
from ksame.verification.streams import check_stream

SAMPLED = 24  # frames of a clip whose faces are drawn again, evenly spaced
FINE = 16  # parts of a step that a clip's numbers are counted in
MOST_FRAMES = 100_000_000  # of a ledger's track: more is no clip
# columns of a shown track: pose, expression, light, outline, black, and two boxes: that of what was
# drawn, and that of the face that was found
_EXPRESSION = 24
_WIDTHS = (9, _EXPRESSION, sum(LIGHTS), 9, 1, 4, 4)
_BOXES = 8


@dataclass(frozen=True, slots=True)
class Track:
    """A track of the ledger: the frames from ``first`` on that it covers, one row each."""

    face: Face = field(repr=False)
    first: int
    rows: Ints = field(repr=False)
    camera: tuple[int, ...]
    fronts: Mapping[int, Any] = field(repr=False)

    def covers(self, frame: int) -> bool:
        """Whether a frame is one of the track's."""
        return self.first <= frame < self.first + len(self.rows)

    def at(self, frame: int) -> Face:
        """The track's face in one frame, as a photo's ledger would list it."""
        row = self.rows[frame - self.first]
        if self.face.group is None:
            hidden = tuple(int(value) for value in row[:4])
            return replace(self.face, hidden=hidden, box=tuple(map(float, row[4:8])))
        parts = [part.tolist() for part in np.split(row, np.cumsum(_WIDTHS)[:-1])]
        pose, expression, light, outline, black, drawn, found = parts
        blur, *grain, colour = self.camera
        numbers = {
            "pose": pose, "expression": expression, "light": light, "outline": outline,
            "black": black[0], "blur": blur, "grain": grain, "colour": COLOURS[colour],
            "front": self.fronts.get(frame), "box": drawn,
        }  # fmt: skip
        return replace(self.face, numbers=numbers, box=tuple(map(float, found)), fine=FINE)


def check_footage(path: Path, listed: Listed) -> Iterator[str]:
    """A clip is what its ledger says, and its tracks are faces of their groups in some frames.

    One pass over the clip: every frame is decoded.
    """
    clip = listed.clip or {}
    try:
        facts = table(entry(clip, "facts", "a clip"), "facts")
        frames = count(entry(clip, "frames", "a clip"), "frames")
        tracks = [read_track(face, frames) for face in listed.faces]
        late = items(entry(clip, "late", "a clip"), "late", _late)
        shown = Shown.of(facts)
    except Malformed as error:
        yield f"{error}"
        return
    wanted = set(np.linspace(0, max(frames - 1, 0), min(SAMPLED, max(frames, 1))).astype(int))

    def look(number: int, frame: VideoFrame) -> Iterator[str]:
        if number in wanted:
            hidden = [face for at, face in late if at == number]
            now = [track.at(number) for track in tracks if track.covers(number)]
            for what in _check_frame(shown.picture(frame), [*now, *hidden], listed):
                yield f"frame {number}: {what}"

    yield from check_stream(path, clip, look)


def _check_frame(picture: Image, faces: Sequence[Face], listed: Listed) -> Iterator[str]:
    from ksame.verification.rendered import check_model_faces

    codes = {group.group: group.code for group in listed.groups}
    yield from check_model_faces(picture, faces, codes, listed.filled)


def read_track(face: Face, frames: int) -> Track:
    """A track of the ledger, unpacked.

    Raises
    ------
    Malformed
        It is not what its format promises.
    """
    where = "a track"
    told = table(entry(face.numbers or {}, "track", where), where)
    first, length = (count(entry(told, name, where), name) for name in ("first", "frames"))
    camera = items(entry(told, "camera", where), "camera", whole)
    width = sum(_WIDTHS) if face.group is not None else _BOXES
    if face.group is not None and (len(camera) != 5 or not 0 <= camera[4] < len(COLOURS)):
        raise Malformed("a track's camera is not what it may be")
    if not 0 < length <= min(frames - first, MOST_FRAMES):
        raise Malformed("a track covers frames that the clip does not have")
    if face.group is not None and told.get("fine") != FINE:
        raise Malformed("a track's numbers are of other steps")
    size = 4 * width * length
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(
            base64.b64decode(text(entry(told, "steps", where), "steps"), validate=True), size + 1
        )
    except (ValueError, zlib.error) as error:
        raise Malformed("a track's numbers are damaged") from error
    if len(data) != size:
        raise Malformed("a track has not as many numbers as frames")
    moved = np.frombuffer(data, "<i4").reshape(width, length).T.astype(np.int64)
    fronts = _fronts(told.get("fronts", {}), range(first, first + length))
    return Track(face, first, np.cumsum(moved, axis=0), camera, fronts)


def _fronts(value: Any, frames: range) -> dict[int, Any]:
    """What lies in front of a track's face, by the number of the frame."""
    by_name = {str(frame): frame for frame in frames}
    told = table(value, "fronts")
    if not told.keys() <= by_name.keys():
        raise Malformed("something lies in front of a face in a frame that its track does not have")
    return {by_name[name]: front for name, front in told.items()}


def _late(value: Any, where: str) -> tuple[int, Face]:
    """A fill of a single frame, as a hidden face."""
    told = table(value, where)
    hidden = items(entry(told, "hidden", where), "hidden", count)
    if len(hidden) != 4:
        raise Malformed("a fill is no box")
    box = tuple(map(float, hidden))
    frame = count(entry(told, "frame", where), "frame")
    return frame, Face("", box, None, None, None, None, hidden)

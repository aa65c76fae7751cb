"""Tracks that a person drew or extended: where the face is in some frames, told by hand.

Between two marks the box moves evenly. In every frame of the stretch landmarks are looked for where
the person says that the face is; where they are found the face is replaced as any other, where not
the box is filled. So the frames that a person names are protected, whatever the models see.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ksame._version import __version__
from ksame.arrays import Arrays, Floats, Image
from ksame.faces import Face, Faces
from ksame.release.clips.gathering import TRACK, load_rows, moments_of, told_of
from ksame.release.clips.searching import FRAMES, search_along
from ksame.release.kin import KIN
from ksame.release.listed import BY_HAND, Listed, seen_at, usual_points
from ksame.release.styles.adhoc import faces_found
from ksame.store import Store, key_of
from ksame.tracking import meetings

if TYPE_CHECKING:
    from ksame.media.clips import ClipFacts

_GOOD: Final = 0.5  # of the landmark model's score
_LEAST_MARKED: Final = 0.1  # of a track's frames that must have landmarks, for it to be posed


@dataclass(frozen=True, slots=True)
class Clip:
    """What is looked at: the file, its facts, and where the store keeps what its segments show."""

    path: Path = field(repr=False)
    sha256: str
    store: Store
    facts: "ClipFacts" = field(repr=False)
    keys: tuple[str, ...] = field(repr=False)


def with_hands(
    clip: Clip, faces: Faces, arrays: Arrays, listed: Listed, attributes: Sequence[str]
) -> tuple[Faces, Arrays, tuple[str, ...]]:
    """The tracks of a clip with those that a person drew or extended.

    Guarantee: a track covers every frame between its first and its last mark, and every frame that
    it covered before. Returns the keys of all segments too, those looked at by hand last.
    """
    arrays, keys = dict(arrays), list(clip.keys)
    places = {tuple(box): i for i, box in enumerate(faces.xyxy.tolist())}
    told = sorted((f for f in listed.faces or () if f.get("marks")), key=lambda f: tuple(f["box"]))
    for face in told:
        marks = [mark for mark in face["marks"] if mark[0] < clip.facts.frames]
        if not marks:
            continue
        if (number := places.get(tuple(face["box"]))) is not None:
            _extend(clip, arrays, number, marks, keys)
        elif face.get("drawn"):
            faces = _drawn(clip, faces, arrays, (face["box"], marks), keys, attributes)
    if told:
        pairs = meetings([arrays[f"{i}/frame"] for i in range(len(faces))])
        arrays["meetings"] = np.array(pairs, np.int64).reshape(-1, 2)
    return faces, arrays, tuple(keys)


def _extend(
    clip: Clip, arrays: Arrays, number: int, marks: Sequence[Sequence[float]], keys: list[str]
) -> None:
    """Let a track begin earlier or end later, in place."""
    first, stop = arrays[f"{number}/cover"].tolist()
    own = {name: arrays[f"{number}/{name}"] for name in TRACK}
    before = [mark for mark in marks if mark[0] < first]
    after = [mark for mark in marks if mark[0] >= stop]
    ends = [[float(own["frame"][at]), *own["xyxy"][at].tolist()] for at in (0, -1)]
    parts = [own]
    if before:
        low = int(min(mark[0] for mark in before))
        parts.insert(0, _looked_at(clip, [*before, ends[0]], low, first, keys))
        first = low
    if after:
        high = int(max(mark[0] for mark in after)) + 1
        parts.append(_looked_at(clip, [ends[1], *after], stop, high, keys))
        stop = high
    for name in TRACK:
        arrays[f"{number}/{name}"] = np.concatenate([part[name] for part in parts])
    arrays[f"{number}/cover"] = np.array([first, stop])


def _drawn(
    clip: Clip,
    faces: Faces,
    arrays: Arrays,
    told: tuple[Sequence[float], Sequence[Sequence[float]]],
    keys: list[str],
    attributes: Sequence[str],
) -> Faces:
    """The faces with one more; what is kept of its track is added to ``arrays`` in place."""
    box, marks = told
    low, high = int(min(m[0] for m in marks)), int(max(m[0] for m in marks)) + 1
    track = _looked_at(clip, marks, low, high, keys)
    rows = load_rows(clip.store, keys[-1:])
    moments = moments_of(clip.store, keys[-1:], rows).of(np.arange(len(rows.frame)))
    number = len(faces)
    able = float((rows.mesh_score >= _GOOD).mean()) >= _LEAST_MARKED and moments.complete
    columns = {name: [""] for name in (*attributes, KIN)}
    best = Face(np.array(box, np.float64), 1.0, usual_points(box))
    if able and moments.best is not None:
        best = Face(best.box, 1.0, rows.points[moments.best])
        own, classes = told_of(clip.store, keys[-1:], rows, moments.best, moments, attributes)
        arrays |= {f"{number}/{name}": array for name, array in own.items()}
        columns |= {name: [word] for name, word in classes.items()}
    arrays |= {f"{number}/{name}": track[name] for name in TRACK}
    arrays[f"{number}/cover"] = np.array([low, high])
    one = faces_found([best], [None if able else BY_HAND], **columns)
    return Faces.merge([faces, one]) if len(faces) else one


def _looked_at(
    clip: Clip, marks: Sequence[Sequence[float]], low: int, high: int, keys: list[str]
) -> Arrays:
    """Look at the frames ``low`` to ``high - 1``, unless that was done; ``keys`` gets their key."""
    from ksame.media.clips import Segment, read_frames

    asked = sorted([float(value) for value in mark] for mark in marks)
    key = key_of("frames by hand", __version__, clip.sha256, asked, low, high)
    if clip.store.note(FRAMES, key) is None:
        frames = read_frames(clip.path, clip.facts, Segment(low, high))
        faces = _faces(enumerate(frames, low), np.array(asked))
        found = search_along(faces, float(clip.facts.rate))
        clip.store.save(FRAMES, key, found, True)
    keys.append(key)
    kept = clip.store.load(FRAMES, key, names=("frame", "xyxy", "mesh_score"))
    count = len(kept["frame"])
    return {**kept, "segment": np.full(count, len(keys) - 1), "row": np.arange(count)}


def _faces(frames: Any, marks: Floats) -> Iterator[tuple[int, Image, Face]]:
    """The face of every frame: a faint detection's where a person sees one, else as told."""
    for number, rgb in frames:
        box = np.array([np.interp(number, marks[:, 0], side) for side in marks[:, 1:].T])
        seen = seen_at(rgb, box)
        yield (
            number,
            rgb,
            Face(
                box if seen is None else seen.box,
                1.0,
                usual_points(box) if seen is None else seen.points,
            ),
        )

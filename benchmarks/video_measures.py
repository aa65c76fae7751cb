"""What `benchmarks/video.py` measures on a clip and its release, frame by frame."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ksame.media.clips import ClipFacts, read_facts, read_frames
from ksame.verification.documents import Face as Listed
from ksame.verification.documents import Ledger
from ksame.verification.footage import Track, read_track
from ksame.vision import (
    BLENDSHAPE_NAMES,
    Face,
    Landmarks,
    blendshapes,
    embed_dlib,
    embed_sface,
    expression_class,
    find_faces,
    find_landmarks,
    follow_landmarks,
)

Floats = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]
EMBED = {"sface": embed_sface, "dlib": embed_dlib}
SIGNALS = ("jaw", "smile", "blink", "brow", "yaw", "pitch", "roll", "lips")
LOOKED_AT = 12  # frames of a track that recognisers see; their mean is compared
KNOWN = 40  # px: smaller faces tell recognisers nothing
STILL = {"yaw": 1.0, "pitch": 1.0, "roll": 1.0}  # degrees of standard deviation
STILL_WEIGHT = 0.02  # the same of other signals: what moves less is noise of the measurement
UNCHANGED = 4.0  # grey levels: the median difference of pixels that only coding has touched
SAME_FACE = 0.363  # likeness from which SFace takes two faces for one person's


@dataclass
class Course:
    """A face over time: signals, landmarks in pixels, expression."""

    signals: dict[str, list[float]] = field(default_factory=lambda: {n: [] for n in SIGNALS})
    points: list[Floats | None] = field(default_factory=list)
    eyes: list[float] = field(default_factory=list)  # their distance in px
    classes: list[str] = field(default_factory=list)
    last: Landmarks | None = None

    def watch(self, rgb: Image) -> None:
        """Add what the next frame shows of the largest face."""
        found = self._landmarks(rgb)
        self.last = found
        if found is None:
            for values in self.signals.values():
                values.append(np.nan)
            self.points.append(None)
            self.classes.append("")
            return
        eyes = float(np.hypot(*(found.points[33] - found.points[263])))
        coefficients = blendshapes(found.points)
        told = dict(zip(BLENDSHAPE_NAMES, coefficients.tolist(), strict=True))
        values = {
            "jaw": told["jawOpen"],
            "smile": (told["mouthSmileLeft"] + told["mouthSmileRight"]) / 2,
            "blink": (told["eyeBlinkLeft"] + told["eyeBlinkRight"]) / 2,
            "brow": told["browInnerUp"] - (told["browDownLeft"] + told["browDownRight"]) / 2,
            "yaw": _turn(found, 234, 454),
            "pitch": _turn(found, 10, 152),
            "roll": float(np.degrees(np.arctan2(*(found.points[263] - found.points[33])[::-1]))),
            "lips": float(np.hypot(*(found.points[13] - found.points[14]))) / eyes,
        }
        for name, value in values.items():
            self.signals[name].append(value)
        self.points.append(found.points)
        self.eyes.append(eyes)
        self.classes.append(expression_class(coefficients))

    def _landmarks(self, rgb: Image) -> Landmarks | None:
        if self.last is not None:
            followed = follow_landmarks(rgb, self.last)
            if followed.score > 0.5:
                return followed
        faces = find_faces(rgb)
        if not len(faces):
            return None
        found = find_landmarks(rgb, max(faces, key=lambda face: face.size))
        return found if isinstance(found, Landmarks) else None


def _turn(marks: Landmarks, first: int, second: int) -> float:
    """Degrees by which the line between two points is turned out of the picture's plane."""
    across = float(np.hypot(*(marks.points[second] - marks.points[first])))
    return float(np.degrees(np.arctan2(marks.depth[second] - marks.depth[first], across)))


def behaviour(before: Course, after: Course) -> dict[str, Any]:
    """Correlations over time of the signals that move, jitter, agreement of expressions."""
    together = [
        a is not None and b is not None for a, b in zip(before.points, after.points, strict=True)
    ]
    both = np.flatnonzero(together)
    found: dict[str, Any] = {"frames": len(both)}
    if len(both) < 10:
        return found
    for name in SIGNALS:
        a, b = (np.array(c.signals[name])[both] for c in (before, after))
        if a.std() >= STILL.get(name, STILL_WEIGHT) and b.std() > 0:
            found[name] = float(np.corrcoef(a, b)[0, 1])
    same = [before.classes[i] == after.classes[i] for i in both]
    found["expression"] = float(np.mean(same))
    shaken = [_shake(course) for course in (before, after)]
    found["jitter"] = shaken[1] / shaken[0] if shaken[0] > 0 else np.nan
    return found


def _shake(course: Course) -> float:
    """Mean second difference of the landmarks, over the usual distance of the eyes.

    One distance for the whole course: that of each frame shakes itself, and places in the picture
    divided by it would shake the more, the further a face is from the corner.
    """
    found = [
        np.abs(a - 2 * b + c).mean()
        for a, b, c in zip(course.points, course.points[1:], course.points[2:], strict=False)
        if a is not None and b is not None and c is not None
    ]
    return float(np.mean(found) / np.median(course.eyes)) if found else np.nan


@dataclass
class Known:
    """A track as recognisers know it, before and after: means over some frames."""

    clip: str
    person: str
    before: dict[str, Floats]
    after: dict[str, Floats]
    halves: float  # likeness of its released first and second half, by SFace


@dataclass(frozen=True)
class Pair:
    """A clip and its release."""

    name: str
    source: Path
    released: Path
    facts: ClipFacts = field(repr=False)
    again: ClipFacts = field(repr=False)
    tracks: tuple[Track, ...] = field(repr=False)

    def frames(self) -> Iterator[tuple[int, Image, Image]]:
        """Number, original and released picture of every frame."""
        both = zip(
            read_frames(self.source, self.facts),
            read_frames(self.released, self.again),
            strict=True,
        )
        for number, (before, after) in enumerate(both):
            yield number, before, after


def pairs(out: Path, ledger: Ledger) -> list[Pair]:
    """Every released clip beside its original."""
    found = []
    for name in sorted(ledger.clips):
        faces: list[Listed] = [face for face in ledger.faces if face.file == name]
        source, released = Path(ledger.files[name]), out / name
        again = read_facts(released)
        tracks = tuple(read_track(face, again.frames) for face in faces if face.numbers)
        found.append(Pair(name, source, released, read_facts(source), again, tracks))
    return found


def watch(pair: Pair, boxes: Floats, *, moves: bool) -> dict[str, Any]:
    """One pass over a clip: leaks, what recognisers know of its tracks, behaviour."""
    wanted = {
        number: set(
            np.linspace(track.first, track.first + len(track.rows) - 1, LOOKED_AT).astype(int)
        )
        for number, track in enumerate(pair.tracks)
        if track.face.group is not None
    }
    seen: dict[int, dict[str, list[tuple[int, Floats]]]] = {n: {} for n in wanted}
    before, after = Course(), Course()
    leaks: list[dict[str, Any]] = []
    for frame, old, new in pair.frames():
        for row in boxes[boxes[:, 0] == frame]:
            if is_unchanged(old, new, row[1:5]):
                leaks.append({"frame": frame, "box": row[1:5].round().tolist(), "score": row[5]})
        due = [number for number in wanted if frame in wanted[number]]
        if due:
            faces = find_faces(old), find_faces(new)
            for number in due:
                box = np.array(pair.tracks[number].at(frame).box)
                _know(seen[number], frame, (old, new), faces, box)
        if moves:
            before.watch(old)
            after.watch(new)
    known = [_known(pair, pair.tracks[n], seen[n]) for n in seen if "sface-after" in seen[n]]
    told = behaviour(before, after) if moves else {}
    return {"leaks": leaks, "known": [k for k in known if k is not None], "behaviour": told}


def is_unchanged(old: Image, new: Image, box: Floats) -> bool:
    """Whether the middle of a box shows the original's pixels, but for coding."""
    height, width = old.shape[:2]
    middle, half = (box[:2] + box[2:]) / 2, (box[2:] - box[:2]) / 4
    x0, y0 = np.maximum(np.floor(middle - half), 0).astype(int)
    x1, y1 = np.minimum(np.ceil(middle + half), (width, height)).astype(int)
    apart = np.abs(old[y0:y1, x0:x1].astype(int) - new[y0:y1, x0:x1]).max(axis=2)
    return bool(apart.size and np.median(apart) < UNCHANGED)


def _know(
    seen: dict[str, list[tuple[int, Floats]]],
    frame: int,
    pictures: tuple[Image, Image],
    faces: tuple[Sequence[Face], Sequence[Face]],
    box: Floats,
) -> None:
    """Add what recognisers see of a track in one frame of both clips."""
    for when, rgb, found in zip(("before", "after"), pictures, faces, strict=True):
        face = max(found, key=lambda one: overlap(one.box, box), default=None)
        if face is None or overlap(face.box, box) < 0.3 or face.size < KNOWN:
            continue
        for name, embed in EMBED.items():
            seen.setdefault(f"{name}-{when}", []).append((frame, embed(rgb, face)))


def overlap(a: Floats, b: Floats) -> float:
    """Intersection over union of two boxes."""
    shared = np.clip(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0, None).prod()
    return float(shared / ((a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - shared))


def _known(
    pair: Pair, track: Track, seen: Mapping[str, Sequence[tuple[int, Floats]]]
) -> Known | None:
    """The means of a track; None where the original was never seen well enough."""
    if "sface-before" not in seen:
        return None
    means = {key: np.mean([v for _, v in rows], axis=0) for key, rows in seen.items()}
    shown = [vector for _, vector in seen["sface-after"]]
    halves = 1.0
    if len(shown) >= 4:
        first, second = (np.mean(half, axis=0) for half in np.array_split(shown, 2))
        halves = float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))
    return Known(
        pair.name,
        track.face.person or "",
        {name: means[f"{name}-before"] for name in EMBED},
        {name: means[f"{name}-after"] for name in EMBED},
        halves,
    )


def rank1(
    probes: Sequence[Known], gallery: Sequence[tuple[str, dict[str, Floats]]]
) -> dict[str, float]:
    """Share of released tracks whose nearest gallery track is one of the same person."""
    found = {}
    for name in EMBED:
        known = np.stack([_unit(vectors[name], name) for _, vectors in gallery])
        hits = []
        for probe in probes:
            apart = np.linalg.norm(known - _unit(probe.after[name], name), axis=1)
            hits.append(gallery[int(apart.argmin())][0] == probe.person)
        found[name] = float(np.mean(hits))
    return found


def _unit(vector: Floats, name: str) -> Floats:
    """SFace compares by the angle; dlib by the distance."""
    return vector / np.linalg.norm(vector) if name == "sface" else vector

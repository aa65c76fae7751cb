"""The rows of all segments become the tracks of a clip, and each track a face of its picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ksame.arrays import Arrays, Floats, Ints
from ksame.faces import Face, Faces
from ksame.people.cluster import LOWEST
from ksame.release.attributes import UNKNOWN
from ksame.release.clips.doubting import judge_track, without_tails
from ksame.release.clips.searching import FRAMES
from ksame.release.clips.watching import SURE
from ksame.release.kin import FIRST, KIN
from ksame.release.listed import DECIMALS
from ksame.release.styles.adhoc import faces_found
from ksame.store import Store
from ksame.tracking import Cover, Limits, cover, link, meetings, without_hidden
from ksame.vision.second_look import SURE as CERTAIN
from ksame.vision.second_look import Verdict

if TYPE_CHECKING:
    from ksame.media.clips import ClipFacts

BRIEF: Final = "it is seen too briefly to tell who it is"
NO_POSE: Final = "its pose cannot be told"
_PATIENCE: Final = 1.0  # seconds that a face may be hidden and is still the same track
_BEFORE: Final = 0.3  # seconds that a face is followed back without a detection
_BEYOND: Final = 0.1  # seconds before the first and after the last detection that are covered too
_TO_CUT: Final = 0.3  # ... and to a cut, or an end of the clip, that is no further away
_BRIEF: Final = 0.15  # seconds; what is shorter is a flicker of the detector as often as a person
_GOOD: Final = 0.5  # of the landmark model's score
TRACK: Final = ("frame", "xyxy", "mesh_score", "segment", "row")  # kept of a track's detections
_LIGHT: Final = ("frame", "xyxy", "points", "score", "mesh_score", "opinion", "third")
_TAIL: Final = 0.3  # seconds that a face is drawn before and after its last sure detection
_LEAST_MARKED: Final = 0.1  # of a track's frames that must have landmarks, for it to be posed
_MOST_SEEN: Final = 16  # embeddings of which a track's identity is the mean


@dataclass(frozen=True)
class Rows:
    """The detections of a whole clip without their landmarks: a few numbers each.

    ``segment`` and ``row`` say where the landmarks lie in the store.
    """

    frame: Ints
    xyxy: Floats
    points: Floats
    score: Floats
    mesh_score: Floats
    opinion: Floats
    third: Floats
    segment: Ints
    row: Ints


def load_rows(store: Store, keys: Sequence[str]) -> Rows:
    """All detections of a clip, in the order of frames."""
    parts = [store.load(FRAMES, key, names=_LIGHT) for key in keys]
    joined = {name: np.concatenate([part[name] for part in parts]) for name in _LIGHT}
    counts = [len(part["frame"]) for part in parts]
    return Rows(
        **joined,
        segment=np.repeat(np.arange(len(parts)), counts),
        row=np.concatenate([np.arange(count) for count in counts]),
    )


def tracks_of(rows: Rows, facts: "ClipFacts") -> list[Cover]:
    """The tracks of a clip: their detections, and the frames that each covers."""
    rate = float(facts.rate)
    limits = Limits(
        sure=SURE, patience=max(round(_PATIENCE * rate), 5), before=max(round(_BEFORE * rate), 3)
    )
    labels = link(rows.frame, rows.xyxy, rows.score, facts.cuts, limits)
    beyond, to_cut = max(round(_BEYOND * rate), 2), max(round(_TO_CUT * rate), 3)
    return cover(rows.frame, labels, facts.frames, facts.cuts, beyond, to_cut)


def gather(
    store: Store, keys: Sequence[str], facts: "ClipFacts", attributes: Sequence[str]
) -> tuple[Faces, Arrays]:
    """The faces of a clip, the longest seen first, and what later stages need of them.

    What several models take for no face is no track; it lies in ``dropped``.
    """
    rows = load_rows(store, keys)
    covers = tracks_of(rows, facts)
    moments = moments_of(store, keys, rows)
    kept: list[tuple[Cover, str | None]] = []
    dropped: list[Cover] = []
    least = max(round(_BRIEF * float(facts.rate)), 2)
    for one in covers:
        verdict = _verdict(rows, one)
        if verdict is Verdict.NONE:
            dropped.append(one)
        else:
            doubt = NO_POSE if verdict is Verdict.DOUBT else None
            for part in without_hidden(one, covers, rows.frame, rows.xyxy):
                why = doubt or _failure(rows, part, least, moments)
                kept += [(part, why)] if why else _parted(rows, part, facts, moments)
    kept.sort(key=lambda item: (item[1] is not None, -len(item[0].rows), item[0].track))
    arrays: Arrays = {"dropped": np.zeros((0, 4))}
    columns: dict[str, list[str]] = {name: [] for name in attributes}
    best: list[Face] = []
    for i, (one, failure) in enumerate(kept):
        told = moments.of(one.rows)
        row = told.best if told.best is not None else int(one.rows[rows.score[one.rows].argmax()])
        place = own_place(rows.xyxy[row], [face.box for face in best])
        best.append(Face(place, float(rows.score[row]), rows.points[row]))
        classes = dict.fromkeys(attributes, "")
        if failure is None:
            own, classes = told_of(store, keys, rows, row, told, attributes)
            arrays |= {f"{i}/{name}": array for name, array in own.items()}
        arrays |= {f"{i}/{name}": array for name, array in _track(rows, one).items()}
        for name in attributes:
            columns[name].append(classes[name])
    pairs = meetings([rows.frame[one.rows] for one, _ in kept])
    arrays["meetings"] = np.array(pairs, np.int64).reshape(-1, 2)
    others = [one.rows for one in dropped]
    unlike = np.concatenate(others) if others else np.zeros(0, np.int64)
    arrays |= {"no_face/frame": rows.frame[unlike], "no_face/xyxy": rows.xyxy[unlike]}
    columns[KIN] = _kin(arrays, len(kept))
    return faces_found(best, [why for _, why in kept], **columns), arrays


def own_place(box: Floats, taken: Sequence[Floats]) -> Floats:
    """A track's box as a ledger lists it, and no other track's: it is what names the track."""
    place = np.asarray(box, np.float64).round(DECIMALS)
    while any((place == other).all() for other in taken):  # a still picture gives equal boxes
        place = np.array([*place[:2], round(place[2] + 0.01, DECIMALS), place[3]])
    return place


def _kin(arrays: Arrays, count: int) -> list[str]:
    """Which tracks are the person of the first one, seen again: alike, and never together."""
    first = arrays.get("0/sface")
    met = {j for i, j in arrays["meetings"].tolist() if i == 0}
    found = []
    for i in range(count):
        own = arrays.get(f"{i}/sface")
        alike = first is not None and own is not None and float(first @ own) >= LOWEST
        found.append(FIRST if i == 0 or (alike and i not in met) else "")
    return found


def _track(rows: Rows, one: Cover) -> Arrays:
    """What a track does over time: where it is, and where its landmarks lie in the store."""
    told = {name: getattr(rows, name)[one.rows] for name in TRACK}
    return {**told, "cover": np.array([one.first, one.stop])}


def _verdict(rows: Rows, one: Cover) -> Verdict:
    """Whether a track is a face."""
    row = int(one.rows[rows.score[one.rows].argmax()])
    best = Face(rows.xyxy[row], float(rows.score[row]), rows.points[row])
    own = one.rows
    return judge_track(best, rows.mesh_score[own], rows.opinion[own], rows.third[own])


def _parted(
    rows: Rows, one: Cover, facts: "ClipFacts", moments: "Moments"
) -> list[tuple[Cover, str | None]]:
    """A track that can be replaced, and its tails that cannot."""
    sure = (rows.mesh_score >= _GOOD) | (rows.score >= CERTAIN)
    middle, *tails = without_tails(one, rows.frame, sure, max(round(_TAIL * float(facts.rate)), 3))
    if not moments.of(middle.rows).complete:
        return [(one, NO_POSE)]
    return [(middle, None), *((tail, NO_POSE) for tail in tails)]


def _failure(rows: Rows, one: Cover, least: int, moments: "Moments") -> str | None:
    """Why a track cannot be replaced, or None."""
    marked = int((rows.mesh_score[one.rows] >= _GOOD).sum())
    if len(one.rows) < least:
        return BRIEF
    if not marked or marked < _LEAST_MARKED * len(one.rows):
        return NO_POSE
    return None if moments.of(one.rows).complete else NO_POSE


@dataclass(frozen=True)
class Told:
    """What the best moments of one track tell."""

    sface: Floats
    looks: Floats
    camera: Floats  # edges, grain, colour and size of the frames whose light is known
    best: int | None

    @property
    def complete(self) -> bool:
        """Whether identity, looks and light are known."""
        return bool(len(self.sface) and len(self.looks) and len(self.camera))


@dataclass(frozen=True)
class Moments:
    """The moments of all segments, by the number of their detection in the clip."""

    sface_row: Ints
    sface: Floats
    looks_row: Ints
    looks: Floats
    light_row: Ints
    camera: Floats

    def of(self, rows: Ints) -> Told:
        """Those of some detections; the best one is that of the last look at them."""
        looks = np.isin(self.looks_row, rows)
        found = self.looks_row[looks]
        return Told(
            self.sface[np.isin(self.sface_row, rows)],
            self.looks[looks],
            self.camera[np.isin(self.light_row, rows)],
            int(found[-1]) if len(found) else None,
        )


def moments_of(store: Store, keys: Sequence[str], rows: Rows) -> Moments:
    """The moments of some segments, whose detections ``rows`` are."""
    names = ("sface/row", "sface/values", "looks/row", "looks/values", "light/row", "light/camera")
    first = np.searchsorted(rows.segment, np.arange(len(keys)))
    parts: dict[str, list[Any]] = {name: [] for name in names}
    for key, start in zip(keys, first, strict=True):
        part = store.load(FRAMES, key, names=names)
        for name in names:
            parts[name].append(part[name] + start if name.endswith("/row") else part[name])
    return Moments(*(np.concatenate(parts[name]) for name in names))


def told_of(
    store: Store,
    keys: Sequence[str],
    rows: Rows,
    row: int,
    told: Told,
    attributes: Sequence[str],
) -> tuple[Arrays, dict[str, str]]:
    """What later stages need of one track, named as for a photo's face."""
    from ksame.vision import blendshapes, expression_class
    from ksame.vision.looks import FaceLooks, pooled_looks

    kept = store.load(FRAMES, keys[rows.segment[row]])
    at = int(rows.row[row])
    mesh = kept["mesh"][at]
    mean = told.sface[:: max(len(told.sface) // _MOST_SEEN, 1)].mean(axis=0)
    arrays: Arrays = {
        "landmarks": mesh,
        "marks_score": np.array(rows.mesh_score[row]),
        "looks": _pooled(told.looks),
        "sface": mean / max(float(np.linalg.norm(mean)), 1e-12),
        "camera": _camera(told.camera),
    }
    if f"portrait/{at}" in kept:
        arrays |= {"portrait": kept[f"portrait/{at}"], "corner": kept[f"corner/{at}"]}
    one = pooled_looks([FaceLooks(*values) for values in told.looks.tolist()])
    known = {"gender": one.sex if one.sex != "unsure" else UNKNOWN, "age_band": one.age_band}
    if "expression" in attributes:
        known["expression"] = expression_class(blendshapes(mesh[:, :2].astype(np.float64)))
    return arrays, {name: known[name] for name in attributes}


def _camera(seen: Floats) -> Floats:
    """Middle values of what the camera does; the colour of most frames."""
    middle = np.array([np.median(column) for column in seen.T])
    edges = seen[:, 0][np.isfinite(seen[:, 0])]
    middle[0] = np.median(edges) if len(edges) else np.nan
    middle[4] = np.bincount(seen[:, 4].astype(int)).argmax()
    return middle


def _pooled(looks: Floats) -> Floats:
    """The looks of several frames as those of one: the middle, and a tone as sure as all are."""
    tone, sure = looks[:, 2], np.where(np.isfinite(looks[:, 2]), looks[:, 3], 0.0)
    weight = float(sure.sum())
    mean = float((np.nan_to_num(tone) * sure).sum() / weight) if weight > 0 else np.nan
    # frames of one clip share their light, so that they are no surer than the surest
    return np.array([
        float(np.median(looks[:, 0])), float(np.median(looks[:, 1])), mean,
        float(sure.max(initial=0.0)),
    ])  # fmt: skip

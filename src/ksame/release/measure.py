"""What a recogniser still finds in this very release, and what of the photos was kept.

In natural mode only the face is replaced, and hair, outline and light stay: how much that gives
away cannot be derived, so it is measured on every release and told in its certificate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ksame.release.ledger import FaceEntry, GroupEntry
from ksame.release.publish import Run
from ksame.release.scratch import Scratch
from ksame.release.workers import Workers

Floats = npt.NDArray[np.float64]

MOST_PHOTOS = 2000  # attacked per release; a random part of larger ones
MOST_RANKS = 50  # of a match curve that the certificate holds


@dataclass(frozen=True, slots=True)
class Pair:
    """A photo before and after, with the boxes of its replaced faces."""

    original: Path
    released: Path
    boxes: tuple[tuple[float, ...], ...]
    recognisers: tuple[str, ...]
    max_pixels: int


def measure_release(
    run: Run,
    faces: Sequence[FaceEntry],
    groups: Sequence[GroupEntry],
    scratch: Scratch,
    workers: Workers,
) -> dict[str, Any]:
    """Figures for certificate and report: counts and rates that name nobody."""
    written = run.released().values()
    replaced = sum(face.hidden is None for face in faces)
    found = sum(w.found for w in written)
    measured: dict[str, Any] = {
        "faces_still_found": round(min(found / replaced, 1.0), 4) if replaced else None,
        "changed_pixels": round(float(np.mean([w.changed for w in written])), 4)
        if written
        else None,
    }
    if kept := _expressions_kept(run):
        measured["expression_kept"] = round(float(np.mean(kept)), 4)
    if run.plan.attacks and run.shared and replaced:
        measured["attacks"] = _attack(run, faces, groups, scratch, workers)
    return measured


def _expressions_kept(run: Run) -> list[bool]:
    """For each replaced face, whether its surrogate shows the expression that it had."""
    return [
        state == run.photos[n].faces[order.number].state
        for n, written in run.released().items()
        for order, state in zip(run.orders.write[n].faces, written.states, strict=True)
        if order.group is not None
    ]


def available_recognisers() -> tuple[str, ...]:
    """SFace, and dlib's network where its package and weights are installed."""
    from importlib.util import find_spec

    from ksame import weights
    from ksame.errors import WeightsError

    if find_spec("dlib") is None:
        return ("sface",)
    try:
        weights.path("dlib-resnet")
    except WeightsError:
        return ("sface",)
    return ("sface", "dlib")


def _attack(
    run: Run,
    faces: Sequence[FaceEntry],
    groups: Sequence[GroupEntry],
    scratch: Scratch,
    workers: Workers,
) -> list[dict[str, Any]]:
    """Rank-1 and verification of the released faces against their originals."""
    by_file: dict[str, list[FaceEntry]] = {}
    for face in faces:
        if face.group is not None:
            by_file.setdefault(face.file, []).append(face)
    names = sorted(by_file)
    order = run.secret.permutation(len(names), "attack")
    names = sorted(names[i] for i in order[:MOST_PHOTOS])
    path_of = {w.name: run.photos[n].path for n, w in run.released().items()}
    recognisers = available_recognisers()
    pairs = [
        Pair(
            path_of[name],
            scratch.release / name,
            tuple(face.box for face in by_file[name]),
            recognisers,
            run.plan.max_pixels,
        )
        for name in names
    ]
    described = list(workers.run("attack", describe_pair, pairs))
    shown = [face for name in names for face in by_file[name]]
    donors = {group.group: tuple(group.donors) for group in groups}
    return [
        _rates(recogniser, [d[recogniser] for d in described], shown, donors)
        for recogniser in recognisers
    ]


def describe_pair(pair: Pair) -> dict[str, tuple[Floats, Floats]]:
    """Embeddings of the faces of one photo, before and after, per recogniser (unit rows)."""
    from ksame.media import read_photo
    from ksame.vision import embed_dlib, embed_sface

    embed = {"sface": embed_sface, "dlib": embed_dlib}
    sides = []
    for path in (pair.original, pair.released):
        rgb = read_photo(path, max_pixels=pair.max_pixels).rgb
        sides.append((rgb, _faces_at(rgb, pair.boxes)))
    return {
        name: (_describe(embed[name], *sides[0]), _describe(embed[name], *sides[1]))
        for name in pair.recognisers
    }


def _faces_at(rgb: npt.NDArray[np.uint8], boxes: Sequence[Sequence[float]]) -> list[Any]:
    """The detected face at each box; None where there is none any more."""
    from ksame.vision import find_faces

    found = find_faces(rgb, turned=False)
    chosen = []
    for box in boxes:
        centre = np.array([box[0] + box[2], box[1] + box[3]]) / 2
        inside = [
            face
            for face in found
            if (face.box[:2] <= centre).all() and (centre <= face.box[2:]).all()
        ]
        chosen.append(inside[0] if inside else None)
    return chosen


def _describe(embed: Any, rgb: npt.NDArray[np.uint8], faces: Sequence[Any]) -> Floats:
    """One row per face; a face that is not found is a row of NaN."""
    rows = [np.full(128, np.nan) if f is None else np.asarray(embed(rgb, f)) for f in faces]
    return np.stack(rows).astype(np.float64)


def _rates(
    recogniser: str,
    described: Sequence[tuple[Floats, Floats]],
    faces: Sequence[FaceEntry],
    donors: Mapping[int, tuple[str, ...]],
) -> dict[str, Any]:
    """The naive attack (N 5.2): originals as gallery, released faces as probes."""
    from ksame.attacks.measure import impostors, measure
    from ksame.attacks.trials import Trial

    gallery = np.concatenate([before for before, _ in described])
    probes = np.concatenate([after for _, after in described])
    people = np.array([str(face.person) for face in faces])
    # what the detector does not find on one side cannot be compared by this recogniser
    kept, seen = np.isfinite(gallery[:, 0]), np.isfinite(probes[:, 0])
    rows = seen & np.isin(people, people[kept])
    if not rows.any() or len(set(people[kept])) < 2:
        return {"recogniser": recogniser, "probes": 0}
    column = np.cumsum(kept) - 1
    trial = Trial(
        _distances(probes[rows], gallery[kept]),
        people[kept],
        people[rows],
        np.where(kept, column, -1)[rows].astype(np.intp),
        tuple(donors.get(f.group or 0, ()) for f, row in zip(faces, rows, strict=True) if row),
    )
    within = impostors(_distances(gallery[kept], gallery[kept]), people[kept])
    groups = [face.group for face, row in zip(faces, rows, strict=True) if row]
    found = measure(recogniser, "naive", (trial,), within, groups).as_dict()
    return {**found, "cmc": found["cmc"][:MOST_RANKS]}


def _distances(a: Floats, b: Floats) -> Floats:
    """Euclidean distances between rows."""
    squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1)[None] - 2 * a @ b.T
    distances: Floats = np.sqrt(np.clip(squares, 0, None))
    return distances

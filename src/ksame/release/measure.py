"""What a recogniser still finds in this very release, and what of the photos was kept.

Where only the face is replaced, hair, outline and light stay: how much that gives away cannot be
derived, so it is measured on every release and told in its certificate.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ksame.arrays import Floats, Image
from ksame.release.counts import count_bound
from ksame.release.find import Album
from ksame.release.job import Job
from ksame.release.last_look import face_at
from ksame.release.laying import people_at_places
from ksame.release.ledger import FaceEntry, Ledger
from ksame.release.share import Shared
from ksame.release.unaligned import unaligned_rates
from ksame.release.write import WRITTEN, WrittenPhotos

if TYPE_CHECKING:
    from ksame.release.clips.describing import ClipPair

MOST_PHOTOS: Final = 2000  # attacked per release by each further recogniser, at random
MOST_RANKS: Final = 50  # of a match curve that the certificate holds


@dataclass(frozen=True, slots=True)
class Pair:
    """A photo before and after, with the boxes of its replaced faces."""

    original: Path = field(repr=False)
    released: Path
    boxes: tuple[tuple[float, ...], ...]
    recogniser: str
    max_pixels: int


def measure_release(
    job: Job, album: Album, shared: Shared, written: WrittenPhotos, ledger: Ledger
) -> dict[str, Any]:
    """Figures for certificate and report: counts and rates that name nobody."""
    released = written.released().values()
    replaced = sum(face.hidden is None for face in ledger.faces)
    found = sum(photo.found for photo in released)
    measured: dict[str, Any] = {
        "faces_still_found": round(min(found / replaced, 1.0), 4) if replaced else None,
        "changed_pixels": round(float(np.mean([photo.changed for photo in released])), 4)
        if released
        else None,
    }
    if job.plan.guarantees:
        sizes_of = {group.group: len({*group.people, *group.others}) for group in ledger.groups}
        measured["counts"] = count_bound(ledger.faces, sizes_of)
    if kept := _expressions_kept(album, written):
        measured["expression_kept"] = round(float(np.mean(kept)), 4)
    if job.plan.style == "heads" and job.plan.composite == "strict":
        sizes = {photo.name: album.pictures[n].size for n, photo in written.released().items()}
        measured["placement"] = people_at_places(ledger.faces, sizes, job.plan.k)
    if job.plan.guarantees and (inside := unaligned_rates(job, album, written, ledger)):
        measured["inside_groups"] = inside
    if job.plan.guarantees and job.plan.attacks and shared.faces and replaced:
        measured["attacks"] = _attacks(job, album, written, ledger)
    return measured


def _expressions_kept(album: Album, written: WrittenPhotos) -> list[bool]:
    """For each replaced head, whether it shows the expression that the person had."""
    return [
        made.state == album.state((n, order.number))
        for n, photo in written.released().items()
        for order, made in zip(written.orders.write[n].faces, photo.faces, strict=True)
        if order.group is not None and made.state is not None
    ]


def further_recognisers() -> tuple[str, ...]:
    """The recognisers besides SFace whose package and weights are installed."""
    from importlib.util import find_spec

    from ksame import weights
    from ksame.errors import WeightsError

    if find_spec("dlib") is None:
        return ()
    try:
        weights.path("dlib-resnet")
    except WeightsError:
        return ()
    return ("dlib",)


def _attacks(
    job: Job, album: Album, written: WrittenPhotos, ledger: Ledger
) -> list[dict[str, Any]]:
    """Rank-1 and verification of the released faces against their originals."""
    shown = [face for face in ledger.faces if face.group is not None]
    donors = {group.group: tuple(group.donors) for group in ledger.groups}
    clips = ledger.clips
    before, after = embedded(job, album, written, shown)
    found = [_rates("sface", before, after, shown, donors, clips)]
    for recogniser in further_recognisers() if job.plan.attack else ():
        some, before, after = _described(job, ledger, shown, recogniser)
        found.append(_rates(recogniser, before, after, some, donors, clips))
    return found


def embedded(
    job: Job, album: Album, written: WrittenPhotos, shown: Sequence[FaceEntry]
) -> tuple[Floats, Floats]:
    """Originals and finished faces as they were described while the release was made."""
    place: dict[tuple[str, tuple[float, ...]], tuple[Any, Any]] = {}
    for n, photo in written.released().items():
        order = written.orders.write[n]
        if not any(face.group is not None for face in order.faces):
            continue
        after = job.store.load(WRITTEN, order.key, names=("sface",))["sface"]
        for row, face in zip(after, order.faces, strict=True):
            if face.group is not None:
                before = album.kept(job.store, (n, face.number), "sface")
                width = before if len(row) == len(before) else np.full(len(before), np.nan)
                place[photo.name, face.box] = (before, row if width is before else width)
    rows = [place[face.file, face.box] for face in shown]
    return np.stack([before for before, _ in rows]), np.stack([after for _, after in rows])


def _described(
    job: Job, ledger: Ledger, shown: Sequence[FaceEntry], recogniser: str
) -> tuple[list[FaceEntry], Floats, Floats]:
    """Originals and released faces as another recogniser describes them."""
    by_file: dict[str, list[FaceEntry]] = {}
    for face in shown:
        by_file.setdefault(face.file, []).append(face)
    names = sorted(by_file)
    order = job.secret.permutation(len(names), "attack")
    names = sorted(names[i] for i in order[:MOST_PHOTOS])
    pairs = [_pair(job, ledger, name, by_file[name], recogniser) for name in names]
    described = list(job.runner.run("attack", describe_pair, pairs))
    width = max(rows.shape[1] for pair in described for rows in pair)
    before, after = (
        np.concatenate([_widened(pair[side], width) for pair in described]) for side in (0, 1)
    )
    return [face for name in names for face in by_file[name]], before, after


def _pair(
    job: Job, ledger: Ledger, name: str, faces: Sequence[FaceEntry], recogniser: str
) -> "Pair | ClipPair":
    """A released file beside its original."""
    places = Path(ledger.files[name]), job.folder / name
    if name in ledger.clips:
        from ksame.release.clips.describing import ClipPair, sampled

        tracks = tuple(sampled((face.numbers or {})["track"]) for face in faces)
        return ClipPair(*places, tracks, recogniser, job.plan.max_pixels)
    return Pair(*places, tuple(face.box for face in faces), recogniser, job.plan.max_pixels)


def _widened(rows: Floats, width: int) -> Floats:
    """Rows of a photo in which no face was found have one number; all others have ``width``."""
    return rows if rows.shape[1] == width else np.full((len(rows), width), np.nan)


def describe_pair(pair: "Pair | ClipPair") -> tuple[Floats, Floats]:
    """Embeddings (unit rows) of the faces of one photo or clip, before and after."""
    from ksame.media import read_photo
    from ksame.vision import find_faces

    if not isinstance(pair, Pair):
        from ksame.release.clips.describing import describe_clips

        return describe_clips(pair)
    sides = []
    for path in (pair.original, pair.released):
        rgb = read_photo(path, max_pixels=pair.max_pixels).rgb
        found = find_faces(rgb, turned=False)
        sides.append(_describe(pair.recogniser, rgb, [face_at(found, box) for box in pair.boxes]))
    return sides[0], sides[1]


def _describe(recogniser: str, rgb: Image, faces: Sequence[Any]) -> Floats:
    """One row per face; a face that is not found is a row of NaN."""
    from ksame.vision import embed_dlib, embed_sface

    embed = {"sface": embed_sface, "dlib": embed_dlib}[recogniser]
    rows = [None if face is None else np.asarray(embed(rgb, face)) for face in faces]
    width = next((len(row) for row in rows if row is not None), 1)
    stacked = [np.full(width, np.nan) if row is None else row for row in rows]
    return np.stack(stacked).astype(np.float64)


def _rates(
    name: str,
    gallery: Floats,
    probes: Floats,
    faces: Sequence[FaceEntry],
    donors: Mapping[int, tuple[str, ...]],
    clips: Collection[str] = (),
) -> dict[str, Any]:
    """The naive attack (N 5.2): originals as gallery, released faces as probes.

    ``tracks`` are those of the probes that are means over tracks of clips.
    """
    from ksame.attacks.rates import release_rates
    from ksame.recognition.named import recogniser

    def rates_of(seen: Floats) -> Any:
        return release_rates(
            recogniser(name),
            gallery,
            seen,
            [str(face.person) for face in faces],
            groups=[face.group for face in faces],
            donors=[donors.get(face.group or 0, ()) for face in faces],
        )

    found = rates_of(probes)
    if found is None:
        return {"recogniser": name, "probes": 0}
    rates = found.as_dict()
    told = {**rates, "cmc": rates["cmc"][:MOST_RANKS]}
    moving = np.array([face.file in clips for face in faces])
    if moving.any():
        tracks = rates_of(np.where(moving[:, None], probes, np.nan))
        if tracks is not None:
            told["tracks"] = {"probes": tracks.probes, "rank1": tracks.as_dict()["rank1"]}
    return told

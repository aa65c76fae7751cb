"""The ledger of a release: private, beside OUT, readable by its owner alone.

It links every released face to its original, so it is as sensitive as the photos themselves. Who
is who can be corrected in it (``faces[].person``) and given back as ``--persons OUT.ledger.json``:
the faces are then taken from it instead of being detected again. A face can be added with
``drawn``, moved to ``dismissed``, get other ``looks`` or be ``kept`` as it is; docs/review.md.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from ksame.errors import InputError
from ksame.people.ledgers import LATE
from ksame.release.continuing import told_of_people
from ksame.release.find import Album, Spot
from ksame.release.job import Job
from ksame.release.name import People
from ksame.release.orders import kept_faces
from ksame.release.share import Shared
from ksame.release.unseen import unseen_looks
from ksame.release.write import WrittenPhotos
from ksame.states import State
from ksame.vault.keyfiles import Ask, from_environment
from ksame.vault.ledgers import open_ledger
from ksame.vault.locks import Lock

FORMAT: Final = "ksame-ledger-2"


@dataclass(frozen=True, slots=True)
class FaceEntry:
    """One face of a released photo.

    ``group`` is None for a face that is hidden; ``hidden`` is then the box (xyxy) that is filled or
    black. ``placement`` is the (2, 3) similarity from the photo to the canonical head frame,
    ``state`` names the look of the surrogate that was placed, and ``numbers`` are all that entered
    a rendered face. ``drawn``, ``kept`` and ``looks`` are a person's decisions: the face was drawn
    by hand, is shown as it is with its person's consent, or has corrected looks. ``marks`` tell
    where a person saw the face of a clip's track: frame, x0, y0, x1, y1 each.
    """

    file: str
    box: tuple[float, ...]
    points: tuple[tuple[float, float], ...]
    person: str | None = field(repr=False)
    group: int | None
    placement: tuple[tuple[float, ...], ...] | None = None
    state: State | None = None
    hidden: tuple[int, int, int, int] | None = None
    numbers: Mapping[str, Any] | None = field(default=None, repr=False)
    reason: str | None = None
    score: float = 1.0
    drawn: bool = False
    kept: bool = False
    looks: Mapping[str, str] = field(default_factory=dict, repr=False)
    marks: Sequence[Sequence[float]] = ()


@dataclass(frozen=True, slots=True)
class GroupEntry:
    """One group: the people shown, the others who share its surrogate unseen, and its donors.

    ``head`` lent hair and outline. ``told`` says what the surrogate looks like: the cells of each
    look of a head, or the code of a model face. ``unseen`` names, per look, people of the group who
    have a photo with it that is not in the release: they share that look unseen.
    """

    group: int
    surrogate: str
    people: Sequence[str] = field(repr=False)
    others: Sequence[str] = field(default=(), repr=False)
    donors: Sequence[str] = field(default=(), repr=False)
    head: str | None = field(default=None, repr=False)
    told: Mapping[str, Any] = field(default_factory=dict, repr=False)
    unseen: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)

    def as_json(self) -> dict[str, Any]:
        """What is told stands beside the other entries."""
        entry = _entries(self)
        return {**entry, **entry.pop("told")}


@dataclass(frozen=True, slots=True)
class Ledger:
    """All that links a release to its originals.

    ``ignored`` are, per file, the boxes (xyxy) that a detector takes for faces and that were left
    as they are, because other models took them for none; ``dismissed`` those that a person took
    for none. ``labels`` are the columns of a people file. ``face_model``, ``templates`` (how a
    recogniser describes each person) and ``continues`` (every group of the releases before this
    one) are what a later release needs to continue this one. ``clips`` tells per clip its
    stream's facts, and the frames in which a face was filled that only the finished frame showed,
    with their times. A face of a clip is a track: its numbers are those of all frames, packed.
    ``made`` tells per file the digest of what it was made from, so that a corrected release makes
    nothing again that stays.
    """

    job: str
    seed: int = field(repr=False)
    nonce: str = field(repr=False)
    options: Mapping[str, Any] = field(repr=False)
    files: Mapping[str, str] = field(repr=False)
    originals: Mapping[str, str] = field(repr=False)
    faces: Sequence[FaceEntry] = field(repr=False)
    groups: Sequence[GroupEntry] = field(repr=False)
    ignored: Mapping[str, Sequence[Sequence[float]]] = field(default_factory=dict, repr=False)
    clips: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    made: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    dismissed: Mapping[str, Sequence[Sequence[float]]] = field(default_factory=dict, repr=False)
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    withheld: Sequence[Mapping[str, str]] = field(default=(), repr=False)
    uncertain: Sequence[Mapping[str, Any]] = field(default=(), repr=False)
    face_model: str = ""
    templates: Mapping[str, str] = field(default_factory=dict, repr=False)
    continues: Mapping[str, Any] | None = field(default=None, repr=False)

    def as_json(self) -> dict[str, Any]:
        """The ledger as it is written, but for the digest of its certificate."""
        groups = [group.as_json() for group in self.groups]
        faces = [_entries(face) for face in self.faces]
        return {"format": FORMAT, **_entries(self), "faces": faces, "groups": groups}


def _entries(value: FaceEntry | GroupEntry | Ledger) -> dict[str, Any]:
    """A value's fields by their names; what is in them is plain already, and is not copied."""
    return {field.name: getattr(value, field.name) for field in fields(value)}


def bound_to(ledger: Mapping[str, Any], certificate: str) -> dict[str, Any]:
    """A ledger with the digest of the certificate that commits to it."""
    return {"format": ledger["format"], "certificate": certificate, **ledger}


def gather(
    job: Job, album: Album, people: People, shared: Shared, written: WrittenPhotos, digest: str
) -> Ledger:
    """What the ledger tells of a finished run; ``digest`` is that of the job."""
    faces = _faces(album, people, written)
    released = sorted(written.released().items(), key=lambda item: item[1].name)
    return Ledger(
        job=digest,
        seed=job.secret.seed,
        nonce=job.secret.nonce,
        options=job.plan.public(),
        files={photo.name: str(album.pictures[n].path) for n, photo in released},
        originals={photo.name: album.pictures[n].sha256 for n, photo in released},
        faces=faces,
        groups=_groups(album, people, shared, written, faces),
        ignored={photo.name: photo.ignored for _, photo in released if photo.ignored},
        clips={photo.name: photo.clip for _, photo in released if photo.clip is not None},
        made={photo.name: photo.as_made() for _, photo in released},
        dismissed={p.name: people.dismissed[n] for n, p in released if n in people.dismissed},
        labels={p.name: people.labels[n] for n, p in released if n in people.labels},
        withheld=[
            {
                "file": str(album.pictures[n].path),
                "sha256": album.pictures[n].sha256,
                "reason": why,
            }
            for n, why in written.withheld().items()
        ],
        uncertain=_uncertain(album, people, written),
        **told_of_people(job, album, people),
    )


def _faces(album: Album, people: People, written: WrittenPhotos) -> list[FaceEntry]:
    """Every face of the released photos."""
    entries = []
    for n, photo in written.released().items():
        faces = album.pictures[n].faces
        entries += [
            FaceEntry(
                file=photo.name,
                box=box,
                points=tuple((float(x), float(y)) for x, y in faces.points[i]),
                person=people.persons[n, i],
                group=None,
                kept=True,
                **_decided(album, people, (n, i)),
            )
            for i, box in kept_faces(n, album, people).items()
        ]
        for order, made in zip(written.orders.write[n].faces, photo.faces, strict=True):
            spot = (n, order.number)
            why = None
            if order.group is None:
                why = album.failure(spot) or people.strangers.get(spot)
            entries.append(
                FaceEntry(
                    file=photo.name,
                    box=order.box,
                    points=tuple((float(x), float(y)) for x, y in faces.points[order.number]),
                    person=people.persons.get(spot),
                    group=order.group,
                    placement=made.placement,
                    state=made.state,
                    hidden=made.hidden,
                    numbers=made.numbers,
                    reason=why,
                    **_decided(album, people, spot),
                )
            )
        entries += [
            FaceEntry(
                file=photo.name,
                box=late.box,
                points=late.points,
                person=None,
                group=None,
                hidden=late.hidden,
                reason=LATE,
            )
            for late in photo.late
        ]
    return sorted(entries, key=lambda entry: (entry.file, entry.box))


def _decided(album: Album, people: People, spot: Spot) -> dict[str, Any]:
    """The detector's score of a face, and what a person drew or corrected."""
    found: dict[str, Any] = {"score": float(album.pictures[spot[0]].faces.score[spot[1]])}
    if (face := people.decided.get(spot)) is not None:
        found |= {"drawn": face.drawn, "looks": dict(face.looks), "marks": face.marks}
    return found


def _groups(
    album: Album,
    people: People,
    shared: Shared,
    written: WrittenPhotos,
    faces: Sequence[FaceEntry],
) -> list[GroupEntry]:
    """Every group that is seen in the release.

    People of the group who are not shown (reference people, or people whose photos were withheld)
    share the surrogate all the same: they are candidates for everybody who tries to tell who it is.
    """
    shown: dict[int, set[str]] = defaultdict(set)
    for face in faces:
        if face.group is not None and face.person is not None:
            shown[face.group].add(face.person)
    unseen = unseen_looks(album, people, shared, written)
    return [
        GroupEntry(
            group=g,
            surrogate=face.digest,
            people=sorted(shown[g]),
            others=sorted(set(face.people) - shown[g]),
            donors=sorted(set(face.donors)),
            head=face.head,
            told=face.told,
            unseen={look: sorted(people) for look, people in sorted(unseen[g].items())},
        )
        for g, face in enumerate(shared.faces)
        if g in shown
    ]


def _uncertain(album: Album, people: People, written: WrittenPhotos) -> list[dict[str, Any]]:
    """The pairs of faces that a person should look at, told in the ledger alone."""

    def told(spot: Spot) -> dict[str, Any]:
        n, i = spot
        file = written.results[n].name if n in written.results else None
        box = album.pictures[n].faces.xyxy[i].tolist()
        return {"file": file, "face": i, "box": box, "person": people.persons.get(spot)}

    return [{"one": told(one), "other": told(other)} for one, other in people.uncertain]


def read_ledger(
    path: Path, key: "str | Path | Lock | None" = None, ask: Ask = from_environment
) -> dict[str, Any]:
    """Read a ledger from its file or out of a vault; see `ksame.vault.open_ledger`.

    Raises
    ------
    InputError
        The file is no ledger of ksame's, or a vault without its key.
    """
    value = open_ledger(path, key, ask)
    if value.get("format") != FORMAT:
        raise InputError(f"{path.name} is no ledger of this version ({FORMAT}); check the path")
    return value

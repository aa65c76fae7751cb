"""Who is on a photo, as the user says it: one rule for every command.

`folder`
    The first folder below the input that was named. Photos that lie directly in an input folder
    are that folder's; a photo that was named itself is of the folder that holds it.
a `.csv`
    The row of that image; columns besides image and person are labels.
a `.json`, or a vault
    Each face as an earlier run's ledger, perhaps corrected by hand, names it.
`auto`
    Nothing is said: people are found by their faces (`ksame.people.cluster_people`).

Folders further down are sessions of the same person, and folders of one name below several inputs
are one person: taking two people for one is harmless to k-anonymity, the opposite is not.
"""

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from ksame.datasets.people_csv import read_people_csv
from ksame.errors import InputError
from ksame.files import sha256_of
from ksame.media.files import file_identity, names_of_files
from ksame.people.names import merge_names, spellings
from ksame.vault.container import is_vault

log = logging.getLogger(__name__)

AUTO = "auto"
Digest = Callable[[Path], str]


@dataclass(frozen=True, slots=True)
class NamedFace:
    """One face that a source lists: who it is (None: nobody that it knows) and where it lies.

    Without a box (xyxy, in pixels of the photo) the largest face of the photo is meant. ``points``
    are eyes, nose and corners of the mouth, ``score`` is the detector's. ``drawn`` tells that a
    person drew the face, ``kept`` that its person consented to be shown as is, and ``looks`` what a
    person corrected. ``marks`` are of a clip's track: frames in which a person said where the face
    is (frame, x0, y0, x1, y1).
    """

    person: str | None = field(repr=False)
    box: tuple[float, ...] | None = None
    points: tuple[tuple[float, float], ...] = ()
    score: float = 1.0
    drawn: bool = False
    kept: bool = False
    looks: Mapping[str, str] = field(default_factory=dict)
    marks: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class PhotoPeople:
    """What a source says about one photo.

    ``faces`` are its named faces; ``labels`` what else is known of it, by column. ``all_faces``
    tells whether every face is listed (a ledger) or only one person (a folder, a table).
    ``dismissed`` are boxes that a person took for no face; ``set_aside`` tells that a person left
    the photo out. ``also`` are people whom the source names for the same file under other names.
    """

    faces: tuple[NamedFace, ...]
    labels: Mapping[str, str] = field(default_factory=dict, repr=False)
    all_faces: bool = False
    dismissed: tuple[tuple[float, ...], ...] = ()
    set_aside: bool = False
    also: tuple[str, ...] = field(default=(), repr=False)

    @property
    def person(self) -> str | None:
        """The person of the photo: that of its first face."""
        return self.faces[0].person if self.faces else None


class PeopleSource(Protocol):
    """Where it is written who is on a photo."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The labels that it holds besides the person."""

    def people_of(
        self, photos: Sequence[Path], roots: Sequence[Path], digest: Digest = sha256_of
    ) -> tuple[PhotoPeople | None, ...]:
        """Who is on each photo, in their order; None for a photo that the source does not list.

        Parameters
        ----------
        photos
            Files, as `ksame.media.find_photos` gives them.
        roots
            The inputs that were named: folders and files.
        digest
            The sha256 of a photo; asked for by ledgers only. Pass what is known already.
        """

    def known_faces(self) -> dict[str, Any] | None:
        """What is known of every photo's faces, by its sha256; None where it tells none."""


def find_source(persons: str | Path) -> PeopleSource | None:
    """The source that ``persons`` names; None for ``auto``: people are to be found by their faces.

    Raises
    ------
    InputError
        It is neither a known word nor an existing file.
    """
    if persons in WORDS:
        return WORDS[str(persons)]
    from ksame.people.ledgers import LedgerPeople

    path = Path(persons)
    if not path.is_file():
        raise InputError(
            f"persons={path.name!r} is neither {', '.join(WORDS)} nor a file that exists. Name a "
            "people.csv or a ledger."
        )
    listed = path.suffix.lower() == ".json" or is_vault(path)
    return LedgerPeople(path) if listed else _Table(path)


def one_name_each(
    told: Sequence[PhotoPeople | None],
) -> tuple[PhotoPeople | None, ...]:
    """The same with one name for everybody who has several.

    Names that a source gives to one file, and names that differ by case, spaces or Unicode form
    alone, are one person's.
    """
    known = [photo for photo in told if photo is not None]
    names = {face.person for photo in known for face in photo.faces if face.person}
    names |= {name for photo in known for name in photo.also}
    spelt = spellings(names)
    if spelt:
        log.warning(
            "%d people are named in spellings that differ by case, spaces or Unicode form alone; "
            "each is taken for one person",
            len(spelt),
        )
    links = [(photo.person or "", *photo.also) for photo in known if photo.also]
    same = merge_names([*((name,) for name in sorted(names)), *spelt, *links])
    return tuple(None if photo is None else _renamed(photo, same) for photo in told)


def _renamed(photo: PhotoPeople, same: Mapping[str, str]) -> PhotoPeople:
    faces = tuple(
        face if face.person is None else replace(face, person=same[face.person])
        for face in photo.faces
    )
    return replace(photo, faces=faces)


def folder_person(photo: Path, roots: Sequence[Path]) -> str:
    """The person of a photo by the rule of ``folder``."""
    place = _absolute(photo)
    for root in roots:
        above = _absolute(root)
        if above in place.parents and root.is_dir():
            below = place.relative_to(above).parts
            return below[0] if len(below) > 1 else above.name
    return place.parent.name


class _Folders:
    """People by folders."""

    columns: tuple[str, ...] = ()

    def people_of(
        self, photos: Sequence[Path], roots: Sequence[Path], digest: Digest = sha256_of
    ) -> tuple[PhotoPeople | None, ...]:
        """Every photo is listed."""
        names = names_of_files(root for root in roots if root.is_dir())
        return one_name_each(
            [
                _one(
                    folder_person(photo, roots),
                    also=[folder_person(name, roots) for name in names.get(_file(photo), ())],
                )
                for photo in photos
            ]
        )

    def known_faces(self) -> None:
        """Folders tell no places."""


class _Table:
    """People by a people.csv.

    An image is looked for from the folder of the CSV. Where there is no such file, it is looked
    for below the inputs, so that the CSV may lie anywhere.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._table = read_people_csv(path)
        self.columns = tuple(self._table.columns)

    def people_of(
        self, photos: Sequence[Path], roots: Sequence[Path], digest: Digest = sha256_of
    ) -> tuple[PhotoPeople | None, ...]:
        """Photos without a row are not listed."""
        rows: dict[tuple[int, int], list[int]] = {}
        for number, image in enumerate(self._table.images):
            for place in _places(image, self._path.parent, roots):
                if (file := file_identity(place)) is not None:
                    rows.setdefault(file, []).append(number)
        return one_name_each([self._row(rows.get(_file(photo), [])) for photo in photos])

    def known_faces(self) -> None:
        """A table tells no places."""

    def _row(self, numbers: Sequence[int]) -> PhotoPeople | None:
        if not numbers:
            return None
        labels = {name: column[numbers[0]] for name, column in self._table.columns.items()}
        persons = self._table.persons
        return _one(persons[numbers[0]], labels, [persons[number] for number in numbers])


FOLDERS: PeopleSource = _Folders()
WORDS: Mapping[str, PeopleSource | None] = {AUTO: None, "folder": FOLDERS}


def _one(
    person: str, labels: Mapping[str, str] | None = None, also: Sequence[str] = ()
) -> PhotoPeople:
    others = tuple(sorted(set(also) - {person}))
    return PhotoPeople((NamedFace(person),), labels or {}, also=others)


def _file(photo: Path) -> tuple[int, int]:
    """What makes a photo the same under two names; nothing for one that is gone."""
    return file_identity(photo) or (0, 0)


def _absolute(path: Path) -> Path:
    """The path from the root of the file system, links as they are: a link names a person too."""
    return Path(os.path.abspath(path))  # noqa: PTH100  Path.absolute keeps ".."


def _places(image: Path, home: Path, roots: Sequence[Path]) -> list[Path]:
    """Where an image of a table may lie: at its own place, else below one of the inputs."""
    try:
        if image.exists() or home not in image.parents:
            return [image.resolve()]
        return [(root / image.relative_to(home)).resolve() for root in roots if root.is_dir()]
    except (OSError, ValueError):  # a name that no file system can hold
        return []

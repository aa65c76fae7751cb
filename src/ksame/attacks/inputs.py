"""Both sides of an attack: from a ledger, from a CSV of pairs, or from the names of files."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ksame.attacks.clips import ledger_track
from ksame.attacks.photos import Original, Released
from ksame.errors import InputError
from ksame.files import sha256_of
from ksame.media import find_photos
from ksame.media.clips.kinds import clips_in
from ksame.people import NamedFace, PeopleSource, PhotoPeople, find_source
from ksame.people.sources import FOLDERS, Digest

_ENDINGS = ("_anonymized", "_anonymised", "_deid", "_blurred", "_pixelated", "_altered")


@dataclass(frozen=True)
class Sources:
    """Both sides of an attack and the k that the release claims, where it is known."""

    originals: tuple[Original, ...] = field(repr=False)
    released: tuple[Released, ...] = field(repr=False)
    k: int | None = None


def photos_under(folder: Path) -> list[Path]:
    """Photos and clips of a folder and its subfolders, or the file itself, in a fixed order."""
    if not folder.exists():
        raise InputError(f"{folder} does not exist. Name a photo, a clip or a folder of them.")
    found = list(dict.fromkeys([*find_photos([folder]), *clips_in([folder])]))
    if not found:
        raise InputError(f"{folder} holds no photos and no clips. Check the path.")
    return found


def from_ledger(originals: Path, release: Path, book: Mapping[str, Any]) -> Sources:
    """Both sides from a ledger of ksame: faces, people, groups and donors.

    A ledger names its originals by path; where such a file has moved, one of the same name
    under ORIGINALS is taken. Photos of ORIGINALS that the ledger does not know are left out: the
    universe is closed.
    """
    files = {str(name): Path(str(path)) for name, path in dict(book.get("files", {})).items()}
    if not files:
        raise InputError("the ledger lists no files. Name the ledger that belongs to RELEASE.")
    here = _locate(files.values(), photos_under(originals))
    groups = {g.get("group"): tuple(g.get("donors") or ()) for g in book.get("groups", [])}
    known, made = [], []
    for face in book.get("faces", []):
        name, person = str(face.get("file", "")), face.get("person")
        source = here.get(files.get(name, Path()))
        box = tuple(face["box"]) if face.get("box") else None
        if source is None or person is None:
            continue
        track = ledger_track(face)
        known.append(Original(source, str(person), box, track))
        if (release / name).is_file():
            group = face.get("group")
            donors = tuple(face.get("donors") or groups.get(group, ()))
            made.append(Released(release / name, str(person), source, box, donors, group, track))
    k = _stated_k(book, release)
    return Sources(tuple(known), tuple(made), k)


def from_pairs(originals: Path, release: Path, pairs: Path) -> Sources:
    """Both sides from a CSV with the columns released, original, person[, group, donors].

    Paths are relative to RELEASE and ORIGINALS; donors are separated by `;`.
    """
    try:
        with pairs.open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{pairs.name} cannot be read as a CSV in UTF-8 ({error}).") from error
    missing = {"released", "original", "person"} - set(rows[0] if rows else ())
    if missing:
        raise InputError(
            f"{pairs.name} lacks the columns {', '.join(sorted(missing))}. "
            "Write: released,original,person"
        )
    known: dict[Path, Original] = {}
    made = []
    for row in rows:
        source, target = _under(originals, row["original"]), _under(release, row["released"])
        known.setdefault(source, Original(source, row["person"]))
        donors = tuple(d for d in (row.get("donors") or "").split(";") if d)
        made.append(
            Released(target, row["person"], source, donors=donors, group=row.get("group") or None)
        )
    return Sources(tuple(known.values()), tuple(made))


def from_names(originals: Path, release: Path, persons: str | Path = "auto") -> Sources:
    """Both sides matched by relative path, as tools leave it, with or without their suffix.

    `persons` says who is on an original photo (`ksame.people.find_source`). With "auto" it is
    "folder" where ORIGINALS has subfolders, else the file name up to the first `_`, `-`, `.` or
    space: finding people by the very faces that are attacked would assume what is to be measured.
    """
    photos = photos_under(originals)
    known = tuple(_originals(photos, originals, _source(persons, photos)))
    by_key: dict[str, list[Original]] = {}
    for one in known:
        by_key.setdefault(_key(one.path, originals), []).append(one)
    made = [
        Released(path, one.person, one.path, one.box)
        for path in photos_under(release)
        for one in by_key.get(_key(path, release), ())
    ]
    if not made:
        raise InputError(
            "no file of RELEASE has the name of one of ORIGINALS. Name --ledger or --pairs."
        )
    return Sources(known, tuple(made))


class FileNames:
    """People by file names: all before the first `_`, `-`, `.` or space is the person."""

    columns: tuple[str, ...] = ()

    def people_of(
        self, photos: Sequence[Path], roots: Sequence[Path], digest: Digest = sha256_of
    ) -> tuple[PhotoPeople | None, ...]:
        """Every photo is listed."""
        return tuple(PhotoPeople((NamedFace(_first_part(photo.stem)),)) for photo in photos)

    def known_faces(self) -> None:
        """File names tell no places."""


def _source(persons: str | Path, photos: Sequence[Path]) -> PeopleSource:
    found = find_source(persons)
    if found is not None:
        return found
    nested = len({photo.parent for photo in photos}) > 1
    return FOLDERS if nested else FileNames()


def _originals(photos: Sequence[Path], root: Path, source: PeopleSource) -> Iterator[Original]:
    for photo, people in zip(photos, source.people_of(photos, [root]), strict=True):
        for face in () if people is None else people.faces:
            if face.person is not None:
                yield Original(photo, face.person, face.box)


def _first_part(stem: str) -> str:
    return re.split(r"[_\-. ]", stem, maxsplit=1)[0]


def _key(path: Path, root: Path) -> str:
    """A path without folder, ending and a tool's suffix, to match it with the other side."""
    relative = path.relative_to(root) if root.is_dir() else Path(path.name)
    stem = relative.with_suffix("").as_posix().lower()
    return next((stem.removesuffix(e) for e in _ENDINGS if stem.endswith(e)), stem)


def _locate(wanted: Iterable[Path], present: list[Path]) -> dict[Path, Path]:
    """Where the ledger's originals are now."""
    by_path = {p.resolve(): p for p in present}
    by_name: dict[str, Path | None] = {}
    for p in present:
        by_name[p.name] = None if p.name in by_name else p
    found: dict[Path, Path] = {}
    for path in wanted:
        here = by_path.get(path.resolve()) or by_name.get(path.name)
        if here is None and path.is_file():
            here = path
        if here is not None:
            found[path] = here
    return found


def _under(root: Path, name: str) -> Path:
    path = Path(name)
    return path if path.is_absolute() else (root if root.is_dir() else root.parent) / path


def _stated_k(book: Mapping[str, Any], release: Path) -> int | None:
    options = book.get("options")
    value = options.get("k") if isinstance(options, dict) else book.get("k")
    certificate = release / "certificate.json"
    if value is None and certificate.is_file():
        value = _json(certificate).get("k")
    return int(value) if isinstance(value, int | float) and value >= 1 else None


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        kind = type(error).__name__
        raise InputError(f"{path.name} cannot be read as JSON ({kind}). Check the path.") from None
    if not isinstance(value, dict):
        raise InputError(f"{path.name} holds no JSON object. Check the path.")
    return value

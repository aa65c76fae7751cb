"""Who is who in two folders: from a ledger, from a CSV of pairs, or from file names."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ksame.attacks.photos import Original, Released
from ksame.errors import InputError

_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".bmp", ".pgm")
_ENDINGS = ("_anonymized", "_anonymised", "_deid", "_blurred", "_pixelated", "_altered")


@dataclass(frozen=True)
class Sources:
    """Both sides of an attack and the k that the release claims, where it is known."""

    originals: tuple[Original, ...] = field(repr=False)
    released: tuple[Released, ...] = field(repr=False)
    k: int | None = None


def photos_under(folder: Path) -> list[Path]:
    """Photos of a folder and its subfolders, or the photo itself, in order of their paths."""
    if folder.is_file():
        return [folder]
    if not folder.is_dir():
        raise InputError(f"{folder} does not exist. Name a photo or a folder of photos.")
    found = sorted(p for p in folder.rglob("*") if p.suffix.lower() in _SUFFIXES and p.is_file())
    if not found:
        raise InputError(f"{folder} holds no photos ({', '.join(_SUFFIXES)}). Check the path.")
    return found


def from_ledger(originals: Path, release: Path, ledger: Path) -> Sources:
    """Both sides from a ledger of ksame: faces, people, groups and donors.

    A ledger names its originals by path; where such a file has moved, one of the same name
    under ORIGINALS is taken. Photos of ORIGINALS that the ledger does not know are left out: the
    universe is closed.
    """
    book = _json(ledger)
    files = {str(name): Path(str(path)) for name, path in dict(book.get("files", {})).items()}
    if not files:
        raise InputError(f"{ledger.name} lists no files. Name the ledger that belongs to RELEASE.")
    here = _locate(files.values(), photos_under(originals))
    groups = {g.get("group"): tuple(g.get("donors") or ()) for g in book.get("groups", [])}
    known, made = [], []
    for face in book.get("faces", []):
        name, person = str(face.get("file", "")), face.get("person")
        source = here.get(files.get(name, Path()))
        box = tuple(face["box"]) if face.get("box") else None
        if source is None or person is None:
            continue
        known.append(Original(source, str(person), box))
        if (release / name).is_file():
            group = face.get("group")
            donors = tuple(face.get("donors") or groups.get(group, ()))
            made.append(Released(release / name, str(person), source, box, donors, group))
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


def from_names(originals: Path, release: Path, persons: str = "auto") -> Sources:
    """Both sides matched by relative path, as tools leave it, with or without their suffix.

    `persons` says who is on a photo: "folder" (its folder's name), a people.csv, or "auto": the
    folder where photos lie in subfolders, else the file name up to the first `_`, `-` or `.`.
    """
    photos = photos_under(originals)
    who = _people(originals, photos, persons)
    known = tuple(Original(p, who[p]) for p in photos if p in who)
    by_key = {_key(o.path, originals): o for o in known}
    made = []
    for path in photos_under(release):
        source = by_key.get(_key(path, release))
        if source is not None:
            made.append(Released(path, source.person, source.path))
    if not made:
        raise InputError(
            "no file of RELEASE has the name of one of ORIGINALS. Name --ledger or --pairs."
        )
    return Sources(known, tuple(made))


def _people(root: Path, photos: list[Path], persons: str) -> dict[Path, str]:
    if persons not in ("auto", "folder"):
        from ksame.datasets import read_people_csv

        table = read_people_csv(persons)
        listed = {p.resolve(): who for p, who in zip(table.images, table.persons, strict=True)}
        names = {p.name: who for p, who in zip(table.images, table.persons, strict=True)}
        found = {p: listed.get(p.resolve(), names.get(p.name)) for p in photos}
        return {p: who for p, who in found.items() if who is not None}
    nested = len({p.parent for p in photos}) > 1
    if persons == "folder" or nested:
        return {p: str(p.parent.relative_to(root)) if root.is_dir() else "" for p in photos}
    return {p: _first_part(p.stem) for p in photos}


def _first_part(stem: str) -> str:
    for mark in "_-. ":
        stem = stem.split(mark)[0]
    return stem


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


def _stated_k(book: dict[str, Any], release: Path) -> int | None:
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

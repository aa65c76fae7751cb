"""People taken out of a vault for good: their keys, what those keys sealed, and their names.

The keys of erased people are left out of the new index, which is written over the old one; all
parts in which they are seen are written over with zeros; and the ledger is sealed anew without
their names. Nobody can reveal them from this file any more. Copies of the vault that were made
before still hold them: destroy those, or the private keys that open them.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ksame.vault import log
from ksame.vault.index import Index, Person
from ksame.vault.make import person_names, seal_ledger
from ksame.vault.opened import Vault, written
from ksame.vault.sealing import fresh

# entries of a ledger that hold names of people, or lists of them
_NAMED: Final = frozenset({"people", "others", "donors", "head", "unseen", "person"})


def erase(vault: Vault, names: Sequence[str], reason: str = "") -> Vault:
    """Erase people by their names.

    Guarantee: afterwards the vault's file holds no key that opens a pixel of theirs, no bytes of
    the parts that did, and none of their names where a ledger holds names or paths.

    Raises
    ------
    VaultError
        The vault knows nobody of one of these names, or was changed meanwhile; nothing is erased.
    """
    index = vault.index
    numbers = set(index.numbers_of(names))
    photos = index.photos_of(sorted(numbers))
    book = redacted(vault.ledger(), {str(index.people[n].name): f"erased-{n}" for n in numbers})
    fresh_key = fresh()
    part, added = seal_ledger(book, fresh_key, index.vault, vault.end_of_parts)
    gone = [p for p in index.parts if p.kind == "ledger" or numbers & set(p.people)]
    holes = [(p.offset, p.length) for p in gone]
    entries = log.add(
        index.log,
        index.vault,
        "erased",
        people=sorted(numbers),
        photos=len(photos),
        key=vault.opened_by,
        reason=reason,
    )
    left = index.next(
        book=fresh_key,
        people=tuple(
            Person(p.number, None, None) if p.number in numbers else p for p in index.people
        ),
        parts=(*(p for p in index.parts if p not in gone), part),
        holes=(*index.holes, *holes),
        log=entries,
    )
    return written(vault, left, added, holes)


def redacted(book: Mapping[str, Any], erased: Mapping[str, str]) -> dict[str, Any]:
    """A ledger in which some people have no names; the words instead are given for each.

    Boxes, groups and numbers of their faces stay: the released photo shows them, and the counts of
    the certificate rest on them. Their five points, looks and templates go, the labels of every
    file that shows them, path and digest of every file that shows nobody else, and every path in
    which the name is found.
    """
    names = person_names(book)
    shown: dict[str, set[str]] = {}
    for face, name in zip(book["faces"], names, strict=True):
        shown.setdefault(face["file"], set()).add(name)
    alone = {file for file, people in shown.items() if people <= set(erased)}
    told = {entry: _renamed(value, erased) for entry, value in book.items() if entry != "faces"}
    told["faces"] = [
        _unnamed(face, erased[name]) if name in erased else face
        for face, name in zip(book["faces"], names, strict=True)
    ]
    told["files"] = {
        file: "" if file in alone or _tells(path, erased) else path
        for file, path in book["files"].items()
    }
    told["originals"] = {
        file: "" if file in alone else digest for file, digest in book["originals"].items()
    }
    told["withheld"] = [
        {**entry, "file": "" if _tells(entry["file"], erased) else entry["file"]}
        for entry in book.get("withheld", ())
    ]
    if "labels" in book:  # columns of a people file, which may tell of whoever is in the photo
        told["labels"] = {
            file: row
            for file, row in book["labels"].items()
            if not shown.get(file, set()) & set(erased)
        }
    if "templates" in book:  # by which a later release would know them again
        told["templates"] = {n: row for n, row in book["templates"].items() if n not in erased}
    told["erased"] = int(book.get("erased", 0)) + len(erased)
    return told


def _unnamed(face: Mapping[str, Any], word: str) -> dict[str, Any]:
    """A face without its name, its points and what was said of its looks."""
    looks = {"looks": dict.fromkeys(face["looks"], "")} if face.get("looks") else {}
    return {**face, "person": face["person"] and word, "points": [], **looks}


def _renamed(value: Any, erased: Mapping[str, str], named: bool = False) -> Any:
    """The same with other words for names, wherever an entry is one that holds names.

    Elsewhere a text may be spelt like a name by chance: options, states, digests.
    """
    if isinstance(value, Mapping):
        return {
            entry: _renamed(inner, erased, named or entry in _NAMED)
            for entry, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [_renamed(inner, erased, named) for inner in value]
    return erased.get(value, value) if named and isinstance(value, str) else value


def _tells(path: str, erased: Mapping[str, str]) -> bool:
    """Whether a path holds a name, however it is written."""
    folded = _folded(path)
    return any(_folded(name) in folded for name in erased)


def _folded(text: str) -> str:
    """A text as readers compare it: systems write one letter with an accent in several ways."""
    return unicodedata.normalize("NFKD", text).casefold()


def revealable(index: Index) -> list[str]:
    """The names of everybody whom a vault can still reveal."""
    return [person.name for person in index.people if person.name is not None]

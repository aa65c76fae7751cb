"""People taken out of a vault for good: their keys, what those keys sealed, and their names.

The keys of erased people are left out of the new index, which is written over the old one; all
parts in which they are seen are written over with zeros; and the ledger is sealed anew without
their names. Nobody can reveal them from this file any more. Copies of the vault that were made
before still hold them: destroy those, or the private keys that open them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ksame.vault import log
from ksame.vault.index import Index, Person
from ksame.vault.make import person_names, seal_ledger
from ksame.vault.opened import Vault, written
from ksame.vault.sealing import fresh


def erase(vault: Vault, names: Sequence[str], reason: str = "") -> Vault:
    """Erase people by their names.

    Guarantee: afterwards the vault's file holds no key that opens a pixel of theirs, no bytes of
    the parts that did, and no text of the ledger that equals or holds their names.

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
    the certificate rest on them. Their five points go, and so does the path of every file that
    shows nobody else, or in whose path the name is found.
    """
    names = person_names(book)
    shown: dict[str, set[str]] = {}
    for face, name in zip(book["faces"], names, strict=True):
        shown.setdefault(face["file"], set()).add(name)
    alone = {file for file, people in shown.items() if people <= set(erased)}
    faces = [
        {**face, "person": face["person"] and erased[name], "points": []}
        if name in erased
        else face
        for face, name in zip(book["faces"], names, strict=True)
    ]
    rest = {name: value for name, value in book.items() if name not in ("faces", "originals")}
    if "templates" in rest:  # by which a later release would know them again
        rest["templates"] = {n: row for n, row in rest["templates"].items() if n not in erased}
    told = _without_names(rest, erased)
    told["files"] = {name: "" if name in alone else path for name, path in told["files"].items()}
    originals = {n: "" if n in alone else digest for n, digest in book["originals"].items()}
    count = int(book.get("erased", 0)) + len(erased)
    return {**told, "faces": faces, "originals": originals, "erased": count}


def _without_names(value: Any, erased: Mapping[str, str]) -> Any:
    """The same with every text that is a name replaced, and every text that holds one emptied."""
    if isinstance(value, Mapping):
        return {name: _without_names(entry, erased) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_without_names(entry, erased) for entry in value]
    if not isinstance(value, str):
        return value
    if value in erased:
        return erased[value]
    folded = value.casefold()
    return "" if any(name.casefold() in folded for name in erased) else value


def revealable(index: Index) -> list[str]:
    """The names of everybody whom a vault can still reveal."""
    return [person.name for person in index.people if person.name is not None]

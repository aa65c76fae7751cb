"""What a vault holds and where: people and their keys, photos and their parts, and the log."""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from ksame.errors import VaultError
from ksame.vault.log import Entry, read_log
from ksame.vault.sealing import derive

FORMAT: Final = "ksame-vault-index-1"
Kind = Literal["ledger", "file", "face"]
Box = tuple[int, int, int, int]  # xyxy


@dataclass(frozen=True, slots=True)
class Person:
    """One person of the release, or one face that nobody named, with the key of all that shows it.

    An erased one has neither name nor key.
    """

    number: int
    name: str | None = field(repr=False)
    key: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class FaceRegion:
    """Where a person is in a photo: the face's box (xyxy) and the region that was replaced."""

    person: int
    box: tuple[float, ...]
    region: Box


@dataclass(frozen=True, slots=True)
class Part:
    """One sealed stream of the vault.

    ``people`` are those who are seen in it: its key needs the keys of all of them. ``face`` is
    the number of the face in its photo, -1 for all other kinds. ``end`` is how names of such files
    end.
    """

    kind: Kind
    photo: str
    people: tuple[int, ...]
    offset: int
    length: int
    salt: bytes = field(repr=False)
    face: int = -1
    end: str = ""

    def context(self, vault: bytes) -> bytes:
        """What binds the part to its place: a part put elsewhere does not open."""
        told = [vault.hex(), self.kind, self.photo, list(self.people), self.face, self.end]
        return json.dumps(told, separators=(",", ":")).encode()


@dataclass(frozen=True, slots=True)
class Index:
    """The table of a vault. ``holes`` are places whose bytes were wiped: (offset, length).

    ``scene`` is the key of photos without a face, ``book`` that of the ledger. ``sequence`` counts
    how often the vault was written.
    """

    vault: bytes
    sequence: int
    book: bytes = field(repr=False)
    scene: bytes = field(repr=False)
    people: tuple[Person, ...] = field(repr=False)
    faces: Mapping[str, tuple[FaceRegion, ...]] = field(repr=False)
    parts: tuple[Part, ...] = field(repr=False)
    holes: tuple[tuple[int, int], ...] = ()
    log: tuple[Entry, ...] = field(default=(), repr=False)

    def key_of(self, part: Part) -> bytes | None:
        """The key of one part; None where somebody who is seen in it was erased."""
        if part.kind == "ledger":
            return derive(self.book, part.salt, "part")
        keys = [self.people[number].key for number in part.people]
        known = [key for key in keys if key is not None]
        if len(known) < len(keys):
            return None
        return derive(b"".join(known) or self.scene, part.salt, "part")

    def numbers_of(self, names: Sequence[str]) -> list[int]:
        """The numbers of people by their names.

        Raises
        ------
        VaultError
            The vault knows nobody of this name, or no longer.
        """
        by_name = {p.name: p.number for p in self.people if p.name is not None}
        if any(name not in by_name for name in names):
            raise VaultError(
                "the vault knows nobody of that name, or no longer; "
                "`ksame vault log --people` lists everybody whom it can reveal"
            )
        return [by_name[name] for name in names]

    def photos_of(self, numbers: Sequence[int]) -> list[str]:
        """The photos in which some of these people are seen."""
        wanted = set(numbers)
        return [
            name for name, faces in self.faces.items() if wanted & {face.person for face in faces}
        ]

    @property
    def ledger(self) -> Part:
        """The part that holds the ledger."""
        return next(part for part in self.parts if part.kind == "ledger")

    def places(self) -> dict[tuple[Kind, str, int], Part]:
        """The parts by kind, photo and face."""
        return {(part.kind, part.photo, part.face): part for part in self.parts}

    def next(self, **changes: Any) -> "Index":
        """The index as it is written the next time."""
        return replace(self, sequence=self.sequence + 1, **changes)

    def as_bytes(self) -> bytes:
        """The index as it is sealed: JSON, compressed."""
        told = {
            "format": FORMAT,
            "sequence": self.sequence,
            "book": self.book.hex(),
            "scene": self.scene.hex(),
            "people": [[p.name, None if p.key is None else p.key.hex()] for p in self.people],
            "faces": {
                photo: [[face.person, list(face.box), list(face.region)] for face in faces]
                for photo, faces in self.faces.items()
            },
            "parts": [
                [p.kind, p.photo, list(p.people), p.offset, p.length, p.salt.hex(), p.face, p.end]
                for p in self.parts
            ],
            "holes": [list(hole) for hole in self.holes],
            "log": [entry.as_json() for entry in self.log],
        }
        return zlib.compress(json.dumps(told, separators=(",", ":")).encode(), 6)


def read_index(data: bytes, vault: bytes) -> Index:
    """The index of a vault.

    Raises
    ------
    VaultError
        It is of another version, its log is broken, or a salt was used twice.
    """
    told = json.loads(zlib.decompress(data))
    if told.get("format") != FORMAT:
        raise VaultError(f"the vault is of another version than {FORMAT}; use a newer ksame")
    parts = tuple(
        Part(kind, photo, tuple(people), offset, length, bytes.fromhex(salt), face, end)
        for kind, photo, people, offset, length, salt, face, end in told["parts"]
    )
    if sum(part.kind == "ledger" for part in parts) != 1:
        raise VaultError("the vault holds no ledger, or several; it was not made by ksame")
    if len({part.salt for part in parts}) < len(parts):
        raise VaultError("two parts of the vault share a key; it was not made by ksame")
    return Index(
        vault=vault,
        sequence=told["sequence"],
        book=bytes.fromhex(told["book"]),
        scene=bytes.fromhex(told["scene"]),
        people=tuple(
            Person(number, name, None if key is None else bytes.fromhex(key))
            for number, (name, key) in enumerate(told["people"])
        ),
        faces={
            photo: tuple(FaceRegion(n, tuple(box), (*region,)) for n, box, region in faces)
            for photo, faces in told["faces"].items()
        },
        parts=parts,
        holes=tuple((offset, length) for offset, length in told["holes"]),
        log=read_log(told["log"], vault),
    )

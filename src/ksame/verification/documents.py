"""Certificate and ledger as values, read with every entry checked."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from ksame.verification.reading import (
    Malformed,
    count,
    entry,
    items,
    named,
    number,
    numbers,
    optional_text,
    table,
    text,
)
from ksame.verification.verdict import Finding

CERTIFICATE = "certificate.json"
CERTIFICATE_FORMAT = "ksame-certificate-2"
LEDGER_FORMAT = "ksame-ledger-2"
K_ANONYMITY = "k-anonymity"

T = TypeVar("T")
Box = tuple[float, ...]  # xyxy
Matrix = tuple[tuple[float, ...], ...]  # (2, 3)


@dataclass(frozen=True, slots=True)
class Published:
    """One group as the certificate tells it."""

    people: int
    faces: int
    surrogate: str


@dataclass(frozen=True, slots=True)
class Certificate:
    """The certificate of a release; ``raw`` is all of it, for digests and comparisons."""

    raw: dict[str, Any] = field(repr=False)
    guarantee: str
    k: int
    composite: str
    groups: tuple[Published, ...]
    files: dict[str, str]
    report: tuple[str, str]
    counts: dict[str, int]
    withheld: dict[str, int]
    claims: tuple[str, ...]
    decisions: dict[str, int] = field(default_factory=dict)
    kept: dict[str, tuple[Box, ...]] = field(default_factory=dict)

    @property
    def promises(self) -> bool:
        """Whether the release claims that k people share each face."""
        return self.guarantee == K_ANONYMITY

    @property
    def strict(self) -> bool:
        """Whether the people of a group share pixels, not only parameters."""
        return self.promises and self.composite == "strict"

    @property
    def filled(self) -> bool:
        """Whether a hidden face is filled from its surroundings; else it is black."""
        return bool(self.raw.get("on_failure") == "fill")

    @property
    def by_model(self) -> bool:
        """Whether the release says that its faces are those of the face model."""
        return self.promises and self.raw.get("donors") == "model"


@dataclass(frozen=True, slots=True)
class LookCells:
    """The cells of one look, as the ledger's hexadecimal texts."""

    solid: str
    reach: str
    colours: str


@dataclass(frozen=True, slots=True)
class Group:
    """One group of the ledger."""

    group: int
    surrogate: str
    people: frozenset[str] = field(repr=False)
    others: frozenset[str] = field(repr=False)
    head: str | None = field(repr=False)
    pixels: str
    looks: dict[str, LookCells] = field(repr=False)
    code: tuple[float, ...] = field(repr=False)
    unseen: dict[str, frozenset[str]] = field(repr=False)

    @property
    def short(self) -> str:
        """How findings name it."""
        return f"surrogate {self.surrogate[:12]}"


@dataclass(frozen=True, slots=True)
class Face:
    """One face of the ledger."""

    file: str
    box: Box
    person: str | None = field(repr=False)
    group: int | None
    placement: Matrix | None
    state: str | None
    hidden: tuple[int, ...] | None
    numbers: dict[str, Any] | None = field(default=None, repr=False)
    fine: int = 1  # parts of a step that the numbers are counted in
    drawn: bool = False
    kept: bool = False
    looks: bool = False  # whether a person corrected them


@dataclass(frozen=True, slots=True)
class Ledger:
    """The private ledger; ``raw`` is all of it."""

    raw: dict[str, Any] = field(repr=False)
    files: dict[str, str] = field(repr=False)
    faces: tuple[Face, ...] = field(repr=False)
    groups: tuple[Group, ...] = field(repr=False)
    options: dict[str, Any]
    withheld: int
    ignored: dict[str, tuple[Box, ...]] = field(default_factory=dict, repr=False)
    clips: dict[str, dict[str, Any]] = field(default_factory=dict, repr=False)
    erased: int = 0
    dismissed: dict[str, tuple[Box, ...]] = field(default_factory=dict, repr=False)


def read_certificate(path: Path) -> Certificate | Finding:
    """The certificate, or what is wrong with it."""
    return _read(path, CERTIFICATE_FORMAT, _certificate)


def read_ledger(ledger: str | Path | Mapping[str, Any]) -> Ledger | Finding:
    """The ledger, from its file or as it was read from a vault; or what is wrong with it."""
    if isinstance(ledger, Mapping):
        # as it would have been read from a file
        raw = json.loads(json.dumps(dict(ledger)))
        found = _build("ledger", raw, LEDGER_FORMAT, _ledger)
        # a file that says so of itself is not believed: its commitment is checked and broken
        if isinstance(found, Ledger) and isinstance(gone := raw.get("erased"), int):
            found = replace(found, erased=gone)
        return found
    return _read(Path(ledger), LEDGER_FORMAT, _ledger)


def _read(path: Path, form: str, build: Callable[[dict[str, Any]], T]) -> T | Finding:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Finding(path.name, "there is no such file; is this the folder of a release?")
    except (OSError, ValueError, RecursionError) as error:
        return Finding(path.name, f"cannot be read ({type(error).__name__})")
    return _build(path.name, value, form, build)


def _build(name: str, value: Any, form: str, build: Callable[[dict[str, Any]], T]) -> T | Finding:
    if not isinstance(value, dict) or value.get("format") != form:
        return Finding(name, f"is not of the format {form}")
    try:
        return build(value)
    except Malformed as error:
        return Finding(name, f"is malformed: {error}")


def _certificate(raw: dict[str, Any]) -> Certificate:
    where = "the certificate"
    report = table(entry(raw, "report", where), "report")
    counted = ("people", "people_not_shown", "photos", "faces", "hidden", "doubtful")
    return Certificate(
        raw=raw,
        guarantee=text(entry(raw, "guarantee", where), "guarantee"),
        k=count(entry(raw, "k", where), "k"),
        composite=text(entry(raw, "composite", where), "composite"),
        groups=items(entry(raw, "groups", where), "groups", _published),
        files=named(entry(raw, "files", where), "files", text),
        report=(
            text(entry(report, "file", "report"), "report.file"),
            text(entry(report, "sha256", "report"), "report.sha256"),
        ),
        counts={name: count(entry(raw, name, where), name) for name in counted},
        withheld=named(entry(raw, "withheld", where), "withheld", count),
        claims=items(entry(raw, "claims", where), "claims", text),
        decisions=named(raw.get("decisions", {}), "decisions", count),
        kept=named(raw.get("kept", {}), "kept", _boxes),
    )


def _published(value: Any, where: str) -> Published:
    found = table(value, where)
    return Published(
        people=count(entry(found, "people", where), f"{where}.people"),
        faces=count(entry(found, "faces", where), f"{where}.faces"),
        surrogate=text(entry(found, "surrogate", where), f"{where}.surrogate"),
    )


def _ledger(raw: dict[str, Any]) -> Ledger:
    where = "the ledger"
    return Ledger(
        raw=raw,
        files=named(entry(raw, "files", where), "files", text),
        faces=items(entry(raw, "faces", where), "faces", _face),
        groups=items(entry(raw, "groups", where), "groups", _group),
        options=dict(table(entry(raw, "options", where), "options")),
        withheld=len(items(entry(raw, "withheld", where), "withheld", table)),
        ignored=named(entry(raw, "ignored", where), "ignored", _boxes),
        clips=named(raw.get("clips", {}), "clips", lambda clip, at: dict(table(clip, at))),
        dismissed=named(raw.get("dismissed", {}), "dismissed", _boxes),
    )


def _boxes(value: Any, where: str) -> tuple[Box, ...]:
    return items(value, where, lambda box, place: numbers(box, place, 4))


def _face(value: Any, where: str) -> Face:
    found = table(value, where)
    group, placement, hidden, rendered = (
        entry(found, name, where) for name in ("group", "placement", "hidden", "numbers")
    )
    corners = None if hidden is None else items(hidden, f"{where}.hidden", count)
    if corners is not None and len(corners) != 4:
        raise Malformed(f"{where}.hidden is no box")
    return Face(
        file=text(entry(found, "file", where), f"{where}.file"),
        box=numbers(entry(found, "box", where), f"{where}.box", 4),
        person=optional_text(entry(found, "person", where), f"{where}.person"),
        group=None if group is None else count(group, f"{where}.group"),
        placement=None if placement is None else _matrix(placement, f"{where}.placement"),
        state=optional_text(entry(found, "state", where), f"{where}.state"),
        hidden=corners,
        numbers=None if rendered is None else dict(table(rendered, f"{where}.numbers")),
        drawn=found.get("drawn") is True,
        kept=found.get("kept") is True,
        looks=bool(found.get("looks")),
    )


def _matrix(value: Any, where: str) -> Matrix:
    rows = items(value, where, lambda row, place: numbers(row, place, 3))
    if len(rows) != 2:
        raise Malformed(f"{where} has {len(rows)} rows instead of 2")
    return rows


def _group(value: Any, where: str) -> Group:
    found = table(value, where)

    def people(value: Any, place: str) -> frozenset[str]:
        return frozenset(items(value, place, text))

    return Group(
        group=count(entry(found, "group", where), f"{where}.group"),
        surrogate=text(entry(found, "surrogate", where), f"{where}.surrogate"),
        people=people(entry(found, "people", where), f"{where}.people"),
        others=people(entry(found, "others", where), f"{where}.others"),
        head=optional_text(entry(found, "head", where), f"{where}.head"),
        pixels=text(found.get("pixels", ""), f"{where}.pixels"),
        looks=named(found.get("looks", {}), f"{where}.looks", _look),
        code=items(found.get("code", []), f"{where}.code", number),
        unseen=named(entry(found, "unseen", where), f"{where}.unseen", people),
    )


def _look(value: Any, where: str) -> LookCells:
    found = table(value, where)
    return LookCells(
        *(text(entry(found, name, where), f"{where}.{name}") for name in LookCells.__slots__)
    )

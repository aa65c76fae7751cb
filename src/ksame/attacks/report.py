"""The figures of attacks as a table: for the terminal, for spreadsheets and for papers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ksame.attacks.bench import BenchRow
from ksame.attacks.measure import Measured
from ksame.attacks.release import AttackResult
from ksame.metrics.intervals import Rate
from ksame.metrics.tables import Table, interval, share

_COLUMNS = {
    "rank-1": "rank1",
    "other photo": "rank1_other",
    "no donors": "without_donors",
    "TAR 10%": "tar_10pct",
    "TAR 1%": "tar_1pct",
    "TAR 0.1%": "tar_01pct",
    "open 1%": "open_1pct",
    "EER": "equal_error",
    "AUC": "area",
}


def attack_table(result: AttackResult) -> Table:
    """Every attack by every recogniser, the unaltered photos first."""
    rows = [(*_cells(row),) for row in (*result.baseline, *result.rows)]
    return Table(("recogniser", "attack", *_heads()), tuple(rows), "Attacks on the release")


def bench_table(rows: Sequence[BenchRow], title: str = "") -> Table:
    """Every method and level against every recogniser and attack."""
    body = [(row.method, f"{row.level:g}", *_cells(row.measured)) for row in rows]
    heads = ("method", "level", "recogniser", "attack", *_heads())
    return Table(heads, tuple(body), title)


def write_table(table: Table, folder: Path, name: str) -> None:
    """Write a table as CSV and as LaTeX."""
    (folder / f"{name}.csv").write_text(table.csv(), encoding="utf-8")
    (folder / f"{name}.tex").write_text(table.latex(), encoding="utf-8")


def _heads() -> tuple[str, ...]:
    first, *others = _COLUMNS
    return (first, "95% interval", "chance", "in group", "other photo in group", "fair", *others)


def _cells(row: Measured) -> tuple[str, ...]:
    found: list[str] = []
    for attribute in _COLUMNS.values():
        value: Rate | float | None = getattr(row, attribute)
        found.append(share(value.value if isinstance(value, Rate) else value))
    rank1, *others = found
    inside: tuple[str, ...] = ("", "", "")
    if row.inside is not None:
        rates = [
            "" if rate is None else f"{share(rate.value)} {interval(rate)}"
            for rate in (row.inside.very, row.inside.other)
        ]
        inside = (*rates, share(row.inside.fair))
    known = (rank1, interval(row.rank1), share(row.cmc.chance))
    return (row.recogniser, row.attack, *known, *inside, *others)

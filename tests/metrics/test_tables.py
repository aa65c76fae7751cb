"""Tables as text that other programs read back."""

import csv
import io

import pytest

from ksame.errors import InputError
from ksame.metrics.intervals import rate
from ksame.metrics.tables import Table, interval, share

TABLE = Table(("method", "rank-1"), (("a,b", ".5"), ("50% & c_1", "1.000")), "What | we saw")


def test_csv_is_read_back():
    rows = list(csv.reader(io.StringIO(TABLE.csv())))
    assert [tuple(row) for row in rows] == [TABLE.columns, *TABLE.rows]


def test_markdown_keeps_its_columns():
    lines = Table(("a", "b"), (("x|y", "z"),)).markdown().splitlines()
    assert lines == ["| a | b |", "| --- | --- |", r"| x\|y | z |"]


def test_latex_escapes_what_it_must():
    text = TABLE.latex()
    assert r"50\% \& c\_1 & 1.000 \\" in text
    assert text.count("{table}") == text.count("{tabular}") == 2
    assert r"\begin{tabular}{ll}" in text


def test_shares_are_printed_as_papers_do():
    assert [share(v) for v in (0.5731, 1.0, 0.0, -0.25, None)] == [
        ".573",
        "1.000",
        ".000",
        "-.250",
        "",
    ]
    assert interval(rate(5, 10)) == ".19-.81"


def test_ragged_rows_are_refused():
    with pytest.raises(InputError, match="1 cells and the table 2"):
        Table(("a", "b"), (("x",),))

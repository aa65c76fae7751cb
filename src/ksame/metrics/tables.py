"""Tables of results as text that papers and spreadsheets take: Markdown, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from ksame.errors import InputError
from ksame.metrics.intervals import Rate

_LATEX = {
    "\\": r"\textbackslash{}",
    **{mark: "\\" + mark for mark in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


@dataclass(frozen=True)
class Table:
    """Named columns and rows of text."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""

    def __post_init__(self) -> None:
        ragged = [row for row in self.rows if len(row) != len(self.columns)]
        if ragged:
            raise InputError(
                f"a row has {len(ragged[0])} cells and the table {len(self.columns)} columns."
            )

    def markdown(self) -> str:
        """A table of GitHub's Markdown, without its title."""
        lines = [self.columns, ("---",) * len(self.columns), *self.rows]
        return "".join(f"| {' | '.join(_escaped(line))} |\n" for line in lines)

    def csv(self) -> str:
        """Comma separated, with a header."""
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerows([self.columns, *self.rows])
        return stream.getvalue()

    def latex(self) -> str:
        """A `table` with a `tabular` of the package booktabs."""
        body = " \\\\\n".join(" & ".join(map(_latex, row)) for row in self.rows)
        head = " & ".join(map(_latex, self.columns))
        caption = f"\\caption{{{_latex(self.title)}}}\n" if self.title else ""
        return (
            "\\begin{table}\n\\centering\n"
            f"{caption}\\begin{{tabular}}{{{'l' * len(self.columns)}}}\n"
            f"\\toprule\n{head} \\\\\n\\midrule\n{body} \\\\\n\\bottomrule\n"
            "\\end{tabular}\n\\end{table}\n"
        )


def share(value: float | None, digits: int = 3) -> str:
    """A share as papers print it: `.573`, `1.000`; nothing where there is none."""
    if value is None:
        return ""
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("0.") else text.replace("-0.", "-.", 1)


def interval(found: Rate) -> str:
    """The 95% interval of a rate: `.49-.65`."""
    return f"{share(found.low, 2)}-{share(found.high, 2)}"


def _escaped(cells: Sequence[str]) -> list[str]:
    return [cell.replace("|", "\\|") for cell in cells]


def _latex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)

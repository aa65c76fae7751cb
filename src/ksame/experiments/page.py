"""The page of results: blocks that `ksame experiment` writes, between words that people write.

A block stands between `<!-- begin NAME -->` and `<!-- end NAME -->`. Only what was run is replaced,
so that no figure on the page is copied by hand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from ksame.errors import InputError
from ksame.experiments.outcome import Experiment, Outcome
from ksame.metrics.tables import Table


def write_page(
    page: Path, experiments: Mapping[str, Experiment], found: Mapping[str, Outcome]
) -> None:
    """Replace the blocks of the experiments that were run; the rest of the page stays.

    Raises
    ------
    InputError
        The page has no block for one of them.
    """
    made = {name: block(experiments[name], outcome) for name, outcome in found.items()}
    replace_blocks(page, made, needed=tuple(made))


def replace_blocks(page: Path, blocks: Mapping[str, str], needed: Sequence[str] = ()) -> None:
    """Write blocks into a page where it has them.

    Raises
    ------
    InputError
        The page has none of them, or not one that is `needed`.
    """
    text, known = page.read_text(encoding="utf-8"), 0
    for name, content in blocks.items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        # a mark is a line of its own: what words say about marks is no mark
        marks = re.compile(rf"^{begin}$.*?^{end}$", re.MULTILINE | re.DOTALL)
        block_now = f"{begin}\n{content}{end}"
        text, count = marks.subn(lambda _, made=block_now: made, text, count=1)  # type: ignore[misc]
        known += count
        if not count and name in needed:
            raise InputError(f"{page.name} has no block {begin} ... {end}. Add these two lines.")
    if not known:
        wanted = " or ".join(f"<!-- begin {name} -->" for name in blocks)
        raise InputError(f"{page.name} has no block {wanted}. Add one and its end.")
    page.write_text(text, encoding="utf-8")


def block(experiment: Experiment, outcome: Outcome) -> str:
    """What is written of one experiment."""
    parts = [
        f"{experiment.source}: {experiment.title.lower()}. {outcome.people} people, "
        f"{outcome.faces} photos. Protocol: {outcome.protocol}.\n"
    ]
    for table in outcome.tables:
        parts.append(f"**{table.title}**\n\n{table.markdown()}")
    if outcome.verdicts:
        parts.append(_verdicts(outcome).markdown())
    return "\n".join(parts)


def _verdicts(outcome: Outcome) -> Table:
    return Table(
        ("source", "the paper says", "here", "verdict"),
        tuple((v.source, v.says, v.ours, v.verdict) for v in outcome.verdicts),
    )

"""Verdicts that can come out every way, and a page that is written by the command."""

import json
import re

import pytest

from ksame.errors import InputError
from ksame.experiments.named import run_experiments
from ksame.experiments.outcome import (
    Experiment,
    Outcome,
    Plot,
    Verdict,
    exceeds,
    grid,
    matches,
    orders,
    stays,
    told,
)
from ksame.experiments.page import replace_blocks, write_page
from ksame.experiments.stills import load
from ksame.metrics.intervals import rate

LOW, MIDDLE, HIGH = rate(5, 100), rate(50, 100), rate(95, 100)


def test_every_rule_can_agree_and_differ():
    assert matches("X", "half", 0.5, MIDDLE).verdict == "agrees"
    assert matches("X", "half", 0.5, HIGH).verdict == "differs"
    assert orders("X", "more", HIGH, LOW).verdict == "agrees"
    assert orders("X", "more", LOW, HIGH).verdict == "differs"
    assert orders("X", "more", MIDDLE, rate(52, 100)).verdict == "open"
    assert exceeds("X", "above", HIGH, 0.5).verdict == "agrees"
    assert exceeds("X", "above", LOW, 0.5).verdict == "differs"
    assert exceeds("X", "above", MIDDLE, 0.5).verdict == "open"
    assert stays("X", "same", MIDDLE, rate(52, 100)).verdict == "agrees"
    assert stays("X", "same", MIDDLE, LOW).verdict == "differs"


def test_a_grid_shows_the_paper_beside_ours():
    table = grid(
        "T",
        "k",
        ["2", "3"],
        ["a", "b"],
        lambda k, c: MIDDLE if c == "a" else "-",
        {("2", "a"): "x"},
    )
    assert table.columns == ("k", "a", "a: paper", "b")
    assert table.rows == (("2", told(MIDDLE), "x", "-"), ("3", told(MIDDLE), "", "-"))
    assert told(MIDDLE) == ".500 (.40-.60)"


def made():
    table = grid("The table", "k", ["2"], ["a"], lambda k, c: MIDDLE)
    return Outcome(
        ({"rate": 0.5},),
        (table,),
        (Verdict("X", "half", "0.5", "agrees"),),
        Plot(panels={"p": {"line": ([1, 2], [0.5, 0.4])}}, xlabel="k"),
        people=2,
        faces=2,
        protocol="none",
        more_plots={"figure14": Plot(panels={"p": {"line": ([1, 2], [0.5, 0.4])}})},
    )


def test_results_and_tables_are_written(tmp_path, monkeypatch):
    tiny = Experiment("tiny", "X Figure 1", "A test", ("london",), lambda stills: made())
    monkeypatch.setattr("ksame.experiments.named._stills", lambda e, root: load([], None))
    seen = []
    found = run_experiments([tiny], None, tmp_path, lambda e, o, s: seen.append(e.name))
    written = json.loads((tmp_path / "results.json").read_text())
    assert written["verdicts"][0]["says"] == "half"
    assert written["data"] == "built-in synthetic people"
    for name in ("plot.png", "figure14.png"):
        assert (tmp_path / name).stat().st_size > 3000
    assert (tmp_path / "table1.csv").read_text().startswith("k,a\n2,")
    assert "tabular" in (tmp_path / "table1.tex").read_text()
    assert seen == list(found) == ["tiny"]


def test_the_page_is_written_by_the_command(tmp_path):
    tiny = Experiment("tiny", "X Figure 1", "A test", ("london",), lambda stills: made())
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- begin tiny -->\nold\n<!-- end tiny -->\nafter\n")
    write_page(page, {"tiny": tiny}, {"tiny": made()})
    once = page.read_text()
    assert once.startswith("before\n<!-- begin tiny -->\nX Figure 1: a test.")
    assert "old" not in once
    assert "| 2 | .500 (.40-.60) |" in once
    assert once.endswith("<!-- end tiny -->\nafter\n")
    write_page(page, {"tiny": tiny}, {"tiny": made()})
    assert page.read_text() == once
    with pytest.raises(InputError, match="has no block"):
        write_page(page, {"other": tiny}, {"other": made()})


def test_words_about_a_mark_are_no_mark(tmp_path):
    page = tmp_path / "page.md"
    text = "Write `<!-- begin tiny -->`.\nMore.\n<!-- begin tiny -->\nold\n<!-- end tiny -->\n"
    page.write_text(text)
    replace_blocks(page, {"tiny": "new\n", "absent": "x\n"})
    assert page.read_text() == text.replace("old", "new")
    with pytest.raises(InputError, match="has no block <!-- begin absent -->"):
        replace_blocks(page, {"absent": "x\n"})


def test_the_docs_have_a_block_for_every_experiment(repository):
    from ksame.experiments.named import EXPERIMENTS

    text = (repository / "docs" / "experiments.md").read_text(encoding="utf-8")
    for name in EXPERIMENTS:
        body = text.split(f"<!-- begin {name} -->")[1].split(f"<!-- end {name} -->")[0]
        assert body.count("|") > 20, f"{name} was never written"


def test_every_guard_on_the_page_exists(repository):
    """The table of what was wrong once names tests that are there."""
    text = (repository / "docs" / "experiments.md").read_text(encoding="utf-8")
    part = text.split("## What was wrong once")[1].split("\n## ")[0]
    guards = [line.split("|")[2] for line in part.splitlines() if line.startswith("| ")][1:]
    assert len(guards) > 15
    for guard in guards:
        for clause in guard.split(";"):
            file, *names = re.findall(r"`([^`]+)`", clause)
            source = (repository / "tests" / file).read_text(encoding="utf-8")
            assert names, clause
            for name in names:
                assert f"def {name}(" in source, f"{file} has no {name}"

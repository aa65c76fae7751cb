"""The rules of docs/architecture.md, kept by reading the page and the sources."""

import ast
import re
import shutil
import sys
from importlib import import_module
from pathlib import Path
from types import FrameType

import numpy as np
import pytest

from ksame import deidentify
from ksame.datasets import demo_people

ALGORITHMS = ("codecs", "grouping", "methods", "metrics")
FORBIDDEN = {"cli", "media", "release", "vision", "weights", "composite", "datasets", "experiments"}


def _imports(file: Path) -> set[str]:
    """What a file imports when it is run; what a type checker alone imports is left out."""
    found = set()
    for node in _run(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def _run(node: ast.AST):
    """All nodes that are run, which those under TYPE_CHECKING are not."""
    yield node
    if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
        return
    for child in ast.iter_child_nodes(node):
        yield from _run(child)


def _packages(repository: Path) -> dict[str, list[Path]]:
    """The files of every package and single module of the source."""
    root = repository / "src/ksame"
    found: dict[str, list[Path]] = {}
    for file in root.rglob("*.py"):
        parts = file.relative_to(root).parts
        name = parts[0] if len(parts) > 1 else file.stem
        if name not in ("__init__", "__main__"):
            found.setdefault(name, []).append(file)
    return found


@pytest.fixture(scope="module")
def page(repository) -> str:
    return (repository / "docs/architecture.md").read_text(encoding="utf-8")


def _rows(page: str, heading: str) -> list[str]:
    """The first cells of the table below a heading."""
    part = page.split(f"## {heading}")[1].split("\n## ")[0]
    return [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]


def test_every_package_is_on_the_page_and_imports_only_what_stands_above_it(repository, page):
    order: dict[str, int] = {}
    for place, cell in enumerate(_rows(page, "Packages, each built on those above it")):
        order |= dict.fromkeys(re.findall(r"`(\w+)`", cell), place)
    packages = _packages(repository)
    assert set(packages) == set(order)
    for name, files in packages.items():
        for file in files:
            for taken in {m.split(".")[1] for m in _imports(file) if m.startswith("ksame.")}:
                assert taken not in order or order[taken] <= order[name], (
                    f"{file.name} of {name} imports {taken}, which stands below it"
                )


def test_every_hop_of_the_walk_exists(page):
    hops = [re.findall(r"`([\w.]+):(\w+)`", cell) for cell in _rows(page, "One photo, hop by hop")]
    assert len(hops) > 10
    for ((module, function),) in hops:
        assert callable(getattr(import_module(f"ksame.{module}"), function)), (module, function)


def test_a_photo_takes_every_hop_in_the_order_of_the_page(page, tmp_path):
    """Functions are told by their code, as the interpreter meets them while a release is made."""
    photo = page.split("A clip takes the same way")[0]
    cells = _rows(photo + "\n## ", "One photo, hop by hop")
    hops = {}
    for cell in cells:
        ((module, function),) = re.findall(r"`([\w.]+):(\w+)`", cell)
        hops[getattr(import_module(f"ksame.{module}"), function).__code__] = cell
    people = demo_people()
    for i in np.unique(people.persons, return_index=True)[1][:3]:
        (tmp_path / "in" / people.persons[i]).mkdir(parents=True)
        shutil.copy(people.paths[i], tmp_path / "in" / people.persons[i])
    met: dict[str, None] = {}

    def meet(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code in hops:
            met.setdefault(hops[frame.f_code])

    sys.setprofile(meet)
    try:
        deidentify(tmp_path / "in", tmp_path / "out", k=3, persons="folder", seed=1, jobs=1)
    finally:
        sys.setprofile(None)
    assert list(met) == cells


def test_the_stages_of_a_release_go_forward(repository):
    """A stage imports no later one; what it hands on lives with it."""
    stages = ["plan", "job", "find", "name", "share", "orders", "write", "ledger", "measure"]
    stages += ["publish", "pipeline"]
    for place, stage in enumerate(stages):
        taken = _imports(repository / f"src/ksame/release/{stage}.py")
        for later in stages[place + 1 :]:
            assert f"ksame.release.{later}" not in taken, f"{stage} imports {later}"


def test_algorithms_import_neither_files_nor_models_nor_the_command_line(repository):
    for folder in ALGORITHMS:
        for file in (repository / "src/ksame" / folder).rglob("*.py"):
            taken = {name.split(".")[1] for name in _imports(file) if name.startswith("ksame.")}
            assert not taken & FORBIDDEN, f"{file.name} imports {taken & FORBIDDEN}"


def test_only_the_command_line_prints(repository):
    for file in (repository / "src/ksame").rglob("*.py"):
        if "cli" in file.parts:
            continue
        calls = {
            node.func.id
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert "print" not in calls, f"{file.name} prints"


def test_the_verifier_shares_no_code_with_the_writer(repository):
    """It reads files and formats alone; the face model's numbers are data that both read, and the
    array types are names without code."""
    allowed = ("ksame.verification", "ksame.codecs.face", "ksame.arrays")
    files = sorted((repository / "src/ksame/verification").glob("*.py"))
    assert files
    for file in files:
        own = {name for name in _imports(file) if name.split(".")[0] == "ksame"}
        outside = {name for name in own if not name.startswith(allowed)}
        assert not outside, f"{file.name} imports {sorted(outside)}"


def test_no_code_asks_for_a_method_by_its_name(repository):
    """What a method is stands in its recipe."""
    names = re.compile(r"""(==|!=)\s*["'](furthest|nobody|pixel|eigen|mdav|select|m)["']""")
    for file in (repository / "src/ksame").rglob("*.py"):
        assert not names.search(file.read_text(encoding="utf-8")), file.name


def test_array_types_are_named_in_one_place(repository):
    defined = re.compile(
        r"^\w+(: \w+)? = npt\.NDArray\[np\.(float64|float32|uint8|bool_|int64)\]", re.M
    )
    for file in (repository / "src/ksame").rglob("*.py"):
        found = defined.findall(file.read_text(encoding="utf-8"))
        assert not found or file.name == "arrays.py", file.name


@pytest.mark.parametrize("folder", ["src", "tests", "tools", "benchmarks"])
def test_files_are_short_enough_to_be_read(folder, repository):
    """One subject a file."""
    for file in (repository / folder).rglob("*.py"):
        lines = len(file.read_text(encoding="utf-8").splitlines())
        assert lines <= 300, f"{file.name} has {lines} lines"

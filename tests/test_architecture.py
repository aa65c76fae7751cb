"""The rules of docs/architecture.md, kept by reading the sources."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ALGORITHMS = ("codecs", "grouping", "methods", "metrics")
FORBIDDEN = {"cli", "media", "release", "vision", "weights", "composite", "datasets", "experiments"}


def _imports(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


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
    """``release/verify`` reads files and formats alone; it may use errors and the version."""
    allowed = {"ksame.errors", "ksame._version"}
    files = sorted((repository / "src/ksame/release").glob("verify*.py"))
    assert files
    for file in files:
        own = {name for name in _imports(file) if name.startswith("ksame.")}
        outside = {
            name
            for name in own
            if not any(name == a or name.startswith(f"{a}.") for a in allowed)
            and not name.startswith("ksame.release.verify")
        }
        assert not outside, f"{file.name} imports {sorted(outside)}"


def test_importing_ksame_is_quick_and_loads_nothing_heavy():
    code = (
        "import sys, time; t = time.perf_counter(); import ksame; "
        "took = time.perf_counter() - t; "
        "heavy = {'numpy', 'cv2', 'sklearn', 'numba', 'matplotlib', 'PIL'} & set(sys.modules); "
        "print(took, *heavy)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    took, *heavy = said.stdout.split()
    assert not heavy
    assert float(took) < 0.5


@pytest.mark.parametrize("name", ["KSamePixel", "ActiveAppearanceModel", "cmc", "datasets"])
def test_public_names_are_found_on_first_use(name):
    import ksame

    assert name in dir(ksame)
    assert getattr(ksame, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    import ksame

    with pytest.raises(AttributeError, match="no_such_name"):
        _ = ksame.no_such_name

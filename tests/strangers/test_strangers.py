"""A stranger's package, installed beside ksame, and the command that uses its four parts."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LONGEST = 20  # lines of a part
PARTS = ("recogniser", "method", "grouping", "dataset")
INFO = "visitors-1.0.dist-info"


@pytest.fixture(scope="module")
def target(tmp_path_factory) -> Path:
    """The folder into which pip installed the package, from a wheel and without a network."""
    folder = tmp_path_factory.mktemp("strangers")
    wheel = folder / "visitors-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in sorted((HERE / "visitors").glob("*.py")):
            archive.write(file, f"visitors/{file.name}")
        archive.write(HERE / "entry_points.txt", f"{INFO}/entry_points.txt")
        archive.writestr(
            f"{INFO}/METADATA", "Metadata-Version: 2.1\nName: visitors\nVersion: 1.0\n"
        )
        archive.writestr(
            f"{INFO}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{INFO}/RECORD", "")
    pip = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet"]
    subprocess.run([*pip, "--target", str(folder / "site"), str(wheel)], check=True, timeout=120)
    return folder / "site"


def run(target: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line in a fresh process that finds the package."""
    path = os.pathsep.join([str(target), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "ksame.cli.app", *arguments]
    environment = os.environ | {"PYTHONPATH": path}
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=200
    )


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_short(part):
    assert len((HERE / "visitors" / f"{part}.py").read_text().splitlines()) < LONGEST


@pytest.mark.slow
def test_the_bench_takes_all_four_parts_by_name(target, tmp_path):
    methods = "none,visitor-turned,visitor-lottery:3"
    done = run(
        target,
        *("bench", methods, "--data", "visitor-few", "--recognisers", "visitor-corner"),
        *("--attacks", "naive,parrot", "-o", str(tmp_path)),
    )
    assert done.returncode == 0, done.stderr
    written = json.loads((tmp_path / "bench.json").read_text())
    assert written["people"] == 12
    rates = {(r["method"], r["attack"]): r["rank1"]["rate"] for r in written["results"]}
    assert {r["recogniser"] for r in written["results"]} == {"visitor-corner"}
    assert rates["none", "naive"] > rates["visitor-turned", "naive"]
    assert rates["visitor-turned", "parrot"] > rates["visitor-turned", "naive"]
    assert rates["visitor-lottery", "parrot"] <= 1 / 3 + 1e-9


@pytest.mark.slow
def test_an_experiment_takes_the_data_set(target, tmp_path):
    done = run(target, "experiment", "intersection", "--data", "visitor-few", "-o", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "results.json").read_text())["people"] == 12


@pytest.mark.slow
def test_what_nobody_offers_is_said(target, tmp_path):
    done = run(target, "bench", "none", "--data", "visitor-many", "-o", str(tmp_path))
    assert done.returncode == 2
    assert "nor a data set of an installed package (visitor-few)" in " ".join(done.stderr.split())
    done = run(target, "bench", "visitor-dark", "-o", str(tmp_path))
    assert done.returncode == 2
    assert "visitor-lottery" in done.stderr

"""Breaks the program on purpose, one promise at a time, and looks whether a test notices.

    python tools/mutations.py [WORD...]

Each mutation is made in a temporary copy of the repository, where the test that must fail is run;
with words only those are tried whose file or promise contains one. Exit code 1 if a mutation lives
or if its text is no longer found: then adapt its table in tools/promises.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from promises import MUTATIONS, Mutation

ROOT = Path(__file__).parents[1]
FAILED = 1  # pytest's exit code if tests failed; higher ones say that it could not run them
HUNG = -1  # instead of an exit code: the tests did not end in time
SECONDS = 600.0  # for the tests of one mutation; the slowest takes a tenth


def survives(mutation: Mutation, folder: Path) -> str | None:
    """Why a mutation counts as alive, or None if its test fails as it should."""
    source = folder / "src/ksame" / mutation.file
    text = source.read_text(encoding="utf-8")
    if text.count(mutation.old) != 1:
        return f"its text occurs {text.count(mutation.old)} times in {mutation.file}"
    source.write_text(text.replace(mutation.old, mutation.new), encoding="utf-8")
    try:
        ended = run([mutation.test], folder)
    finally:
        source.write_text(text, encoding="utf-8")
    if ended == FAILED:
        return None
    return "the test passes" if ended == 0 else f"pytest ended with {ended}"


def run(tests: list[str], folder: Path) -> int:
    """Run tests on a copy of the repository; pytest's exit code, or ``HUNG``."""
    paths = [f"tests/{test}" for test in tests]
    command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", *paths]
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            check=False,
            timeout=SECONDS,
        ).returncode
    except subprocess.TimeoutExpired:
        return HUNG


def main() -> int:
    """Try the mutations and say which tests killed them."""
    words = sys.argv[1:] or [""]
    chosen = [m for m in MUTATIONS if any(w in m.promise or w in m.file for w in words)]
    alive = 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "ksame"
        leave = shutil.ignore_patterns(".git", ".venv*", "__pycache__", ".*_cache", "build")
        shutil.copytree(ROOT, folder, ignore=leave)
        if run(sorted({mutation.test for mutation in chosen}), folder):
            sys.stdout.write("a test fails without any mutation: mend that first\n")
            return 1
        for mutation in chosen:
            why = survives(mutation, folder)
            alive += why is not None
            result = "killed by" if why is None else f"ALIVE, {why}:"
            sys.stdout.write(f"{mutation.promise}\n    {result} {mutation.test}\n")
            sys.stdout.flush()
    return 1 if alive or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())

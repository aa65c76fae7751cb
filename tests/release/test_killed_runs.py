"""A run that is killed goes on where it was, and leaves nothing running."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest
from release_plans import strict_plan as _plan

from ksame.release import run
from ksame.verification import verify

PROGRAM = """
import sys
from ksame.release import Plan, run
if __name__ == "__main__":
    run(Plan(sys.argv[1], sys.argv[2], k=3, composite="strict", persons="folder", seed=7, jobs=2))
"""


def test_a_script_needs_no_guard(small, tmp_path):
    """Workers that imported the main module would start the release again, each of them."""
    script = tmp_path / "script.py"
    script.write_text(PROGRAM.replace('if __name__ == "__main__":\n    ', ""))
    command = [sys.executable, str(script), str(small), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert verify(tmp_path / "out", tmp_path / "out.ledger.json").holds


def _run_and_kill(album, out, seconds):
    """Start a release, kill it with all its processes after a while; False if it was done."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(album), str(out)], start_new_session=True
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(60)
        return True
    return False


@pytest.mark.slow
def test_killed_at_random_moments_it_ends_with_the_same_bytes(small, warm, tmp_path):
    start = time.perf_counter()
    whole = run(_plan(small, warm(tmp_path / "whole")))
    once = time.perf_counter() - start
    dice = random.Random(1)
    out = tmp_path / "out"
    for _ in range(3):
        killed = _run_and_kill(small, out, dice.uniform(0.3, 1.0) * once)
        if not killed:
            break
        if out.exists():
            assert verify(out).holds
    assert not _run_and_kill(small, out, 200)
    names = {p.name for p in whole.out.iterdir()}
    assert {p.name for p in out.iterdir()} == names
    for name in names:
        assert (out / name).read_bytes() == (whole.out / name).read_bytes()
    assert not out.with_name("out.work").exists()


@pytest.mark.slow
def test_workers_end_with_the_run_that_started_them(small, tmp_path):
    """Killed without a chance to say goodbye, the main process leaves nobody behind."""
    import psutil

    command = [sys.executable, "-c", PROGRAM, str(small), str(tmp_path / "out")]
    process = subprocess.Popen(command)
    started = time.monotonic()
    workers = []
    while len(workers) < 2 and process.poll() is None and time.monotonic() < started + 60:
        workers = [
            child
            for child in psutil.Process(process.pid).children(recursive=True)
            if "spawn_main" in " ".join(child.cmdline())
        ]
        time.sleep(0.05)
    assert workers
    process.kill()
    process.wait(60)
    _, alive = psutil.wait_procs(workers, timeout=30)
    assert not alive

"""Signals: the command ends with all its workers, says how to go on, and goes on from there."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

SECONDS = 2.0  # within which nobody may be left, on a machine that does nothing else
PATIENCE = 60.0  # until it is clear that somebody is left for good
# a shell that starts tests in the background lets them ignore Ctrl-C, which would be inherited
AS_IN_A_TERMINAL = """
import os, signal, sys
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_SETMASK, ())
os.execv(sys.argv[1], sys.argv[1:])
"""


def _command(album, out):
    asked = ["-k", "3", "--persons", "folder", "--composite", "strict", "--seed", "7", "--jobs"]
    program = [sys.executable, "-m", "ksame.cli.app", "deidentify"]
    return [*program, str(album), "-o", str(out), *asked, "2"]


def _seconds():
    """What the two seconds are while others use the machine too."""
    return SECONDS * min(max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)), 5.0)


class Started:
    """The command in a group of its own, once its workers have looked at a first photo."""

    def __init__(self, album: Path, out: Path) -> None:
        command = [sys.executable, "-c", AS_IN_A_TERMINAL, *_command(album, out)]
        # a file and no pipe: whoever is left would hold a pipe open
        self._told = out.with_name("told")
        with self._told.open("wb") as told:
            self.process = subprocess.Popen(command, start_new_session=True, stderr=told)
        found = out.with_name("out.work") / "store" / "found"
        end = time.monotonic() + 2 * PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            if found.is_dir() and any(found.glob("*.safetensors")):
                break
            time.sleep(0.01)
        assert self.process.poll() is None
        self.everybody = psutil.Process(self.process.pid).children(recursive=True)

    def end(self) -> float:
        """How long it takes until nobody is left."""
        start = time.perf_counter()
        while self.process.poll() is None or any(map(_lives, self.everybody)):
            assert time.perf_counter() < start + PATIENCE
            time.sleep(0.01)
        return time.perf_counter() - start

    def told(self) -> str:
        return self._told.read_text(encoding="utf-8")

    def kill(self) -> None:
        """Whatever happened, nobody outlives the test."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE)


@pytest.fixture
def started(album, tmp_path):
    command = Started(album, tmp_path / "out")
    yield command
    command.kill()


def _lives(child):
    """One that has ended may wait for its new parent to notice: not our affair."""
    try:
        return child.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("whom", ["the command", "all"])
def test_a_signal_ends_every_worker_within_two_seconds(started, tmp_path, name, whom, capsys):
    """Ctrl-C and a closed terminal reach the workers too, a kill by number the command alone."""
    number = getattr(signal, name)
    assert len([c for c in started.everybody if "spawn_main" in " ".join(c.cmdline())]) == 2
    (os.kill if whom == "the command" else os.killpg)(started.process.pid, number)
    taken = started.end()
    with capsys.disabled():
        print(f"\n{name} to {whom}: {taken:.2f} s")
    assert taken < _seconds()
    assert started.process.returncode == 128 + number
    assert started.told() == "stopped; run the same command again to go on\n"
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_stopped_command_goes_on(album, made, started, tmp_path):
    os.kill(started.process.pid, signal.SIGTERM)
    started.end()
    command = _command(album, tmp_path / "out")
    subprocess.run(command, check=True, capture_output=True, timeout=200)
    for path in made.out.iterdir():
        assert (tmp_path / "out" / path.name).read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_what_nohup_ignores_stays_ignored(album, tmp_path):
    program = "trap '' HUP; exec \"$@\""
    process = subprocess.Popen(["sh", "-c", program, "sh", *_command(album, tmp_path / "out")])
    try:
        time.sleep(3)
        process.send_signal(signal.SIGHUP)
        assert process.wait(200) == 0
    finally:
        process.kill()
        process.wait(PATIENCE)

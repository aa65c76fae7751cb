"""Signals: the command ends with all its workers, says how to go on, and goes on from there."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

SECONDS = 2.0  # within which nobody may be left


def _command(album, out):
    asked = ["-k", "3", "--persons", "folder", "--composite", "strict", "--seed", "7", "--jobs"]
    program = [sys.executable, "-m", "ksame.cli.app", "deidentify"]
    return [*program, str(album), "-o", str(out), *asked, "2"]


def _start(album, out):
    """The command in a group of its own, once its workers have looked at a first photo."""
    process = subprocess.Popen(
        _command(album, out), start_new_session=True, stderr=subprocess.PIPE, text=True
    )
    found = out.with_name("out.work") / "store" / "found"
    end = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < end:
        if found.is_dir() and any(found.glob("*.safetensors")):
            break
        time.sleep(0.01)
    assert process.poll() is None
    return process, psutil.Process(process.pid).children(recursive=True)


def _end(process, everybody):
    """How long it took until nobody was left, and what was told."""
    start = time.perf_counter()
    while process.poll() is None or any(map(_lives, everybody)):
        assert time.perf_counter() < start + 60
        time.sleep(0.01)
    taken = time.perf_counter() - start
    assert process.stderr is not None
    with process.stderr:
        return taken, process.stderr.read()


def _lives(child):
    """One that has ended may wait for its new parent to notice: not our affair."""
    try:
        return child.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("whom", ["the command", "all"])
def test_a_signal_ends_every_worker_within_two_seconds(album, tmp_path, name, whom, capsys):
    """Ctrl-C and a closed terminal reach the workers too, a kill by number the command alone."""
    number = getattr(signal, name)
    process, everybody = _start(album, tmp_path / "out")
    assert len([c for c in everybody if "spawn_main" in " ".join(c.cmdline())]) == 2
    (os.kill if whom == "the command" else os.killpg)(process.pid, number)
    taken, told = _end(process, everybody)
    with capsys.disabled():
        print(f"\n{name} to {whom}: {taken:.2f} s")
    assert taken < SECONDS
    assert process.returncode == 128 + number
    assert told == "stopped; run the same command again to go on\n"
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_stopped_command_goes_on(album, made, tmp_path):
    process, everybody = _start(album, tmp_path / "out")
    os.kill(process.pid, signal.SIGTERM)
    _end(process, everybody)
    subprocess.run(_command(album, tmp_path / "out"), check=True, capture_output=True)
    for path in made.out.iterdir():
        assert (tmp_path / "out" / path.name).read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_what_nohup_ignores_stays_ignored(album, tmp_path):
    program = "trap '' HUP; exec \"$@\""
    process = subprocess.Popen(["sh", "-c", program, "sh", *_command(album, tmp_path / "out")])
    time.sleep(3)
    process.send_signal(signal.SIGHUP)
    assert process.wait(300) == 0

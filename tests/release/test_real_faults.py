"""Faults that really happen: disks that fill up, folders that go away, workers that are killed.

Each is told in one line, leaves no OUT, and the same call ends with the bytes of a run that nothing
happened to.
"""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
from PIL import Image
from release_plans import strict_plan as _plan

import ksame.release.write as writing
from ksame.errors import InputError, MediaError
from ksame.release import find as finding
from ksame.release import run

_SHORT = """
import resource, sys
from ksame.release import Plan, run
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)
run(Plan(sys.argv[1], sys.argv[2], k=3, composite="strict", persons="folder", seed=7, jobs=1))
"""


@pytest.fixture
def small(album, tmp_path):
    """Six people, one photo each."""
    folder = tmp_path / "small"
    for person in sorted(album.iterdir())[:6]:
        photo = sorted(person.iterdir())[0]
        (folder / person.name).mkdir(parents=True)
        shutil.copyfile(photo, folder / person.name / photo.name)
    return folder


@pytest.fixture
def whole(small, warm, tmp_path):
    """The bytes of the run that nothing happens to."""
    return _bytes_of(run(_plan(small, warm(tmp_path / "whole"))).out)


@pytest.fixture
def disk(tmp_path):
    """A disk of one megabyte that can be remounted, filled and pulled."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    try:
        made = subprocess.run(command, capture_output=True, check=False, timeout=60).returncode == 0
    except OSError:
        made = False
    if not made:
        pytest.skip("no file system can be mounted here: it takes root on Linux")
    yield place
    subprocess.run(["umount", "-l", str(place)], capture_output=True, check=False, timeout=60)


def _remount(disk: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(disk)], check=True, timeout=60)


def _bytes_of(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.iterdir()}


def _one_line(error: pytest.ExceptionInfo[MediaError]) -> str:
    told = str(error.value)
    assert "\n" not in told
    assert "what was done is kept" in told
    return told


def _fills_up(room: int):
    """Fill the disk up to so many bytes when the first photo is about to be written."""
    real, calls = writing.write_one, []

    def write_one(order):
        if not calls:
            free = shutil.disk_usage(order.folder).free
            (order.store.root / "filler").write_bytes(bytes(max(free - room, 0)))
        calls.append(order)
        return real(order)

    return write_one


@pytest.mark.parametrize("room", [0, 40_000, 150_000])
def test_a_disk_that_is_really_full(small, warm, whole, disk, monkeypatch, room):
    _remount(disk, "size=64m")
    out = warm(disk / "out")
    monkeypatch.setattr(writing, "write_one", _fills_up(room))
    with pytest.raises(MediaError, match="the disk is full") as error:
        run(_plan(small, out))
    _one_line(error)
    assert not out.exists()
    monkeypatch.undo()
    (disk / "out.work" / "store" / "filler").unlink()
    assert _bytes_of(run(_plan(small, out)).out) == whole


@pytest.mark.slow
@pytest.mark.parametrize("most", [20_000, 60_000])
def test_a_disk_that_takes_no_large_file(small, warm, whole, tmp_path, most):
    """What fails is the write itself, in another process, whatever rights this one has."""
    out = warm(tmp_path / "out")
    command = [sys.executable, "-c", _SHORT, str(small), str(out), str(most)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert "a file cannot be read or written (File too large); what was done" in ended.stderr
    assert not out.exists()
    assert _bytes_of(run(_plan(small, out)).out) == whole


def test_a_disk_that_is_read_only(small, disk):
    _remount(disk, "ro")
    with pytest.raises(InputError, match="Read-only file system"):
        run(_plan(small, disk / "out"))


def test_a_disk_that_is_pulled_while_photos_are_written(small, warm, disk, monkeypatch):
    _remount(disk, "size=64m")
    real = writing.write_one

    def pulled(order):
        subprocess.run(["umount", "-l", str(disk)], check=True, timeout=60)
        monkeypatch.setattr(writing, "write_one", real)
        return real(order)

    monkeypatch.setattr(writing, "write_one", pulled)
    with pytest.raises(MediaError, match="No such file or directory") as error:
        run(_plan(small, warm(disk / "out")))
    _one_line(error)
    assert not list(disk.iterdir())  # nothing private was written beside the disk


def test_a_scratch_folder_that_goes_away_and_comes_back(small, warm, whole, tmp_path, monkeypatch):
    real, calls = writing.write_one, []
    work, away = tmp_path / "out.work", tmp_path / "away"

    def write_one(order):
        calls.append(order)
        if len(calls) == 3:
            work.rename(away)
        return real(order)

    monkeypatch.setattr(writing, "write_one", write_one)
    with pytest.raises(MediaError, match="No such file or directory") as error:
        run(_plan(small, warm(tmp_path / "out")))
    _one_line(error)
    assert not (tmp_path / "out").exists()
    monkeypatch.undo()
    away.rename(work)
    assert _bytes_of(run(_plan(small, tmp_path / "out")).out) == whole


@pytest.mark.parametrize("stage", ["find", "write"])
def test_an_input_folder_that_goes_away_and_comes_back(
    small, warm, whole, tmp_path, monkeypatch, stage
):
    """Its photos are not taken for withheld ones: the release waits until they are there again."""
    module, name = (finding, "find_one") if stage == "find" else (writing, "write_one")
    real, calls = getattr(module, name), []
    away = tmp_path / "away"

    def goes(task):
        calls.append(task)
        if len(calls) == 3:
            small.rename(away)
        return real(task)

    monkeypatch.setattr(module, name, goes)
    with pytest.raises(MediaError, match="folder of the inputs went away") as error:
        run(_plan(small, warm(tmp_path / "out")))
    _one_line(error)
    assert not (tmp_path / "out").exists()
    monkeypatch.undo()
    away.rename(small)
    assert _bytes_of(run(_plan(small, tmp_path / "out")).out) == whole


def test_a_photo_that_changes_and_one_that_is_removed(small, warm, tmp_path, monkeypatch):
    """Both are withheld; the others are released."""
    changed, removed = (next(person.iterdir()) for person in sorted(small.iterdir())[:2])
    real = writing.write_one

    def late(order):
        if order.path == changed:
            with Image.open(changed) as image:
                image.rotate(3).save(changed)
        if order.path == removed:
            removed.unlink()
        return real(order)

    monkeypatch.setattr(writing, "write_one", late)
    release = run(_plan(small, warm(tmp_path / "out"), method="m"))
    assert sorted(Path(file) for file, _ in release.withheld) == sorted([changed, removed])
    assert {why for _, why in release.withheld} == {"changed while the release was made"}
    assert release.certificate["photos"] == 4


def _workers(of: int) -> list[psutil.Process]:
    try:
        children = psutil.Process(of).children(recursive=True)
        return [child for child in children if "spawn_main" in " ".join(child.cmdline())]
    except psutil.NoSuchProcess:
        return []


@pytest.mark.slow
def test_a_worker_that_the_kernel_kills_for_its_memory(small, whole, tmp_path):
    """SIGKILL, as the OOM killer sends it, after the first photo was looked at."""
    out, killed = tmp_path / "out", []
    found = tmp_path / "out.work" / "store" / "found"

    def kill_one() -> None:
        end = time.monotonic() + 120
        while time.monotonic() < end and not killed:
            if found.is_dir() and any(found.glob("*.safetensors")):
                killed.append(_workers(os.getpid())[0].pid)
                os.kill(killed[0], signal.SIGKILL)
            time.sleep(0.01)

    watcher = threading.Thread(target=kill_one, daemon=True)
    watcher.start()
    with pytest.raises(MediaError, match="a worker process died, perhaps out of memory") as error:
        run(_plan(small, out, jobs=2))
    watcher.join(150)
    _one_line(error)
    assert killed
    assert not out.exists()
    assert any(found.iterdir())
    assert _bytes_of(run(_plan(small, out, jobs=2)).out) == whole


def test_a_clock_that_jumps(small, warm, whole, tmp_path, monkeypatch):
    """Years ahead and back between any two looks at it: no byte depends on the clock."""
    jumps = [0.0, 3e8, -3e8, 1.0, -1e9]

    def jumping() -> float:
        jumps.append(jumps.pop(0))
        return 1.6e9 + jumps[0]

    monkeypatch.setattr(time, "time", jumping)
    monkeypatch.setattr(time, "time_ns", lambda: int(jumping() * 1e9))
    assert _bytes_of(run(_plan(small, warm(tmp_path / "out"))).out) == whole

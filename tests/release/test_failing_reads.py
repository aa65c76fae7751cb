"""A disk that fails on reading: told in one line, nothing unprotected, and it can go on.

The system's own EIO comes from ``/proc/self/mem``, which is a plain file that no one can read from
its start. Reads that fail only later are made by a library that is put before the system's
(`failing_reads.c`), where there is a compiler.
"""

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from release_plans import strict_plan as _plan

from ksame.errors import MediaError
from ksame.release import find as finding
from ksame.release import run
from ksame.verification import verify
from ksame.weights.locate import home

_SECONDS = 300  # no run here takes longer than a tenth of it
_UNREADABLE = "/proc/self/mem"

pytestmark = pytest.mark.skipif(
    not Path(_UNREADABLE).exists(), reason="a file that fails on reading is a thing of Linux"
)


@pytest.fixture
def small(album, tmp_path):
    """Six people, one photo each."""
    folder = tmp_path / "small"
    for person in sorted(album.iterdir())[:6]:
        photo = sorted(person.iterdir())[0]
        (folder / person.name).mkdir(parents=True)
        shutil.copyfile(photo, folder / person.name / photo.name)
    return folder


@pytest.fixture(scope="session")
def shim(tmp_path_factory) -> Path:
    """The library that fails reads of files whose path holds a word, after a number of them."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler to build the library that fails reads")
    built = tmp_path_factory.mktemp("shim") / "failing_reads.so"
    source = Path(__file__).with_name("failing_reads.c")
    command = [compiler, "-shared", "-fPIC", "-o", str(built), str(source), "-ldl"]
    subprocess.run(command, check=True, timeout=60)
    return built


def _release(album: Path, out: Path, shim: Path | None = None, word: str = "", after: int = 0):
    """The command in another process; reads of what the word names fail if there is a shim."""
    asked = ["-k", "3", "--persons", "folder", "--composite", "strict", "--seed", "7"]
    command = [sys.executable, "-m", "ksame.cli.app", "deidentify", str(album), "-o", str(out)]
    fault = {"LD_PRELOAD": str(shim), "FAULT_PATH": word, "FAULT_AFTER": str(after)}
    return subprocess.run(
        [*command, *asked, "--method", "m", "--jobs", "1"],
        env={**os.environ, **(fault if shim else {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=_SECONDS,
    )


def _one_line(told: str) -> str:
    lines = [line for line in told.splitlines() if line.startswith("error:")]
    assert len(lines) == 1
    assert "Traceback" not in told
    return " ".join(told[told.index("error:") :].split())  # the terminal breaks long lines


def test_photos_that_fail_are_withheld_and_the_others_released(small, warm, tmp_path):
    bad = sorted(small.iterdir())[0] / "bad.jpg"
    bad.symlink_to(_UNREADABLE)
    release = run(_plan(small, warm(tmp_path / "out")))
    assert list(release.withheld) == [(str(bad), "cannot be opened, or is no plain file")]
    assert release.certificate["photos"] == 6
    assert verify(release.out, release.ledger).holds


def test_a_disk_on_which_nothing_can_be_read_is_no_matter_of_too_few_people(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "one.jpg").symlink_to(_UNREADABLE)
    ended = _release(folder, tmp_path / "out")
    assert ended.returncode == 2
    assert "none of the inputs (1) can be read to its end" in _one_line(ended.stderr)
    assert not (tmp_path / "out").exists()


def test_a_photo_that_fails_once_is_read_by_the_next_run(small, warm, tmp_path, monkeypatch):
    """What the disk refused is not kept as a fault of the photo."""
    import ksame.media

    bad, real = next(sorted(small.iterdir())[0].iterdir()), ksame.media.read_photo

    def failing(path, **options):
        if path == bad:
            raise MediaError("x") from OSError(errno.EIO, "Input/output error")
        return real(path, **options)

    search = finding.Search(bad, finding.Store(tmp_path / "store"), "heads", 10**8, embed=False)
    search.store.root.mkdir()
    monkeypatch.setattr(ksame.media, "read_photo", failing)
    assert finding.find_one(search).failure == "cannot be opened, or is no plain file"
    monkeypatch.undo()
    found = finding.find_one(search)
    assert found.failure is None
    assert len(found.faces) == 1


@pytest.mark.slow
@pytest.mark.parametrize("after", [3, 5, 7])
def test_a_photo_that_fails_on_any_look_at_it(small, warm, tmp_path, shim, after):
    """Either it is withheld, or the run stops and goes on once the disk is well."""
    out, bad = warm(tmp_path / "out"), sorted(small.iterdir())[0]
    shutil.rmtree(tmp_path / "out.work" / "store" / "found")  # so that it is looked at
    ended = _release(small, out, shim, f"small/{bad.name}/", after)
    assert "Traceback" not in ended.stderr
    if ended.returncode == 2:
        assert "Input/output error" in _one_line(ended.stderr)
        assert not out.exists()
        assert _release(small, out).returncode == 0
    else:
        assert ended.returncode == 3
        book = json.loads((tmp_path / "out.ledger.json").read_text())
        assert [Path(each["file"]).parent.name for each in book["withheld"]] == [bad.name]
    assert verify(out, tmp_path / "out.ledger.json").holds


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("weights/", "weight file"),
        ("out.work/store", "what was done is kept"),
        ("out.work/release", "cannot be read"),
        ("src/ksame/vision/", "cannot be"),
    ],
)
def test_a_file_of_ours_that_fails(small, warm, tmp_path, shim, word, told):
    """Weights, the store and finished photos: one line, no OUT, and the same bytes later."""
    out, whole = warm(tmp_path / "out"), warm(tmp_path / "whole")
    if word == "weights/":
        word = str(home() / "weights")
    ended = _release(small, out, shim, word)
    assert ended.returncode == 2
    assert "Input/output error" in (line := _one_line(ended.stderr))
    assert told in line
    assert not out.exists()
    assert _release(small, out).returncode == _release(small, whole).returncode == 0
    assert {p.name: p.read_bytes() for p in out.iterdir()} == {
        p.name: p.read_bytes() for p in whole.iterdir()
    }

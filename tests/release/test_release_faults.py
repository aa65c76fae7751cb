"""Bad input and faults: whatever happens, nothing unprotected is released and it can go on."""

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from release_plans import strict_plan as _plan

import ksame.release.write as writing
from ksame.errors import GuaranteeError, InputError, MediaError
from ksame.release import run
from ksame.verification import verify

PROGRAM = """
import sys
from ksame.release import Plan, run
if __name__ == "__main__":
    run(Plan(sys.argv[1], sys.argv[2], k=3, composite="strict", persons="folder", seed=7, jobs=2))
"""


@pytest.fixture
def small(album, tmp_path):
    """Six people, one photo each: just enough for furthest groups of three."""
    folder = tmp_path / "small"
    for person in sorted(album.iterdir())[:6]:
        (folder / person.name).mkdir(parents=True)
        photo = sorted(person.iterdir())[0]
        shutil.copyfile(photo, folder / person.name / photo.name)
    return folder


def test_bad_files_are_withheld_listed_and_not_named_in_what_is_published(small, warm, tmp_path):
    first = sorted(small.iterdir())[0]
    (first / "Ada Lovelace.jpg").write_bytes(b"\xff\xd8\xff broken")
    (first / "empty.png").write_bytes(b"")
    (first / "clip.mp4").write_bytes(b"....ftypmp42")
    Image.fromarray(np.full((90, 120, 3), 128, np.uint8)).save(first / "wall.png")
    release = run(_plan(small, warm(tmp_path / "out")))
    assert not release.complete
    reasons = {Path(file).name: why for file, why in release.withheld}
    assert set(reasons) == {"Ada Lovelace.jpg", "empty.png", "clip.mp4", "wall.png"}
    assert "no face was found" in reasons["wall.png"]
    assert sum(release.certificate["withheld"].values()) == 4
    assert "Ada" not in json.dumps(release.certificate)
    assert "Ada Lovelace" not in (release.out / "report.html").read_text()
    assert verify(release.out, release.ledger).holds


def test_faceless_photos_are_released_when_allowed(small, warm, tmp_path):
    wall = sorted(small.iterdir())[0] / "wall.png"
    Image.fromarray(np.full((90, 120, 3), 128, np.uint8)).save(wall)
    release = run(_plan(small, warm(tmp_path / "out"), allow_faceless=True))
    assert release.complete
    assert sorted(p.suffix for p in release.out.iterdir()).count(".png") == 1
    assert verify(release.out, release.ledger).holds


def test_a_face_that_cannot_be_replaced_is_black_or_its_photo_withheld(small, warm, tmp_path):
    """The largest face is the named person's; the other one in the photo is nobody's."""
    people = sorted(small.iterdir())
    one, two = (next(person.iterdir()) for person in people[:2])
    with Image.open(one) as a, Image.open(two) as b:
        pair = Image.new("RGB", (a.width * 2, a.height), "white")
        pair.paste(a.convert("RGB"), (0, 0))
        half = b.convert("RGB").resize((b.width // 2, b.height // 2))
        pair.paste(half, (a.width + a.width // 4, a.height // 4))
    pair.save(people[0] / "pair.png")
    release = run(_plan(small, warm(tmp_path / "black"), on_failure="blackout"))
    ledger = json.loads(release.ledger.read_text())
    black = [face for face in ledger["faces"] if face["hidden"]]
    assert len(black) == release.certificate["hidden"] == 1
    x0, y0, x1, y1 = black[0]["hidden"]
    with Image.open(release.out / black[0]["file"]) as image:
        assert not np.asarray(image)[y0:y1, x0:x1].any()
    assert verify(release.out, release.ledger).holds
    kept = run(_plan(small, warm(tmp_path / "kept"), on_failure="withhold"))
    assert [Path(file).name for file, _ in kept.withheld] == ["pair.png"]
    assert "another face" in kept.withheld[0][1]


def test_out_and_in_are_kept_apart(small, tmp_path):
    with pytest.raises(InputError, match="lies inside the input"):
        run(_plan(small, small / "out"))
    with pytest.raises(InputError, match="is an input too"):
        run(_plan(small, small))
    with pytest.raises(InputError, match="lies inside OUT"):
        run(_plan(small, tmp_path))
    link = tmp_path / "link"
    link.symlink_to(small)
    with pytest.raises(InputError, match="lies inside the input"):
        run(_plan(small, link / "out"))
    with pytest.raises(InputError, match="does not exist"):
        run(_plan(tmp_path / "nowhere", tmp_path / "out"))


def test_an_out_that_is_not_ours_is_refused_and_left_alone(small, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="is no release of this version"):
        run(_plan(small, out))
    assert (out / "thesis.txt").read_text() == "mine"
    with pytest.raises(InputError, match="is no folder"):
        run(_plan(small, out / "thesis.txt"))
    assert not out.with_name("out.work").exists()


def test_same_file_twice_links_loops_and_names_in_any_script(small, warm, tmp_path):
    person = sorted(small.iterdir())[0]
    photo = next(person.iterdir())
    renamed = photo.rename(person / "фото 写真 \U0001f600.jpg")
    (person / "again.jpg").symlink_to(renamed)
    (person / "loop").symlink_to(small)
    release = run(_plan([small, renamed], warm(tmp_path / "öut 名")))
    assert release.certificate["photos"] == 6
    assert release.complete
    assert verify(release.out, release.ledger).holds


def test_copies_of_a_photo_in_two_folders_are_one_person(small, warm, tmp_path):
    """Two names for one face would count one person twice."""
    one, two = sorted(small.iterdir())[:2]
    shutil.copyfile(next(one.iterdir()), two / "copy.jpg")
    with pytest.raises(GuaranteeError, match="needs at least 6 people; this set has 5"):
        run(_plan(small, warm(tmp_path / "out")))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(small, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    with pytest.raises(InputError, match="cannot write in"):
        run(_plan(small, locked / "out"))


def test_a_folder_that_cannot_be_made(small, tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="cannot write in"):
        run(_plan(small, tmp_path / "file" / "out"))


def test_a_full_disk_is_told_and_the_same_call_goes_on(small, warm, tmp_path, monkeypatch):
    real, calls = writing.write_bytes, []

    def full(path, data, mode=0o600):
        calls.append(path)
        if len(calls) == 3:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        real(path, data, mode)

    monkeypatch.setattr(writing, "write_bytes", full)
    with pytest.raises(MediaError, match="the disk is full; what was done is kept"):
        run(_plan(small, warm(tmp_path / "out")))
    assert not (tmp_path / "out").exists()
    monkeypatch.setattr(writing, "write_bytes", real)
    release = run(_plan(small, tmp_path / "out"))
    whole = run(_plan(small, warm(tmp_path / "whole")))
    assert release.certificate == whole.certificate


def test_a_photo_that_changes_meanwhile_is_withheld(small, warm, tmp_path, monkeypatch):
    real = writing.write_one
    victim = next(sorted(small.iterdir())[0].iterdir())

    def late(order):
        if order.path == victim:
            with Image.open(victim) as image:
                image.rotate(3).save(victim)
        return real(order)

    monkeypatch.setattr(writing, "write_one", late)
    release = run(_plan(small, warm(tmp_path / "out")))
    assert [why for _, why in release.withheld] == ["changed while the release was made"]
    assert release.certificate["photos"] == 5
    assert verify(release.out, release.ledger).holds


def test_a_face_left_in_the_result_is_never_written(small, warm, tmp_path, monkeypatch):
    """Fail closed: a composite that replaces nothing where it should is caught by the last look."""
    real = writing.look_again
    monkeypatch.setattr(writing, "look_again", lambda result, *_: real(result, []))
    monkeypatch.setattr(writing, "hide", lambda photo, box, how, seed: (0, 0, 1, 1))
    release = run(_plan(small, warm(tmp_path / "out")))
    assert release.certificate["photos"] == 0
    assert len(release.withheld) == 6
    assert not list(release.out.glob("*.jpg"))


def test_a_second_run_at_the_same_time_is_refused(small, tmp_path):
    from ksame.release.scratch import open_scratch

    with (
        open_scratch(tmp_path / "out.work"),
        pytest.raises(InputError, match="another run is writing"),
    ):
        run(_plan(small, tmp_path / "out"))


def test_a_folder_of_the_users_with_the_name_of_ours_is_left_alone(small, tmp_path):
    (tmp_path / "out.work").mkdir()
    (tmp_path / "out.work" / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="was not made by ksame"):
        run(_plan(small, tmp_path / "out"))
    assert (tmp_path / "out.work" / "thesis.txt").read_text() == "mine"


def test_a_scratch_folder_is_ours_at_every_step_of_its_life(tmp_path, monkeypatch):
    """A kill can come before the first file is in it, and between any two that are deleted."""
    from ksame.release.scratch import MARK, open_scratch

    root = tmp_path / "out.work"
    root.mkdir()
    with open_scratch(root) as scratch:
        for folder in (scratch.root / "store", scratch.release):
            folder.mkdir(exist_ok=True)
            (folder / "face").write_text("private")
        (root / "job").write_text("job")
        kept: list[set[str]] = []
        unlink = os.unlink

        def watched(path, *args, **kwargs):
            kept.append({entry.name for entry in root.iterdir()})
            unlink(path, *args, **kwargs)

        monkeypatch.setattr(os, "unlink", watched)
        scratch.remove()
    assert kept
    assert all(MARK in names for names in kept)
    assert not root.exists()


def test_a_picture_that_breaks_an_algorithm_is_withheld(small, warm, tmp_path, monkeypatch):
    import cv2

    from ksame.release.styles import heads

    real = heads.protect

    def breaks(order, rgb):
        if order.path.parent == sorted(small.iterdir())[0]:
            raise cv2.error("somebody's face")
        return real(order, rgb)

    monkeypatch.setattr(heads, "protect", breaks)
    release = run(_plan(small, warm(tmp_path / "out")))
    assert [why for _, why in release.withheld] == ["cannot be worked on: error"]
    assert verify(release.out, release.ledger).holds


def test_the_ledger_of_another_release_is_kept(small, warm, tmp_path):
    first = run(_plan(small, warm(tmp_path / "out")))
    old = first.ledger.read_bytes()
    shutil.move(first.out, tmp_path / "published")
    run(_plan(small, warm(tmp_path / "out"), seed=8))
    kept = [p for p in tmp_path.glob("out.ledger-*.json") if p.read_bytes() == old]
    assert len(kept) == 1


def test_people_corrected_in_the_ledger_are_taken_over(small, warm, tmp_path):
    first = run(_plan(small, warm(tmp_path / "out"), method="m", k=2))
    ledger = json.loads(first.ledger.read_text())
    people = sorted({face["person"] for face in ledger["faces"]})
    for face in ledger["faces"]:
        if face["person"] == people[1]:
            face["person"] = people[0]
    corrected = tmp_path / "corrected.json"
    corrected.write_text(json.dumps(ledger))
    again = run(_plan(small, warm(tmp_path / "again"), method="m", k=2, persons=str(corrected)))
    assert again.certificate["people"] == 5
    assert again.certificate["photos"] == 6


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


def test_files_that_are_no_files_are_withheld_and_nothing_waits_for_them(small, warm, tmp_path):
    person = sorted(small.iterdir())[0]
    os.mkfifo(person / "pipe.jpg")
    (person / "zero.jpg").symlink_to("/dev/zero")
    release = run(_plan(small, warm(tmp_path / "out")))
    assert sorted(Path(file).name for file, _ in release.withheld) == ["pipe.jpg", "zero.jpg"]


def test_names_that_are_no_text_and_inputs_that_went_away(small, warm, tmp_path):
    person = sorted(small.iterdir())[0]
    photo = next(person.iterdir())
    name = os.fsdecode(b"\xff\xfe.jpg")
    shutil.copyfile(photo, person / name)
    (person / "gone.jpg").symlink_to(tmp_path / "nowhere.jpg")
    plan = _plan(small, warm(tmp_path / "out"), with_originals=True)
    release = run(plan)
    assert release.certificate["photos"] == 7
    assert any(
        path.endswith(name) for path in json.loads(release.ledger.read_text())["files"].values()
    )
    assert run(plan).certificate == release.certificate


def test_a_face_left_out_of_a_corrected_ledger_is_found_again(small, warm, tmp_path):
    """A small face beside a large one, deleted by hand: the last look is as fine as the first."""
    people = sorted(small.iterdir())
    one, two = (next(person.iterdir()) for person in people[:2])
    with Image.open(one) as a, Image.open(two) as b:
        pair = Image.new("RGB", (a.width * 2, a.height * 2), "white")
        pair.paste(a.convert("RGB").resize((a.width * 2, a.height * 2)), (-a.width // 2, 0))
        tiny = b.convert("RGB").resize((b.width // 4, b.height // 4))
        pair.paste(tiny, (pair.width - tiny.width, 10))
    pair.save(people[0] / "pair.png")
    first = run(_plan(small, warm(tmp_path / "first"), method="m", k=2, on_failure="blackout"))
    ledger = json.loads(first.ledger.read_text())
    hidden = [face for face in ledger["faces"] if face["hidden"]]
    assert len(hidden) == 1
    ledger["faces"].remove(hidden[0])
    corrected = tmp_path / "corrected.json"
    corrected.write_text(json.dumps(ledger))
    again = run(_plan(small, tmp_path / "again", method="m", k=2, persons=corrected))
    late = [f for f in json.loads(again.ledger.read_text())["faces"] if f["hidden"]]
    assert [face["reason"] for face in late] == ["found in the finished picture alone"]
    assert verify(again.out, again.ledger).holds


def test_a_release_inside_a_release_is_refused(small, made, tmp_path):
    """Its ledger would lie in what is published."""
    with pytest.raises(InputError, match="inside another release"):
        run(_plan(small, made.out / "sub"))


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

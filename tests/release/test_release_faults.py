"""Bad input and faults: whatever happens, nothing unprotected is released and it can go on."""

import errno
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from release_plans import strict_plan as _plan

import ksame.release.write as writing
from ksame.errors import GuaranteeError, MediaError
from ksame.geometry import share_inside
from ksame.release import leftovers, run
from ksame.verification import verify


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
    real = leftovers.look_again
    monkeypatch.setattr(leftovers, "look_again", lambda result, *_: real(result, []))
    monkeypatch.setattr(leftovers, "hide", lambda photo, box, how, seed: (0, 0, 1, 1))
    release = run(_plan(small, warm(tmp_path / "out")))
    assert release.certificate["photos"] == 0
    assert len(release.withheld) == 6
    assert not list(release.out.glob("*.jpg"))


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


def test_kept_names_that_are_no_text_are_released(small, warm, tmp_path):
    photo = next(sorted(small.iterdir())[0].iterdir())
    name = os.fsdecode(b"\xff\xfe" + os.fsencode(photo.suffix))
    photo.rename(photo.with_name(name))
    release = run(_plan(small, warm(tmp_path / "out"), keep_names=True))
    assert any(released.endswith(name) for released in release.certificate["files"])
    assert verify(tmp_path / "out", release.ledger).holds
    assert r"\udcff" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


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
    assert {face["reason"] for face in late} == {"found in the finished picture alone"}
    assert any(
        share_inside(np.array(hidden[0]["box"]), np.array([f["hidden"]])) > 0.9 for f in late
    )
    assert verify(again.out, again.ledger).holds

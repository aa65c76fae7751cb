"""Promises of the writer, judged by what is known without it: true masks, counting, the disk."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from release_plans import strict_plan

from ksame.datasets.demo_people import demo_people
from ksame.errors import KsameError
from ksame.files import HIDDEN
from ksame.release import pipeline, run
from ksame.release.hiding import head_box
from ksame.release.last_look import look_again
from ksame.release.publish import publish
from ksame.vision import faint, find_faces
from ksame.vision.yunet import YuNet


def true_box(demo, i):
    """The face of a photo by its true landmarks: from the brows to the chin."""
    points = demo.landmarks(i)
    return (*points.min(axis=0), *points.max(axis=0))


def test_nobody_lends_hair_to_the_own_group(made):
    ledger = json.loads(made.ledger.read_text(encoding="utf-8"))
    assert len(ledger["groups"]) == 2
    for group in ledger["groups"]:
        of_the_group = {
            face["person"] for face in ledger["faces"] if face["group"] == group["group"]
        }
        assert len(of_the_group) == 3
        assert group["head"] in {face["person"] for face in ledger["faces"]}
        assert group["head"] not in of_the_group


@pytest.mark.parametrize("share", [0.05, 0.25, 0.4])
def test_the_last_look_refuses_a_face_that_is_hardly_covered(share):
    """A region over a part of the true face protects nothing."""
    demo = demo_people()
    for i in (0, 3, 6):
        x0, y0, x1, y1 = true_box(demo, i)
        side = (x0, y0, x0 + share * (x1 - x0), y1)
        on_it, left = look_again(demo.image(i), [side])
        assert (len(on_it), len(left)) == (0, 1)
        around = (x0 - 40, y0 - 80, x1 + 40, y1 + 40)
        on_it, left = look_again(demo.image(i), [around])
        assert (len(on_it), len(left)) == (1, 0)


def test_the_last_look_asks_about_faint_faces_of_which_something_is_left(monkeypatch):
    """On a protected region a faint face is believed to be drawn only if nothing shows of it."""
    asked, rgb, real = [], demo_people().image(0), YuNet.detect

    def unsure(self, image, min_score):
        found = real(self, image, min(2 * min_score, 1.0))
        return dataclasses.replace(found, score=found.score / 2)

    def score(image, centre, size, wide, beside=()):
        asked.append(wide)
        return 1.0

    monkeypatch.setattr(YuNet, "detect", unsure)
    monkeypatch.setattr(faint, "centre_score", score)
    everywhere = [(0, 0, rgb.shape[1], rgb.shape[0])]
    on_it, left = look_again(rgb, everywhere, is_replaced=lambda face: True)
    assert (len(on_it), len(left), asked) == (1, 0, [])
    on_it, left = look_again(rgb, everywhere, is_replaced=lambda face: False)
    assert (len(on_it), len(left), len(asked)) == (1, 0, 1)
    on_it, left = look_again(rgb, [], is_replaced=lambda face: True)
    assert (len(on_it), len(left), len(asked)) == (0, 1, 2)


def test_a_large_box_that_a_person_dismissed_excuses_nobody_in_it():
    """What is no face is dismissed where it is; a box over half of the photo is a slip."""
    demo = demo_people()
    for i in (0, 3, 6):
        height, width = demo.image(i).shape[:2]
        scene = np.full((2 * height, 2 * width, 3), 128, np.uint8)
        scene[:height, :width] = demo.image(i)
        x0, y0, x1, y1 = true_box(demo, i)
        on_it, left = look_again(scene, [], untouched=[(0, 0, 2 * width, 2 * height)])
        assert (len(on_it), len(left)) == (0, 1)
        on_it, left = look_again(scene, [], untouched=[(x0 - 9, y0 - 9, x1 + 9, y1 + 9)])
        assert (len(on_it), len(left)) == (1, 0)


def test_a_black_box_covers_the_true_head():
    """Hair included, from the box that the detector gives."""
    demo = demo_people()
    for i in range(0, 60, 3):
        rgb = demo.image(i)
        x0, y0, x1, y1 = head_box(find_faces(rgb)[0].box, rgb.shape)
        covered = np.zeros(rgb.shape[:2], bool)
        covered[y0:y1, x0:x1] = True
        assert covered[demo.head_mask(i)].mean() > 0.99


def test_without_a_ledger_there_is_no_release(album, warm, tmp_path):
    """Where the ledger belongs something else lies: OUT must not appear."""
    out = warm(tmp_path / "out")
    blocked = tmp_path / "out.ledger.json"
    blocked.mkdir()
    (blocked / "something").write_text("mine")
    with pytest.raises((KsameError, OSError)):
        run(strict_plan(album, out))
    assert not out.exists()
    assert (blocked / "something").read_text() == "mine"


def test_the_ledger_is_there_when_out_appears(album, warm, tmp_path, monkeypatch):
    """Whatever puts OUT in its place, the ledger is in its own by then."""
    out, seen = warm(tmp_path / "out"), []
    real = Path.replace

    def watched(self, target):
        if Path(target) == out:
            seen.append((tmp_path / "out.ledger.json").is_file())
        return real(self, target)

    monkeypatch.setattr(Path, "replace", watched)
    run(strict_plan(album, out))
    assert seen == [True]


def test_nothing_that_a_killed_run_left_is_in_out(small, warm, tmp_path, monkeypatch):
    """Half a file, a photo of another run and empty folders: OUT has what its certificate lists."""
    out = warm(tmp_path / "out")

    def with_leftovers(job, *stages):
        (job.folder / "older" / "empty").mkdir(parents=True)
        (job.folder / "older" / "photo.jpg").write_bytes(b"an original of another run")
        (job.folder / f"{HIDDEN}0123.part").write_bytes(b"half a photo")
        return publish(job, *stages)

    monkeypatch.setattr(pipeline, "publish", with_leftovers)
    release = run(strict_plan(small, out))
    listed = {*release.certificate["files"], "certificate.json", "report.html"}
    assert {str(path.relative_to(out)) for path in out.rglob("*")} == listed
    assert len(release.certificate["files"]) == 6

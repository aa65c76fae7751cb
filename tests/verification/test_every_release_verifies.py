"""What deidentify publishes holds: heads overlapping, cut by the border, tiny, beside black boxes.

The scenes are composed of the synthetic people with the true masks of their heads.
"""

import json
import math
from collections import defaultdict
from dataclasses import replace

import cv2
import numpy as np
import pytest
from PIL import Image

from ksame.datasets.demo_people import demo_people
from ksame.errors import GuaranteeError
from ksame.release import Plan, run
from ksame.release import ledger as books
from ksame.release.last_look import sure_faces
from ksame.verification import verify

PEOPLE = 8


def paste(scene, demo, i, x, y, size):
    """Lay the head of a photo into a scene, its photo's side being ``size`` pixels there."""
    mask = cv2.dilate(demo.head_mask(i).astype(np.uint8) * 255, np.ones((5, 5), np.uint8))
    rgb, mask = (
        cv2.resize(p, (size, size), interpolation=cv2.INTER_AREA) for p in (demo.image(i), mask)
    )
    x0, y0 = max(x, 0), max(y, 0)
    x1, y1 = min(x + size, scene.shape[1]), min(y + size, scene.shape[0])
    if x0 >= x1 or y0 >= y1:
        return
    part = np.s_[y0 - y : y1 - y, x0 - x : x1 - x]
    share = mask[part][..., None] / 255
    scene[y0:y1, x0:x1] = np.rint(rgb[part] * share + scene[y0:y1, x0:x1] * (1 - share))


def compose(dice, demo, person, row):
    """A photo of a person in front, with others near, behind, tiny and half outside."""
    scene = cv2.resize(demo.image(row), (480, 480), interpolation=cv2.INTER_LINEAR)
    scene = np.hstack([scene, np.full((480, 240, 3), dice.integers(60, 220), np.uint8)])
    others = [i for i in range(3 * PEOPLE) if demo.persons[i] != person]
    for kind in dice.permutation(4)[: dice.integers(1, 5)]:
        i = int(dice.choice(others))
        x, y, size = {
            0: (dice.integers(180, 320), dice.integers(-30, 120), dice.integers(200, 380)),
            1: (dice.integers(520, 640), dice.integers(40, 260), dice.integers(200, 340)),
            2: (dice.integers(300, 640), dice.integers(-60, 10), dice.integers(150, 260)),
            3: (dice.integers(0, 640), dice.integers(0, 420), dice.integers(44, 90)),
        }[int(kind)]
        paste(scene, demo, i, int(x), int(y), int(size))
    return scene


def build_scenes(folder, seed):
    """Photos of all people, a JPEG or PNG each, in the folder of whoever is in front."""
    demo, dice = demo_people(), np.random.default_rng(seed)
    for n in range(PEOPLE):
        row = 3 * n + int(dice.integers(3))
        scene = compose(dice, demo, demo.persons[row], row)
        path = folder / demo.persons[row] / ("a.png" if dice.random() < 0.3 else "a.jpg")
        path.parent.mkdir(parents=True)
        Image.fromarray(scene).save(path, quality=int(dice.integers(70, 98)))
    return folder


def scale(face):
    return math.hypot(face["placement"][0][0], face["placement"][1][0])


def circle(face):
    """Middle and radius of a replaced head in the photo: two eye distances about the nose."""
    (a, b, tx), (c, d, ty) = face["placement"]
    return np.linalg.solve([[a, b], [c, d]], [224 - tx, 270 - ty]), 192 / scale(face)


def happenings(ledger):
    """Which difficulties a release has."""
    found = set()
    for one in ledger["faces"]:
        found |= {"black box"} if one["hidden"] else set()
        if not one["placement"]:
            continue
        (x, y), radius = circle(one)
        if min(x, y, 480 - y, 720 - x) < radius:
            found.add("cut by the border")
        if radius < 40:
            found.add("tiny")
        for two in ledger["faces"]:
            if two is one or two["file"] != one["file"]:
                continue
            if two["hidden"]:
                x0, y0, x1, y1 = two["hidden"]
                near = np.hypot(max(x0 - x, 0, x - x1), max(y0 - y, 0, y - y1))
                found |= {"box touches a head"} if near < radius else set()
            elif two["placement"]:
                other, reach = circle(two)
                found |= (
                    {"heads overlap"} if np.hypot(*(other - (x, y))) < radius + reach else set()
                )
    return found


def heads(album, out, **options):
    """Whole heads in scenes that hardly carry them, black boxes where there is none."""
    chosen = {"composite": "strict", "force": True, "on_failure": "blackout", "jobs": 1, **options}
    return Plan(album, out, **chosen)


def publish(tmp_path, seed, persons, **options):
    album = build_scenes(tmp_path / "album", seed)
    release = run(heads(album, tmp_path / "out", persons=persons, seed=seed, **options))
    verdict = verify(release.out, release.ledger)
    assert verdict.findings == ()
    assert release.certificate["photos"] > 0
    return happenings(json.loads(release.ledger.read_text(encoding="utf-8")))


def test_black_boxes_beside_and_under_heads(tmp_path):
    """Everybody but the person in front is a stranger and blacked out."""
    met = publish(tmp_path, 5, "folder", k=2, method="m")
    assert {"black box", "box touches a head"} <= met


def test_heads_over_heads(tmp_path):
    """Everybody is somebody."""
    met = publish(tmp_path, 6, "auto", k=2, method="m")
    assert {"heads overlap", "tiny", "cut by the border"} <= met


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 18))
@pytest.mark.parametrize(
    ("persons", "options"),
    [
        ("folder", {"k": 3, "method": "furthest"}),
        ("auto", {"k": 3, "method": "m"}),
        ("auto", {"k": 2, "method": "pixel"}),
        ("folder", {"k": 2, "method": "eigen"}),
    ],
)
def test_any_scene(tmp_path, seed, persons, options):
    assert publish(tmp_path, seed, persons, **options)


@pytest.mark.parametrize(("grey", "looks"), [(6, {"neutral", "grey neutral"}), (1, {"neutral"})])
def test_photos_without_colour_are_shown_so_if_k_people_have_some(tmp_path, grey, looks):
    """Six people with a photo in colour each, and some of them with one in grey; k = 3."""
    demo = demo_people()
    for n in range(6):
        folder = tmp_path / "album" / demo.persons[3 * n]
        folder.mkdir(parents=True)
        rgb = demo.image(3 * n)
        Image.fromarray(rgb).save(folder / "a.png")
        if n < grey:
            Image.fromarray(rgb).convert("L").save(folder / "b.png")
    plan = heads(tmp_path / "album", tmp_path / "out", k=3, persons="folder", seed=1)
    release = run(plan)
    assert verify(release.out, release.ledger).findings == ()
    ledger = json.loads(release.ledger.read_text(encoding="utf-8"))
    people = defaultdict(set)
    for face in ledger["faces"]:
        people[face["group"], face["state"]].add(face["person"])
    assert {state for _, state in people} == looks
    assert all(len(found) >= 3 for found in people.values())


def test_nothing_appears_that_the_verifier_refuses(tmp_path, monkeypatch):
    """A writer that lets a member of the group lend the hair: its photos must not be published."""
    real = books._groups

    def wrong(*values):
        return [replace(group, head=group.people[0]) for group in real(*values)]

    monkeypatch.setattr(books, "_groups", wrong)
    album = build_scenes(tmp_path / "album", 5)
    plan = heads(album, tmp_path / "out", k=2, method="m", persons="folder", seed=5)
    with pytest.raises(GuaranteeError, match="wears the hair of one of its own people") as caught:
        run(plan)
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "out.ledger.json").exists()
    assert not (tmp_path / "out.work").exists()
    assert not any(path.name in str(caught.value) for path in album.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20, 32))
@pytest.mark.parametrize(
    ("persons", "how"), [("folder", "fill"), ("auto", "fill"), ("folder", "blackout")]
)
def test_any_scene_with_model_faces(tmp_path, seed, persons, how):
    """And no photo is withheld because its verification fails."""
    album = build_scenes(tmp_path / "album", seed)
    plan = Plan(album, tmp_path / "out", k=2, persons=persons, seed=seed, jobs=1, on_failure=how)
    release = run(plan)
    assert verify(release.out, release.ledger, detector=sure_faces).findings == ()
    assert release.certificate["photos"] > 0
    assert not [why for _, why in release.withheld if "verification" in why]

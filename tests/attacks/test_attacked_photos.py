"""An attack from photos to its report, and what it keeps to itself."""

import json

import numpy as np
import pytest
from small_worlds import Oracle, touch

import ksame.attacks
from ksame.attacks import photos
from ksame.attacks.looks import compare_images
from ksame.attacks.photos import Original, Released, gather
from ksame.attacks.plots import plot_attack, plot_verification
from ksame.attacks.release import attack_release
from ksame.attacks.report import attack_table, write_table
from ksame.datasets.demo_people import demo_people
from ksame.errors import InputError
from ksame.geometry import iou
from ksame.recognition.crops import POINTS, SIDE
from ksame.vision import Face


def fake_faces(photo):
    """A detector that finds one face where the photo is bright."""
    if photo.max() < 10:
        return []
    return [Face(np.array([54.0, 19, 190, 216]), 1.0, POINTS.copy())]


def test_hidden_faces_are_placed_by_the_original(monkeypatch, tmp_path):
    monkeypatch.setattr(photos, "_faces", fake_faces)
    shown = np.full((SIDE, SIDE, 3), 200, np.uint8)
    pictures = {"a.png": shown, "b.png": shown, "a2.png": shown * 0, "none.png": shown * 0}
    gallery, probes = gather(
        [Original(tmp_path / "a.png", "a"), Original(tmp_path / "b.png", "b")],
        [
            Released(tmp_path / "a2.png", "a", tmp_path / "a.png"),
            Released(tmp_path / "none.png", "b"),
        ],
        read=lambda p: pictures[p.name],
    )
    assert (probes.hidden, probes.missed, gallery.missed) == (1, 1, 0)
    assert probes.persons.tolist() == ["a"]
    assert probes.source.tolist() == [0]
    assert iou(np.array([0, 0, 2, 2.0]), np.array([1, 0, 3, 2.0])) == pytest.approx(1 / 3)


def test_attack_release_reports_everything_without_names(monkeypatch, tmp_path):
    monkeypatch.setattr(photos, "_faces", fake_faces)
    rng = np.random.default_rng(0)
    pictures = {
        f"p{i}_{j}.png": np.clip(rng.integers(60, 250, (SIDE, SIDE, 3)), 0, 255).astype(np.uint8)
        for i in range(8)
        for j in range(2)
    }
    for name, picture in pictures.items():
        picture[:40, :40] = 30 * int(name[1])
    originals = [(tmp_path / n, n.split("_")[0]) for n in pictures]
    release = [(p, person, None, p) for p, person in originals]
    result = attack_release(
        originals, release, [Oracle(), "eigenfaces"], k=4, read=lambda p: pictures[p.name]
    )
    found = result.as_dict()
    assert found["line"] == 0.25
    assert found["people"] == 8
    assert result.row("eigenfaces", "naive").cmc.rank1.value == 1.0
    assert result.row("oracle", "trained").people == 6
    assert "p0" not in json.dumps(found)
    assert "p0" not in repr(result)
    row = result.row("eigenfaces", "naive").as_dict()
    assert row["tar_01pct"]["rate"] == row["tar_10pct"]["rate"] == row["open_1pct"]["rate"] == 1.0
    assert row["equal_error"] < 0.3
    assert row["area"] > 0.7
    plot_attack(result, tmp_path / "cmc.png")
    plot_verification(result, tmp_path / "roc.png")
    assert (tmp_path / "cmc.png").stat().st_size > 5000
    assert (tmp_path / "roc.png").stat().st_size > 5000
    table = attack_table(result)
    assert len(table.rows) == len(result.rows) + len(result.baseline)
    cells = {row[:2]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    assert cells["eigenfaces", "naive"]["rank-1"] == "1.000"
    assert cells["eigenfaces", "naive"]["TAR 0.1%"] == "1.000"
    assert cells["eigenfaces", "parrot"]["TAR 0.1%"] == ""
    write_table(table, tmp_path, "attack")
    assert (tmp_path / "attack.csv").read_text() == table.csv()
    assert (tmp_path / "attack.tex").read_text() == table.latex()
    with pytest.raises(InputError, match="was not measured"):
        result.row("sface", "naive")


STRANGER = """
import numpy as np

class Corner:
    name, learns, dim = "corner", False, 3

    def fit(self, training, persons=None):
        return self

    def describe(self, faces):
        return np.asarray(faces)[:, 0, 0].astype(float)

    def distances(self, probes, gallery):
        return np.linalg.norm(probes[:, None] - gallery[None], axis=2)
"""


def test_attack_from_python_takes_strings_and_finds_the_ledger(monkeypatch, tmp_path):
    monkeypatch.setattr(photos, "_faces", fake_faces)
    rng = np.random.default_rng(0)
    picture = {n: rng.integers(60, 250, (SIDE, SIDE, 3), np.uint8) for n in ("a.jpg", "b.jpg")}
    touch(tmp_path, "in/a.jpg", "in/b.jpg", "out/1.jpg", "out/2.jpg")
    picture |= {"1.jpg": picture["a.jpg"], "2.jpg": picture["b.jpg"]}
    monkeypatch.setattr("ksame.attacks.release.gather", _gather_from(picture))
    book = {
        "options": {"k": 2},
        "files": {"1.jpg": str(tmp_path / "in/a.jpg"), "2.jpg": str(tmp_path / "in/b.jpg")},
        "faces": [
            {"file": "1.jpg", "box": None, "person": "ann", "group": 0},
            {"file": "2.jpg", "box": None, "person": "bob", "group": 0},
        ],
    }
    (tmp_path / "out.ledger.json").write_text(json.dumps(book))
    (tmp_path / "stranger.py").write_text(STRANGER)
    monkeypatch.syspath_prepend(tmp_path)
    seen = []
    result = ksame.attacks.attack(
        str(tmp_path / "in"),
        tmp_path / "out",
        recognisers=["stranger:Corner"],
        attacks=["naive"],
        progress=lambda done, total: seen.append((done, total)),
    )
    assert (result.k, result.people, len(result.rows)) == (2, 2, 1)
    assert result.rows[0].recogniser == "corner"
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    with pytest.raises(InputError, match="exclude each other"):
        ksame.attacks.attack("in", "out", ledger="a", pairs="b")


def _gather_from(picture):
    """`gather`, reading from a dictionary."""
    return lambda originals, released, read, step, look=False: gather(
        originals, released, lambda path: picture[path.name], step, look=look
    )


@pytest.mark.slow
def test_what_a_release_keeps_is_measured_on_pairs():
    people = demo_people()
    photos_ = [people.image(i) for i in range(3)]
    same = compare_images(photos_, photos_)
    assert same.detected["yunet"].value == 1.0
    assert same.expression == pytest.approx(1.0)
    assert same.gaze == pytest.approx(1.0)
    assert same.landmarks == pytest.approx(0.0, abs=1e-9)
    assert same.pose == pytest.approx(0.0, abs=1e-4)
    assert (same.ssim, same.psnr) == (pytest.approx(1.0), 99.0)
    black = compare_images(photos_, [p * 0 for p in photos_])
    assert black.detected["yunet"].value == 0.0
    assert black.expression is None
    assert json.dumps(black.as_dict())

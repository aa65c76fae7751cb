"""The bench of methods: by name, by function, from the command line, and its page of docs."""

import json
import re
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from ksame.attacks.bench import Universe
from ksame.cli.app import app
from ksame.datasets import listed_faces
from ksame.datasets.demo_people import demo_people
from ksame.errors import InputError, MediaError
from ksame.experiments.bench_methods import find_method
from ksame.experiments.compare import universe_of
from ksame.experiments.stills import Stills, load
from ksame.metrics.anonymity import check_k_anonymity
from ksame.recognition.crops import SIDE

run = CliRunner()


def test_methods_are_found_by_name_and_level():
    assert (find_method("pixelate:20").name, find_method("pixelate:20").level) == ("pixelate", 20.0)
    assert find_method("blur").level == 8.0
    assert find_method("furthest:3").level == 3.0
    assert find_method("wrong-map").level == 5.0
    own = find_method("numpy:negative:2")
    assert (own.name, own.level, own.alter) == ("numpy:negative", 2.0, np.negative)
    with pytest.raises(InputError, match="'faceit' is not known; choose from none, deface, pixel"):
        find_method("faceit")


def test_ad_hoc_methods_know_where_the_face_is_in_a_crop():
    crops = np.full((2, SIDE, SIDE, 3), 200, np.uint8)
    masked = find_method("bar").alter(crops, np.arange(2))
    rows = np.flatnonzero((masked[0, :, SIDE // 2] != 200).any(axis=1))
    assert rows.min() < 95 < rows.max()  # the eyes of a crop lie at 95


def test_a_program_on_the_path_is_a_method(tmp_path, monkeypatch):
    """Whatever is called deface gets the crops as photos, and what it leaves out is an error."""
    program = tmp_path / "deface"
    program.write_text(
        f"#!{sys.executable}\n"
        "import shutil, sys\n"
        "for path in sys.argv[1:]:\n"
        "    shutil.copy(path, path.replace('.png', '_anonymized.png'))\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    crops = np.random.default_rng(0).integers(0, 255, (3, SIDE, SIDE, 3), dtype=np.uint8)
    assert np.array_equal(find_method("deface").alter(crops, np.arange(3)), crops)
    program.write_text(f"#!{sys.executable}\n")
    with pytest.raises(MediaError, match="left photos out"):
        find_method("deface").alter(crops, np.arange(3))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InputError, match="not on PATH"):
        find_method("deface")


def test_k_diff_moves_the_faces_of_a_person_together():
    crops = np.random.default_rng(0).integers(90, 160, (8, SIDE, SIDE, 3), dtype=np.uint8)
    crops[4:] = crops[:4] + 7  # another photo of each of four people
    moved = find_method("k-diff-furthest:2").alter(crops, np.tile(np.arange(4), 2)).astype(int)
    inside = (moved[:4] > 0) & (moved[:4] < 248)
    assert np.abs(moved[4:] - moved[:4] - 7)[inside].max() <= 1


@pytest.fixture(scope="module")
def crops():
    """Eight of the built-in people, neutral and smiling."""
    stills = load([], None)
    first, second = stills.pairs("neutral", "smile")
    rows = np.concatenate([first[:8], second[:8]])
    return stills.take(rows).crops, np.tile(np.arange(8), 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["m:4", "nobody:4", "proxy:4"])
def test_methods_of_photos_and_models_on_crops(crops, name):
    faces, people = crops
    made = find_method(name).alter(faces, people)
    assert (made.shape, made.dtype) == (faces.shape, np.uint8)
    changed = (made != faces).any(axis=3).mean(axis=(1, 2))
    assert changed.min() > 0.1


@pytest.mark.slow
def test_k_same_m_shares_whole_crops(crops):
    faces, people = crops
    made = find_method("m:4").alter(faces, people)
    assert check_k_anonymity(faces, made, people, 4)


def test_first_photos_are_the_gallery_and_people_with_one_are_left_out():
    crops = np.zeros((5, SIDE, SIDE, 3), np.uint8)
    crops[:, 0, 0, 0] = np.arange(5)
    stills = Stills(
        (lambda: crops[0],) * 5,
        np.array(["b", "a", "c", "a", "b"]),
        np.array([""] * 5),
        np.array(["smile", "neutral", "neutral", "smile", "neutral"]),
        np.zeros((5, 5, 2)),
        np.zeros((5, 5, 2)),
    )
    stills.__dict__["crops"] = crops
    found = universe_of(stills)
    assert isinstance(found, Universe)
    assert found.gallery[:, 0, 0, 0].tolist() == [1, 4]
    assert found.probe[:, 0, 0, 0].tolist() == [0, 3]
    assert (found.owners.tolist(), found.shown.tolist()) == ([0, 1], [1, 0])


def test_any_people_csv_is_data(tmp_path):
    table = tmp_path / "people.csv"
    table.write_text("image,person\na1.jpg,a\na2.jpg,a\nb1.jpg,b\na3.jpg,a\n")
    found = listed_faces(table)
    assert found.expression == ("neutral", "smile", "neutral", "other")
    assert found.landmarks == (None,) * 4
    assert "a1" not in repr(found)


def _bench(out, *more, methods, data=None):
    """The command with the visitor's recogniser."""
    given = () if data is None else ("--data", str(data / "people.csv"))
    return run.invoke(
        app,
        [
            *("bench", methods, "-o", str(out), *given, *more),
            *("--recognisers", "visitor:Corner", "--attacks", "naive,parrot"),
        ],
    )


@pytest.mark.slow
def test_a_stranger_s_method_recogniser_and_data_from_the_command_line(tmp_path, monkeypatch):
    """A file beside the data, a people.csv, and nothing installed."""
    people = demo_people()
    chosen = [i for i, p in enumerate(people.persons) if p in sorted(set(people.persons))[:10]]
    lines = [f"{people.paths[i]},{people.persons[i]}" for i in chosen]
    (tmp_path / "people.csv").write_text("\n".join(["image,person", *lines]) + "\n")
    (tmp_path / "visitor.py").write_text(
        "import numpy as np\n"
        "def dark(faces, people):\n"
        "    return faces // 4\n"
        "class Corner:\n"
        "    name, learns, dim = 'corner', False, 3\n"
        "    def fit(self, training, persons=None):\n"
        "        return self\n"
        "    def describe(self, faces):\n"
        "        return np.asarray(faces, float)[:, 120, 120]\n"
        "    def distances(self, probes, gallery):\n"
        "        return np.linalg.norm(probes[:, None] - gallery[None], axis=2)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    page = tmp_path / "page.md"
    page.write_text("# Ours\n<!-- begin bench-summary -->\nold\n<!-- end bench-summary -->\n")
    out = tmp_path / "out"
    done = _bench(out, "--docs", str(page), methods="none,visitor:dark", data=tmp_path)
    assert done.exit_code == 0, done.output
    written = json.loads((out / "bench.json").read_text())
    assert {(r["method"], r["attack"]) for r in written["results"]} == {
        (m, a) for m in ("none", "visitor:dark") for a in ("naive", "parrot")
    }
    for name in (
        "bench.csv",
        "bench.tex",
        "bench.png",
        "cmc.png",
        "roc.png",
        "privacy-utility.png",
    ):
        assert (out / name).stat().st_size > 200
    kept = {found["method"]: found for found in written["kept"]}
    assert kept["none"]["frechet_sface"] == pytest.approx(0, abs=1e-6)
    assert kept["visitor:dark"]["frechet_sface"] > 0.01
    told = page.read_text()
    assert "| visitor:dark |" in told
    assert "old" not in told
    again = _bench(out, "--with", str(out / "bench.json"), methods="pixelate:15", data=tmp_path)
    assert again.exit_code == 0, again.output
    both = json.loads((out / "bench.json").read_text())
    assert both["results"][: len(written["results"])] == written["results"]
    assert both["kept"][:2] == written["kept"]
    assert {r["method"] for r in both["results"]} == {"none", "visitor:dark", "pixelate"}
    other = _bench(out, "--with", str(out / "bench.json"), "--splits", "2", methods="none")
    assert isinstance(other.exception, InputError)
    assert "differs from this run in people, faces, faces_digest, splits" in str(other.exception)
    # a pipe gets whole figures, not what fits into 80 columns
    assert "…" not in done.stdout
    assert "visitor:dark" in done.stdout


@pytest.mark.slow
def test_the_page_runs(repository, capsys):
    text = (repository / "docs" / "bench.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 5
    scope: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/bench.md", "exec"), scope)
    assert capsys.readouterr().out.startswith(r"\begin{table}")

"""The bench of methods: by name, by function, from the command line, and its page of docs."""

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from ksame.attacks.bench import Universe
from ksame.cli.app import app
from ksame.datasets import listed_faces
from ksame.datasets.demo_people import demo_people
from ksame.errors import InputError
from ksame.experiments.compare import find_method, universe_of
from ksame.experiments.stills import Stills
from ksame.recognition.crops import SIDE

run = CliRunner()


def test_methods_are_found_by_name_and_level():
    assert (find_method("pixelate:20").name, find_method("pixelate:20").level) == ("pixelate", 20.0)
    assert find_method("blur").level == 8.0
    assert find_method("furthest:3").level == 3.0
    assert find_method("wrong-map").level == 5.0
    own = find_method("numpy:negative:2")
    assert (own.name, own.level, own.alter) == ("numpy:negative", 2.0, np.negative)
    with pytest.raises(InputError, match="'faceit' is not known; choose from none, pixel"):
        find_method("faceit")


def test_ad_hoc_methods_know_where_the_face_is_in_a_crop():
    crops = np.full((2, SIDE, SIDE, 3), 200, np.uint8)
    masked = find_method("bar").alter(crops, np.arange(2))
    rows = np.flatnonzero((masked[0, :, SIDE // 2] != 200).any(axis=1))
    assert rows.min() < 95 < rows.max()  # the eyes of a crop lie at 95


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
    out = tmp_path / "out"
    done = run.invoke(
        app,
        [
            *("bench", "none,visitor:dark", "-o", str(out)),
            *("--data", str(tmp_path / "people.csv")),
            *("--recognisers", "visitor:Corner", "--attacks", "naive,parrot"),
        ],
    )
    assert done.exit_code == 0, done.output
    written = json.loads((out / "bench.json").read_text())
    assert {(r["method"], r["attack"]) for r in written["results"]} == {
        (m, a) for m in ("none", "visitor:dark") for a in ("naive", "parrot")
    }
    for name in ("bench.csv", "bench.tex", "bench.png"):
        assert (out / name).stat().st_size > 200
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

"""The attacker's commands, from the shell's side, on built-in people."""

import json

import cv2
import pytest
from typer.testing import CliRunner

from ksame.attacks.levels import pixelate
from ksame.cli.app import app
from ksame.datasets.demo_people import demo_people
from ksame.errors import GuaranteeError

run = CliRunner()


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Photos of six people, and the same with pixelated middles under another tool's names."""
    root = tmp_path_factory.mktemp("attack")
    before, after = root / "in", root / "out"
    before.mkdir()
    after.mkdir()
    people = demo_people()
    names = sorted(set(people.persons))[:6]
    for i, (path, person) in enumerate(zip(people.paths, people.persons, strict=True)):
        if person in names and people.expression[i] in ("neutral", "smile"):
            photo = cv2.imread(str(path))
            name = f"{person}_{people.expression[i]}"
            cv2.imwrite(str(before / f"{name}.png"), photo)
            h, w = photo.shape[:2]
            part = (slice(h // 6, -h // 6), slice(w // 4, -w // 4))
            photo[part] = pixelate(photo[part], 8)
            cv2.imwrite(str(after / f"{name}_anonymized.png"), photo)
    return before, after


def test_attack_on_another_tools_folder(folders, tmp_path):
    before, after = folders
    command = ["attack", str(before), str(after), "-o", str(tmp_path), "--json", "-k", "3"]
    chosen = ["--recogniser", "eigenfaces", "--attack", "naive,parrot,reverse"]
    done = run.invoke(app, command + chosen)
    assert done.exit_code == 0, done.output
    written = json.loads((tmp_path / "attack.json").read_text())
    assert json.loads(done.stdout) == written
    assert written["people"] == 6
    assert written["released"] == 12
    assert written["line"] == pytest.approx(1 / 3)
    assert {r["attack"] for r in written["results"]} == {"naive", "parrot", "reverse"}
    assert "p000" not in json.dumps(written)
    assert (tmp_path / "cmc.png").is_file()


def test_attack_prints_a_table(folders, tmp_path):
    before, after = folders
    command = ["attack", str(before), str(after), "-o", str(tmp_path)]
    done = run.invoke(app, [*command, "--recogniser", "eigenfaces", "--attack", "naive,enhance"])
    assert done.exit_code == 0, done.output
    assert "12 released faces against 12 originals of 6 people" in done.stdout
    assert "written:" in done.stdout


def test_attack_names_wrong_choices(folders, tmp_path):
    before, after = folders
    command = ["attack", str(before), str(after), "-o", str(tmp_path)]
    wrong = run.invoke(app, [*command, "--recogniser", "faceit"])
    assert "'faceit' is not known" in str(wrong.exception)
    both = run.invoke(app, [*command, "--ledger", "a", "--pairs", "b"])
    assert "exclude each other" in str(both.exception)
    for option, value, told in (("-k", "-3", "at least 1"), ("--utility", "-5", "not be negative")):
        refused = run.invoke(app, [*command, option, value])
        assert told in str(refused.exception)
    (tmp_path / "file").touch()
    file = run.invoke(app, ["attack", str(before), str(after), "-o", str(tmp_path / "file")])
    assert "is a file" in str(file.exception)


def test_experiments_are_listed_and_named():
    listed = run.invoke(app, ["experiment", "--list"])
    assert listed.exit_code == 0
    assert "newton-table1" in listed.stdout
    assert "furthest-privacy" in listed.stdout
    nothing = run.invoke(app, ["experiment"])
    assert "no experiment is named" in str(nothing.exception)


@pytest.mark.slow
def test_advise_says_how_to_say_who_is_who(folders, tmp_path):
    """Photos of one person, as a user sees it who did not name people."""
    before, *_ = folders
    photo = next(path for path in sorted(before.rglob("*")) if path.suffix in (".jpg", ".png"))
    refused = run.invoke(app, ["advise", str(photo)])
    assert isinstance(refused.exception, GuaranteeError)
    for words in ("show 1. Add people", "--persons folder"):
        assert words in str(refused.exception)


@pytest.mark.slow
def test_advise_draws_the_users_own_faces(folders, tmp_path):
    before, _ = folders
    people = tmp_path / "people.csv"
    rows = [f"{p},{p.name.split('_')[0]}" for p in sorted(before.iterdir())]
    people.write_text("image,person\n" + "\n".join(rows) + "\n")
    command = ["advise", str(before), "--persons", str(people), "--target", "0.4"]
    done = run.invoke(app, [*command, "-o", str(tmp_path)])
    assert done.exit_code == 0, done.output
    written = json.loads((tmp_path / "advice.json").read_text())
    assert written["people"] == 6
    assert written["k_proven"] == 3
    for name in ("advice.png", "privacy-utility.png"):
        assert (tmp_path / name).stat().st_size > 3000
    assert "proven at or below 0.4: k = 3" in done.stdout

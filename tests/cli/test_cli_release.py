"""``ksame deidentify``, ``verify``, ``report`` and ``demo`` as a user runs them."""

import json
import shutil
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from ksame.cli.deidentify import deidentify
from ksame.cli.demo import demo
from ksame.cli.report import report
from ksame.cli.verify import verify
from ksame.errors import GuaranteeError, InputError, VerificationError

PEOPLE = 4


@pytest.fixture(scope="module")
def commands():
    app = typer.Typer()
    for command in (deidentify, verify, report, demo):
        app.command()(command)
    return app


@pytest.fixture(scope="module")
def invoke(commands):
    """Run a command; an error of ksame's comes through, as the entry point sees it."""

    def run(*words):
        result = CliRunner().invoke(commands, [str(word) for word in words])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    from ksame.datasets.demo_people import demo_people

    people = demo_people()
    folder = tmp_path_factory.mktemp("cli") / "in"
    for path, person in zip(people.paths, people.persons, strict=True):
        place = folder / person
        if len(list(folder.glob("*"))) < PEOPLE and not place.exists():
            place.mkdir(parents=True)
            shutil.copyfile(path, place / path.name)
    return folder


@pytest.fixture(scope="module")
def run(invoke, photos):
    """One release by the command line, in which one input is withheld."""
    broken = next(photos.iterdir()) / "broken.jpg"
    broken.write_bytes(b"no photo")
    out = photos.parent / "out"
    words = ("deidentify", photos, "-o", out, "-k", 2, "--persons", "folder", "--jobs", 1)
    result = invoke(*words, "--seed", 3, "--with-originals", "--json")
    broken.unlink()
    return out, result


def test_withheld_inputs_are_listed_and_exit_with_3(run):
    out, result = run
    assert result.exit_code == 3
    told = json.loads(result.stdout)
    assert [Path(entry["file"]).name for entry in told["withheld"]] == ["broken.jpg"]
    assert told["photos"] == PEOPLE
    assert Path(told["report"]) == out / "report.html"


def test_verify_says_what_holds(run, invoke):
    out, _ = run
    ledger = out.with_name("out.ledger.json")
    assert invoke("verify", out).exit_code == 0
    result = invoke("verify", out, "--ledger", ledger, "--json")
    assert json.loads(result.stdout)["holds"] is True


def test_verify_names_the_broken_file(run, invoke, tmp_path, capsys):
    out, _ = run
    spoiled = tmp_path / "spoiled"
    shutil.copytree(out, spoiled)
    (spoiled / "000001.jpg").unlink()
    with pytest.raises(VerificationError, match="1 claim does not hold"):
        invoke("verify", spoiled)
    with pytest.raises(InputError, match="is no folder"):
        invoke("verify", tmp_path / "nowhere")
    with pytest.raises(InputError, match="is no file"):
        invoke("verify", out, "--ledger", tmp_path / "nowhere")


def test_originals_are_shown_in_the_private_report_alone(run):
    out, _ = run
    private = out.with_name("out.report.html")
    assert "before" in private.read_text(encoding="utf-8")
    assert private.stat().st_mode & 0o777 == 0o600
    assert ">before<" not in (out / "report.html").read_text(encoding="utf-8")


def test_report_is_made_again_outside_of_the_release(run, invoke, tmp_path):
    out, _ = run
    target = tmp_path / "again.html"
    assert invoke("report", out, "-o", target).exit_code == 0
    page = target.read_text(encoding="utf-8")
    assert "at least 2 people" in page
    assert "http" not in page.replace("http-equiv", "")
    with pytest.raises(InputError, match="needs the ledger"):
        invoke("report", out, "--with-originals")
    with pytest.raises(InputError, match="lies inside the release"):
        invoke("report", out, "-o", out / "more.html")


def test_too_few_people_and_wrong_options(photos, invoke, tmp_path):
    words = ("deidentify", photos, "-o", tmp_path / "out", "--jobs", 1, "--persons", "folder")
    with pytest.raises(GuaranteeError, match="needs at least 9 people; this set has 4"):
        invoke(*words, "-k", 9)
    assert not (tmp_path / "out").exists()
    for wrong, said in {
        ("-k", "1"): "k=1 must be at least 2",
        ("--method", "magic"): "--method magic is not known",
        ("--composite", "loose"): "--composite loose is not known",
        ("--on-failure", "ignore"): "--on-failure ignore is not known",
        ("--donors", "reference", "--method", "m"): "needs a set of photos",
        ("--select", "shoe size"): "is neither a column",
        ("--persons", "people.txt"): "is neither auto, folder nor a file",
        ("--seed", "-1"): "seed must lie",
        ("--jobs", "0"): "must be at least 1",
    }.items():
        with pytest.raises(InputError, match=said):
            invoke(*words[:6], "--persons", "folder", *wrong)


def test_a_people_file_names_people_and_classes(photos, invoke, tmp_path):
    table = tmp_path / "people.csv"
    rows = [f"{path},{path.parent.name},{'ab'[i % 2]}" for i, path in enumerate(_all(photos))]
    table.write_text("image,person,side\n" + "\n".join(rows[:-1]) + "\n", encoding="utf-8")
    out = tmp_path / "out"
    words = ("deidentify", photos, "-o", out, "-k", 2, "--composite", "strict", "--method", "m")
    words = (*words, "--jobs", 1)
    with pytest.raises(GuaranteeError, match="class side=b has 1"):
        invoke(*words, "--persons", table, "--select", "side")
    result = invoke(*words, "--persons", table, "--keep-names", "--json")
    assert result.exit_code == 3
    assert json.loads(result.stdout)["withheld"][0]["reason"] == "the people file does not list it"
    assert {p.name for p in out.rglob("*.jpg")} == {p.name for p in _all(photos)[:-1]}


def _all(photos):
    return sorted(photos.rglob("*.jpg"))


@pytest.mark.slow
def test_the_demo_ends_with_the_path_of_its_report(invoke, tmp_path):
    result = invoke("demo", "-o", tmp_path / "demo", "-k", 3, "--people", 6)
    assert result.exit_code == 0
    last = result.stdout.strip().splitlines()[-1]
    assert last == str(tmp_path / "demo" / "report.html")
    assert "all hold" in result.stdout

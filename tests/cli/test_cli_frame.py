import json
import os
import subprocess
import sys

import pytest

from ksame.cli.app import exit_code
from ksame.errors import (
    GuaranteeError,
    InputError,
    MediaError,
    VerificationError,
    WeightsError,
)


def run(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "ksame.cli.app", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "80", "TERM": "dumb", **environment},
        timeout=120,
    )


def test_help_fits_on_a_screen():
    said = run("--help")
    assert said.returncode == 0
    assert len(said.stdout.rstrip().splitlines()) <= 30


def test_nothing_is_looked_through_for_cycles_when_a_command_ends():
    """A tenth of a second after each release."""
    told = "import atexit, gc, sys; atexit.register(lambda: print(gc.get_freeze_count() > 0)); "
    told += "from ksame.cli.app import main; sys.argv = ['ksame', '--version']; main()"
    said = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, timeout=120)
    assert said.stdout.splitlines()[-1] == "True"


def test_models_list_speaks_json_for_machines():
    said = run("models", "list", "--json")
    listed = json.loads(said.stdout)
    assert {"yunet", "sface"} <= {entry["name"] for entry in listed}
    assert all(len(entry["sha256"]) == 64 for entry in listed)


def test_a_missing_weight_is_named_in_the_list(tmp_path):
    said = run("models", "list", KSAME_HOME=str(tmp_path))
    assert said.returncode == 0
    assert "is missing" in said.stdout


def test_an_error_is_one_line_without_a_traceback(tmp_path):
    said = run("models", "install", "--from", str(tmp_path), KSAME_HOME=str(tmp_path / "home"))
    assert said.returncode == 2
    assert said.stderr.startswith("error:")
    assert "Traceback" not in said.stderr
    assert said.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["deidentif"], ("'deidentif'", "'deidentify'", "see ksame --help")),
        (["models", "install", "--no-such"], ("--no-such", "see ksame models install --help")),
        (["deidentify", "photos", "-o", "x", "--metod", "m"], ("--metod", "--method")),
        (["deidentify", "photos"], ("--out", "see ksame deidentify --help")),
        (["deidentify", "photos", "-o", "x", "-k", "five"], ("-k", "integer")),
        (["review", "photos"], ("-o", "folder", "see ksame review --help")),
    ],
)
def test_wrong_usage_is_one_line_and_exits_with_2(arguments, told):
    said = run(*arguments)
    assert said.returncode == 2
    assert said.stdout == ""
    assert len(said.stderr.splitlines()) == 1
    assert said.stderr.startswith("error: ")
    for words in told:
        assert words in said.stderr


@pytest.mark.parametrize("arguments", [[], ["models"], ["vault"]])
def test_a_group_without_a_command_shows_its_commands(arguments):
    said = run(*arguments)
    assert said.returncode == 2
    assert "Commands" in said.stdout + said.stderr
    assert "error" not in said.stderr


@pytest.mark.parametrize("command", ["deidentify", "review", "train", "vault erase"])
def test_help_has_neither_quotes_of_code_nor_broken_lines(command):
    said = run(*command.split(), "--help", COLUMNS="200").stdout
    assert "`" not in said
    lines = said.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(" Usage")) + 2
    end = next(i for i, line in enumerate(lines) if "Arguments" in line)
    paragraphs = "\n".join(line.strip() for line in lines[start:end]).strip().split("\n\n")
    for paragraph in paragraphs:
        *full, _ = paragraph.split("\n")
        assert all(len(line) > 160 for line in full), full


def test_version():
    import ksame

    assert run("--version").stdout.strip() == f"ksame {ksame.__version__}"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError, 2),
        (MediaError, 2),
        (WeightsError, 2),
        (GuaranteeError, 4),
        (VerificationError, 1),
    ],
)
def test_every_error_has_its_exit_code(error, code):
    assert exit_code(error("")) == code

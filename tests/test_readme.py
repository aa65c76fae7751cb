"""The README is true: its snippets run, its files exist, and no command is missing from it."""

import re
import shutil

import pytest
import typer

from ksame.cli.app import app
from ksame.datasets.demo_people import demo_people


@pytest.fixture(scope="session")
def readme(repository):
    return (repository / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_python_snippets_run(readme, tmp_path, monkeypatch):
    """Where there are photos of six people."""
    people = demo_people()
    for path, person in list(zip(people.paths, people.persons, strict=True))[:18:3]:
        (tmp_path / "photos" / person).mkdir(parents=True)
        shutil.copyfile(path, tmp_path / "photos" / person / path.name)
    monkeypatch.chdir(tmp_path)
    snippets = re.findall(r"```python\n(.*?)```", readme, flags=re.S)
    assert snippets
    for snippet in snippets:
        exec(compile(snippet, "README.md", "exec"), {})


def test_every_command_is_documented(readme):
    commands = set(typer.main.get_command(app).commands)
    documented = set(re.findall(r"^\| `ksame (\w+)", readme, flags=re.M))
    assert commands == documented


def test_linked_files_exist(readme, repository):
    for target in re.findall(r"\]\(([^)#:]+)\)", readme):
        assert (repository / target).exists(), target


def test_the_two_commands_are_in_the_makefile(readme, repository):
    targets = re.findall(r"^(\w+):", (repository / "Makefile").read_text(), flags=re.M)
    for command in re.findall(r"^make (\w+)", readme, flags=re.M):
        assert command in targets

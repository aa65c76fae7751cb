"""Every option is on a page, and every option on a page exists."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from ksame.cli.app import app

EVERYWHERE = {"--help", "--out"}  # -o is what pages write
NAMED = re.compile(r"ksame ((?:\w+ )+)([^`\n#]*)")


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, list[set[str]]]]:
    """Every command with the spellings of each of its options."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), [{*p.opts, *p.secondary_opts} for p in command.params]


@pytest.fixture(scope="module")
def options():
    return dict(commands(typer.main.get_command(app)))


@pytest.fixture(scope="module")
def pages(repository):
    files = [repository / "README.md", repository / "SECURITY.md", *repository.glob("docs/*.md")]
    return {file.name: file.read_text(encoding="utf-8") for file in files}


def test_every_option_is_documented(options, pages):
    text = "\n".join(pages.values())
    named = {*re.findall(r"(?<![\w-])--?[a-z][a-z-]*", text), *EVERYWHERE}
    for command, own in options.items():
        for spellings in own:
            words = {word for word in spellings if word.startswith("-")}
            assert not words or words & named, f"{command} {words}"


def test_every_option_of_a_shown_command_exists(options, pages):
    for page, text in pages.items():
        for words, rest in NAMED.findall(text):
            named = words.split()
            command = next((c for c in (" ".join(named[:2]), named[0]) if c in options), None)
            if command is None:
                continue
            for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", rest):
                known = set().union({"--help"}, *options[command])
                assert option in known, f"{page}: ksame {command} {option}"

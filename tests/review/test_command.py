"""``ksame review`` on the command line."""

import inspect
import sys

import pytest
from typer.testing import CliRunner

from ksame.cli.app import app
from ksame.cli.deidentify import deidentify
from ksame.cli.review import review
from ksame.errors import InputError
from ksame.release import Plan
from ksame.review import review as look

pytest.importorskip("starlette")


def test_it_takes_every_option_of_deidentify():
    own = {"ledger", "port", "no_open"}
    taken = set(inspect.signature(deidentify).parameters) - {"review"}
    assert set(inspect.signature(review).parameters) == taken | own


def test_without_a_folder_it_says_so(tmp_path):
    result = CliRunner().invoke(app, ["review", str(tmp_path)])
    assert result.exit_code == 2
    assert "-o" in result.output


def test_with_a_ledger_there_is_one_release(tmp_path):
    ledger = ["--ledger", str(tmp_path / "l.json")]
    result = CliRunner().invoke(app, ["review", str(tmp_path), str(tmp_path), *ledger])
    assert result.exit_code == 2


def test_without_the_servers_libraries_it_names_the_extra(tmp_path, monkeypatch):
    for name in [n for n in sys.modules if n.startswith(("starlette", "ksame.review.server"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "starlette", None)
    monkeypatch.setitem(sys.modules, "starlette.applications", None)
    monkeypatch.delattr("ksame.review.server", raising=False)
    (tmp_path / "photos").mkdir()
    with pytest.raises(InputError, match=r"ksame\[review\]"):
        look(Plan(tmp_path / "photos", tmp_path / "out"), lambda address: None)


def test_a_method_without_a_guarantee_has_nothing_to_review(tmp_path):
    with pytest.raises(InputError, match="no guarantee"):
        look(Plan(tmp_path, tmp_path / "out", method="blur"), lambda address: None)


def test_a_port_that_is_taken_is_told(tmp_path):
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"port={port}"):
            look(Plan(tmp_path, tmp_path / "out"), lambda address: None, port)

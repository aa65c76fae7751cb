"""Names that steer a terminal, and tables that name nobody: told in one plain line."""

import os
import subprocess
import sys

import pytest

from ksame.cli.console import plain
from ksame.datasets.demo_people import demo_people
from ksame.errors import GuaranteeError
from ksame.release import Plan, run


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a\x1b[31mred\nb\r.jpg", r"a\x1b[31mred\nb\r.jpg"),
        ("\u202egpj.exe", r"\u202egpj.exe"),
        ("\udcff", r"\udcff"),
        ("Zoë [bold] 写真.jpg", "Zoë [bold] 写真.jpg"),
    ],
)
def test_names_that_steer_a_terminal_are_escaped(name, told):
    assert plain(name) == told


def test_an_error_with_such_a_name_is_one_plain_line(tmp_path):
    missing = tmp_path / "a\x1b[31m\nred"
    command = [sys.executable, "-m", "ksame.cli.app", "deidentify", str(missing), "-o"]
    ended = subprocess.run(
        [*command, str(tmp_path / "out")], capture_output=True, text=True, check=False, timeout=120
    )
    assert ended.returncode == 2
    assert "\x1b" not in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_output_that_nobody_reads_is_no_broken_claim():
    """Exit code 1 says that a claim of a release does not hold."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "ksame.cli.app", "--version"]
    ended = subprocess.run(
        command, stdout=writing, stderr=subprocess.PIPE, check=False, timeout=120
    )
    os.close(writing)
    assert ended.returncode == 141
    assert not ended.stderr


def test_a_table_that_names_none_of_the_photos_is_told_as_that(tmp_path):
    (tmp_path / "people.csv").write_text("image,person\nnobody.jpg,ada\n")
    photo = demo_people().paths[0]
    with pytest.raises(GuaranteeError, match="1 faces were found, and the people file names none"):
        run(Plan(photo, tmp_path / "out", k=2, persons=tmp_path / "people.csv", jobs=1))

"""A file is whole or absent, private unless said otherwise, and its time tells nothing."""

import hashlib
import os

import pytest

from ksame import files


def left_over(folder):
    return [path.name for path in folder.iterdir() if path.name.startswith(files.HIDDEN)]


def test_a_written_file_is_private_and_without_its_time(tmp_path):
    target = tmp_path / "ledger.json"
    files.write_json(target, {"b": 1, "a": "é"})
    assert target.read_bytes() == b'{\n "b": 1,\n "a": "\\u00e9"\n}\n'
    assert files.read_json(target) == {"b": 1, "a": "é"}
    assert target.stat().st_mode & 0o777 == 0o600
    assert target.stat().st_mtime == files.CLEARED_TIME
    assert not left_over(tmp_path)


def test_a_public_file_has_the_mode_of_any_new_file(tmp_path):
    plain = tmp_path / "plain"
    plain.write_bytes(b"")
    files.write_bytes(tmp_path / "made", b"x", mode=None, clear_times=False, durable=True)
    assert (tmp_path / "made").stat().st_mode == plain.stat().st_mode
    assert (tmp_path / "made").stat().st_mtime > files.CLEARED_TIME + 1e6


def test_it_is_private_while_it_is_written(tmp_path):
    before = os.umask(0)
    try:
        with files.replacing(tmp_path / "secret") as hidden:
            assert hidden.stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, failure):
    target = tmp_path / "kept"
    target.write_bytes(b"old")

    def write_half() -> None:
        with files.replacing(target) as hidden:
            hidden.write_bytes(b"half")
            raise failure

    with pytest.raises(failure):
        write_half()
    assert target.read_bytes() == b"old"
    assert not left_over(tmp_path)


def test_the_shortest_json_is_one_line(tmp_path):
    files.write_json(tmp_path / "record", [1, 2], indent=None)
    assert (tmp_path / "record").read_bytes() == b"[1, 2]"


def test_the_digest_is_that_of_the_bytes(tmp_path):
    (tmp_path / "file").write_bytes(b"abc" * 100_000)
    expected = hashlib.sha256(b"abc" * 100_000).hexdigest()
    assert files.sha256_of(tmp_path / "file") == expected

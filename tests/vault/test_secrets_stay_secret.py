"""Neither keys nor passphrases nor names are in messages, logs, reprs or files of ours."""

import logging

import pytest
from small_release import build, seal, small_release

from ksame.errors import KsameError
from ksame.vault import PassphraseLock, erase, find_locks, open_vault, reveal, write_pair

WORDS = "correct horse battery staple"
NAME = "Ada Lovelace"


@pytest.fixture
def named(tmp_path):
    photos = {"000001.png": [(NAME, (4, 6, 20, 26))], "000002.png": [("bob", (4, 6, 20, 26))]}
    return small_release(tmp_path, photos)


def test_reprs_tell_neither_keys_nor_names(named):
    vault = named.open()
    told = [repr(vault), repr(vault.index), *map(repr, vault.index.people)]
    told += [*map(repr, vault.index.parts), repr(named.locks), repr(PassphraseLock(WORDS))]
    secret = [vault.key, *(person.key for person in vault.index.people)]
    for text in told:
        assert NAME not in text
        assert WORDS not in text
        for key in secret:
            assert key.hex() not in text
            assert repr(key)[2:-1] not in text


def test_messages_and_logs_tell_neither_keys_nor_names(named, caplog):
    caplog.set_level(logging.DEBUG)
    said = []
    pem = named.key.read_text()
    data = named.path.read_bytes()

    def fails(action):
        with pytest.raises(KsameError) as raised:
            action()
        said.append(str(raised.value))

    write_pair(named.root / "other")
    fails(lambda: open_vault(named.path, find_locks(named.root / "other")))
    fails(lambda: open_vault(named.path, (PassphraseLock(WORDS),)))
    fails(lambda: reveal(named.open(), named.out, named.root / "dir", [NAME, "Charles Babbage"]))
    fails(lambda: erase(named.open(), ["Charles Babbage"]))
    broken = named.root / "broken"
    broken.write_text(pem.replace("MC4", "MD4"))
    fails(lambda: find_locks(broken))
    for place in (0, 40, len(data) - 40, len(data) - 1):
        altered = bytearray(data)
        altered[place] ^= 1
        named.path.write_bytes(altered)
        fails(lambda: named.open().check())
    text = "\n".join(said) + caplog.text
    assert NAME not in text
    assert "Babbage" not in text
    assert WORDS not in text
    assert pem.splitlines()[1] not in text


def test_the_file_holds_no_name_path_or_pixel_in_the_clear(named):
    data = named.path.read_bytes()
    for hidden in (NAME, "bob", "photos", "000001.png", "PNG", "JFIF"):
        assert hidden.encode() not in data


def test_what_is_sealed_on_the_way_lies_in_the_scratch_folder_alone(tmp_path):
    """And a kill leaves sealed parts there, never open ones; the next start removes them."""
    out, book = build(tmp_path)
    left = tmp_path / "sealed"
    left.mkdir()
    (left / "old.sealed").write_bytes(b"of a killed run")
    write_pair(tmp_path / "key")
    locks = find_locks(tmp_path / "key.pub")
    files = {path for path in tmp_path.rglob("*") if path.is_file()}
    seal(tmp_path, out, book, locks)
    new = {path for path in tmp_path.rglob("*") if path.is_file()} - files
    assert [path.name for path in new] == ["out.vault"]
    assert not left.exists()
    assert (tmp_path / "out.vault").stat().st_mode & 0o777 == 0o600

"""The file: read by an independent reader, and closed to whoever alters a byte of it."""

import json
import shutil
import struct
from dataclasses import replace

import independent
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_release import PHOTOS, build, seal, small_release

from ksame.errors import InputError, KsameError, VaultError
from ksame.vault import PassphraseLock, find_locks, open_ledger, open_vault
from ksame.vault.container import read_tail, tail_of
from ksame.vault.index import read_index

WORDS = "correct horse battery staple"


def test_an_independent_reader_finds_everything(untouched):
    unlock = independent.by_private_key(untouched.key.read_text())
    index, parts = independent.read_vault(untouched.path.read_bytes(), "x25519", unlock)
    contents = {(part[0], part[1]): content for part, content in parts}
    assert json.loads(contents["ledger", ""]) == untouched.book
    for name in PHOTOS:
        assert contents["file", name] == untouched.original(name)[1]
    assert [name for name, _ in index["people"]] == ["000003.jpg#2", "ada", "bob", "eve"]
    # of photos with several people the pixels of each are kept besides, under their key alone
    faces = {(part[1], part[6]): part[2] for part, _ in parts if part[0] == "face"}
    assert set(faces) == {
        ("000002.jpg", 0),
        ("000002.jpg", 1),
        ("000003.jpg", 0),
        ("000003.jpg", 1),
    }
    assert all(len(people) == 1 for people in faces.values())


def test_a_vault_with_a_passphrase_is_opened_by_an_independent_reader(tmp_path):
    out, book = build(tmp_path)
    path = seal(tmp_path, out, book, (PassphraseLock(WORDS, cost=4),))
    unlock = independent.by_passphrase(WORDS)
    _, parts = independent.read_vault(path.read_bytes(), "scrypt", unlock)
    assert json.loads(parts[0][1]) == book
    assert open_vault(path, (PassphraseLock(WORDS),)).ledger() == book


def test_the_stored_vault_of_version_1_opens_here_and_elsewhere(repository, tmp_path):
    """A vector that must open for ever; its passphrase is the one of this file."""
    stored = repository / "tests/vault/version-1.vault"
    path = tmp_path / stored.name
    shutil.copyfile(stored, path)
    unlock = independent.by_passphrase(WORDS)
    index, parts = independent.read_vault(path.read_bytes(), "scrypt", unlock)
    vault = open_vault(path, (PassphraseLock(WORDS),))
    assert [person.name for person in vault.index.people] == [name for name, _ in index["people"]]
    assert len(parts) == 4
    for part, (told, content) in zip(vault.index.parts, parts, strict=True):
        assert (part.kind, part.photo, part.offset) == (told[0], told[1], told[3])
        assert part.kind == "ledger" or vault.read_all(part) == content
    assert vault.ledger() == json.loads(parts[0][1])
    assert vault.check() == 4


def _opens_fully(path, locks):
    open_vault(path, locks).check()


@settings(max_examples=150)
@given(st.data())
def test_any_altered_bit_of_the_file_is_noticed(untouched, tmp_path_factory, choice):
    data = bytearray(untouched.path.read_bytes())
    place = choice.draw(st.integers(0, 8 * len(data) - 1))
    data[place // 8] ^= 1 << place % 8
    _refused(untouched, tmp_path_factory, bytes(data))


@pytest.mark.slow
def test_every_altered_byte_of_start_tail_and_end_is_noticed(untouched, tmp_path_factory):
    data = untouched.path.read_bytes()
    offset = read_tail(untouched.path).offset
    for place in (*range(32), *range(offset, len(data))):
        _refused(
            untouched, tmp_path_factory, data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        )


@settings(max_examples=60)
@given(st.data())
def test_a_file_that_was_cut_or_grew_is_refused(untouched, tmp_path_factory, choice):
    data = untouched.path.read_bytes()
    if choice.draw(st.booleans()):
        data = data[: choice.draw(st.integers(0, len(data) - 1))]
    else:
        place = choice.draw(st.integers(0, len(data)))
        data = data[:place] + choice.draw(st.binary(min_size=1, max_size=40)) + data[place:]
    _refused(untouched, tmp_path_factory, data)


def _refused(small, tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "altered.vault"
    path.write_bytes(data)
    with pytest.raises((VaultError, InputError)):
        _opens_fully(path, small.locks)


def test_parts_that_change_places_do_not_open(small):
    """Two files, each sealed well, exchanged byte by byte as far as they have the same length."""
    photos = {f"{n}.png": [(f"p{n}", (2, 2, 20, 20))] for n in (1, 2)}
    twins = small_release(small.root / "twins", photos)
    vault = twins.open()
    one, two = (p for p in vault.index.parts if p.kind == "file")
    data = twins.path.read_bytes()
    swapped = bytearray(data)
    length = min(one.length, two.length)
    swapped[one.offset : one.offset + length] = data[two.offset : two.offset + length]
    swapped[two.offset : two.offset + length] = data[one.offset : one.offset + length]
    twins.path.write_bytes(swapped)
    for part in (one, two):
        with pytest.raises(VaultError, match="altered"):
            twins.open().read_all(part)


def test_a_tail_of_another_vault_does_not_open(small, tmp_path):
    """Not even one that is locked for the same key and lies at the same place."""
    mine = small.path.rename(tmp_path / "mine").read_bytes()
    other = seal(tmp_path, small.out, small.book, small.locks)
    theirs, offset = other.read_bytes(), read_tail(other).offset
    assert read_tail(tmp_path / "mine").offset == offset
    small.path.write_bytes(mine[:offset] + theirs[offset:])
    with pytest.raises(VaultError):
        small.open()


def test_two_parts_with_one_salt_are_refused(small):
    """One key would seal two streams with the same nonces."""
    index = small.open().index
    one, two, *rest = index.parts
    forged = replace(index, parts=(one, replace(two, salt=one.salt), *rest))
    with pytest.raises(VaultError, match="share a key"):
        read_index(forged.as_bytes(), index.vault)


def test_nothing_is_sealed_twice_alike(tmp_path, small):
    """Equal releases for equal keys have nothing in common but lengths."""
    out, book = build(tmp_path)
    locks = find_locks(small.key.with_name("key.pub"))
    paths = []
    for name in ("one", "two"):
        path = seal(tmp_path, out, book, locks)
        paths.append(path.rename(tmp_path / name))
    vaults = [open_vault(path, small.locks) for path in paths]
    for one, two in zip(*(vault.index.parts for vault in vaults), strict=True):
        assert one.salt != two.salt
        assert one.length == two.length
    assert not {p.key for p in vaults[0].index.people} & {p.key for p in vaults[1].index.people}
    # the index, too, is sealed with a key that is used once
    vault = vaults[0]
    tails = {tail_of(vault.index, vault.header, vault.key, vault.end_of_parts) for _ in range(3)}
    assert len(tails) == 3


def test_the_header_asks_for_no_more_than_it_may(small):
    """A forged length, header or lock is an error and nothing worse."""
    data = small.path.read_bytes()
    offset = read_tail(small.path).offset
    (told,) = struct.unpack(">I", data[offset : offset + 4])
    header = json.loads(data[offset + 4 : offset + 4 + told])
    rest = data[offset + 4 + told : -32]
    for forged in (
        b"[]",
        b"{",
        b'{"format": "ksame-vault-1"}',
        json.dumps({**header, "locks": [{"kind": 1, "mark": "", "locked": ""}]}).encode(),
        json.dumps({**header, "locks": [{"kind": "x25519", "mark": "", "locked": "zz"}]}).encode(),
        json.dumps({**header, "locks": {}}).encode(),
        b"[" * 5000,
    ):
        tail = struct.pack(">I", len(forged)) + forged + rest
        end = struct.pack(">QQ16s", offset, len(tail), b"ksame-vault-end\n")
        small.path.write_bytes(data[:offset] + tail + end)
        with pytest.raises(VaultError):
            small.open()


def test_a_plain_ledger_and_one_in_a_vault_are_opened_alike(small, tmp_path, monkeypatch):
    plain = tmp_path / "plain.json"
    plain.write_text(json.dumps(small.book))
    assert open_ledger(plain) == open_ledger(small.path, small.key) == small.book
    with pytest.raises(InputError, match="needs its key"):
        open_ledger(small.path)
    monkeypatch.setenv("KSAME_VAULT_KEY", str(small.key))
    assert open_ledger(small.path) == small.book
    for content in ("[]", "{", ""):
        plain.write_text(content)
        with pytest.raises(InputError):
            open_ledger(plain)


def test_an_original_that_changed_meanwhile_ends_it_without_a_vault(tmp_path):
    small = small_release(tmp_path)
    small.path.unlink()
    (tmp_path / "photos" / "eve" / "000005.png").write_bytes(b"another")
    with pytest.raises(KsameError, match="an original changed"):
        seal(tmp_path, small.out, small.book, small.locks)
    assert not list(tmp_path.glob("*.vault*"))
    assert not list(tmp_path.glob(".ksame-*"))

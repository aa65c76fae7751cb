"""Vaults that change: other keys, kills in between, old copies, two who write at a time."""

import hashlib
import os
import shutil
from dataclasses import replace

import pytest

from ksame.errors import InputError, VaultError
from ksame.vault import (
    PassphraseLock,
    container,
    erase,
    find_locks,
    logged,
    open_vault,
    rekeyed,
    write_pair,
)
from ksame.vault.container import held, journal_of
from ksame.vault.log import add, read_log
from ksame.vault.seen import notes

WORDS = "correct horse battery staple"


def test_other_keys_open_it_and_the_old_one_does_not(small):
    write_pair(small.root / "new")
    ledger = small.open().ledger()
    rekeyed(small.open(), (*find_locks(small.root / "new.pub"), PassphraseLock(WORDS, cost=4)))
    with pytest.raises(VaultError, match="this key does not open the vault"):
        small.open()
    for locks in (find_locks(small.root / "new"), (PassphraseLock(WORDS),)):
        vault = open_vault(small.path, locks)
        assert vault.ledger() == ledger
        assert vault.check() == len(vault.index.parts)
        assert [entry.act for entry in vault.index.log] == ["made", "rekeyed"]


class Killed(BaseException):
    """What a test raises where a kill would come."""


@pytest.mark.parametrize("step", range(1, 4))
def test_a_change_that_is_killed_is_made_later_or_not_at_all(small, monkeypatch, step):
    """Killed before each of the three times that the disk is waited for."""
    calls = []
    real = os.fsync

    def fsync(handle):
        calls.append(handle)
        if len(calls) == step:
            raise Killed
        real(handle)

    vault = small.open()
    monkeypatch.setattr(container.os, "fsync", fsync)
    with pytest.raises(Killed):
        erase(vault, ["ada"])
    monkeypatch.setattr(container.os, "fsync", real)
    after = small.open()
    acts = [entry.act for entry in after.index.log]
    assert acts == (["made"] if step == 1 else ["made", "erased"])
    assert after.check() == len(after.index.parts)
    assert not list(small.root.glob("*.journal*"))


def test_a_kill_between_wiping_and_writing_is_finished(small, monkeypatch):
    """The old tail is gone by then: what is left can be had from the journal alone."""
    vault = small.open()
    wiped = []
    real = container._wipe

    def wipe(file, offset, length):
        real(file, offset, length)
        wiped.append(offset)
        if offset == vault.end_of_parts:
            file.flush()
            raise Killed

    monkeypatch.setattr(container, "_wipe", wipe)
    with pytest.raises(Killed):
        erase(vault, ["ada"])
    monkeypatch.undo()
    assert journal_of(small.path).is_file()
    with pytest.raises(VaultError):
        container.read_tail(small.path)
    after = open_vault(small.path, small.locks)
    assert [entry.act for entry in after.index.log] == ["made", "erased"]
    assert after.check() == len(after.index.parts)
    assert not journal_of(small.path).exists()


def test_a_journal_of_another_vault_or_a_damaged_one_is_not_made(small, monkeypatch):
    monkeypatch.setattr(container, "finish", lambda path: None)
    container.change(small.path, 5, b"x")
    monkeypatch.undo()
    journal, data = journal_of(small.path), small.path.read_bytes()
    body = journal.read_bytes()
    journal.write_bytes(body[:-1])
    with pytest.raises(VaultError, match="is damaged"):
        small.open()
    other = bytearray(data)
    other[20] ^= 1  # of the vault's number
    small.path.write_bytes(other)
    journal.write_bytes(body)
    with pytest.raises(VaultError, match="belongs to another vault"):
        small.open()
    assert small.path.read_bytes() == bytes(other)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda body: body[:20],
        lambda body: body[:24] + (5).to_bytes(8) + body[32:],
        lambda body: body[:24] + (2**62).to_bytes(8) + body[32:],
        lambda body: body[:32] + (2**32 - 1).to_bytes(4) + body[36:],
        lambda body: body[:44] + (2**62).to_bytes(8) + body[52:],
        lambda body: body[:-1] + b"x",
    ],
    ids=["short", "over the start", "far away", "many holes", "an endless hole", "no end"],
)
def test_a_planted_journal_whose_sum_fits_touches_nothing(small, monkeypatch, spoil):
    """Zeros without end would fill the disk; a journal without a tail would destroy the vault."""
    data, tail = small.path.read_bytes(), container.read_tail(small.path)
    monkeypatch.setattr(container, "finish", lambda path: None)
    container.change(small.path, tail.offset, data[tail.offset :], [(tail.offset, 8)])
    monkeypatch.undo()
    journal = journal_of(small.path)
    body = spoil(journal.read_bytes()[:-32])
    journal.write_bytes(body + hashlib.sha256(body).digest())
    with pytest.raises(VaultError, match="is damaged"):
        small.open()
    assert small.path.read_bytes() == data


def test_an_old_copy_is_refused_by_whoever_saw_a_newer_one(small):
    old = small.path.read_bytes()
    erase(small.open(), ["ada"])
    newer = small.path.read_bytes()
    small.path.write_bytes(old)
    with pytest.raises(VaultError, match="older copy of this vault was put in its place"):
        small.open()
    small.path.write_bytes(newer)
    small.open()
    # restored on purpose: the note that the message names is removed
    small.path.write_bytes(old)
    for note in notes().iterdir():
        note.unlink()
    small.open()


def test_a_log_that_was_written_anew_is_refused(small):
    """As long as the one that was seen, but another: two copies that went different ways."""
    copy = small.root / "copy.vault"
    shutil.copyfile(small.path, copy)
    logged(small.open(), "revealed", (1,), 1, "mine")
    small.path.write_bytes(copy.read_bytes())
    for note in notes().iterdir():
        kept = note.read_bytes()
        note.unlink()
    logged(small.open(), "revealed", (2,), 1, "theirs")
    note.write_bytes(kept)
    with pytest.raises(VaultError, match="log was written anew"):
        small.open()


def test_notes_that_cannot_be_written_are_no_reason_to_fail(small, monkeypatch, caplog):
    blocked = small.root / "file"
    blocked.touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(blocked))
    assert small.open().check()
    assert "could not be noted" in caplog.text


def test_entries_cannot_be_changed_left_out_or_put_in_between():
    log = ()
    for n in range(4):
        log = add(log, b"vault", "revealed", people=[n])
    told = [entry.as_json() for entry in log]
    assert read_log(told, b"vault") == log
    forged = [
        told[1:],
        [told[0], *told[2:]],
        [told[0], told[0], *told[1:]],
        [told[0], {**told[1], "people": [7]}, *told[2:]],
        [told[1], told[0], *told[2:]],
    ]
    for chain in forged:
        with pytest.raises(VaultError, match="chain is broken"):
            read_log(chain, b"vault")
    with pytest.raises(VaultError, match="chain is broken"):
        read_log(told, b"other")
    # only the last entry can be taken off, or changed: that is what the kept digest is for
    assert read_log(told[:-1], b"vault")[-1].digest != log[-1].digest


def test_two_who_write_do_not_meet(small):
    one, two = small.open(), small.open()
    logged(one, "revealed", (1,), 1, "")
    with pytest.raises(VaultError, match="was changed meanwhile"):
        logged(two, "revealed", (2,), 1, "")
    with held(small.path), pytest.raises(InputError, match="is being changed by somebody else"):
        logged(small.open(), "revealed", (1,), 1, "")


def test_bytes_that_were_wiped_may_not_come_back(small):
    data = small.path.read_bytes()
    vault = erase(small.open(), ["eve"])
    offset, length = vault.index.holes[-1]
    changed = bytearray(small.path.read_bytes())
    assert not any(changed[offset : offset + length])
    changed[offset : offset + length] = data[offset : offset + length]
    small.path.write_bytes(changed)
    with pytest.raises(VaultError, match="erased are in the vault again"):
        small.open().check()


def test_no_byte_of_the_file_is_without_a_meaning(small):
    vault = small.open()
    cut = replace(vault, index=replace(vault.index, parts=vault.index.parts[:-1]))
    with pytest.raises(VaultError, match="does not tell of"):
        cut.check()

"""Sealed streams and locks, against another library's ciphers."""

import io
import sys

import independent
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ksame.errors import InputError, VaultError
from ksame.vault import PassphraseLock, find_locks, write_pair
from ksame.vault.locks import lock_all, unlock_any
from ksame.vault.sealing import CHUNK, TAG, derive, seal_bytes, sealed_length, unseal_bytes

KEY = bytes(range(32))
WORDS = "correct horse battery staple"


@given(st.binary(max_size=300), st.binary(min_size=32, max_size=32), st.binary(max_size=40))
@example(b"", KEY, b"")
@example(b"x" * CHUNK, KEY, b"context")
@example(b"x" * (2 * CHUNK + 1), KEY, b"context")
def test_what_is_sealed_comes_back_here_and_elsewhere(data, key, context):
    sealed = seal_bytes(data, key, context)
    assert len(sealed) == sealed_length(len(data))
    assert unseal_bytes(sealed, key, context) == data
    assert independent.unseal(sealed, key, context) == data


@given(st.binary(min_size=1, max_size=200), st.data())
def test_any_altered_bit_is_noticed(data, choice):
    sealed = bytearray(seal_bytes(data, KEY, b"context"))
    place = choice.draw(st.integers(0, 8 * len(sealed) - 1))
    sealed[place // 8] ^= 1 << place % 8
    with pytest.raises(VaultError, match="altered"):
        unseal_bytes(bytes(sealed), KEY, b"context")
    with pytest.raises(VaultError):
        unseal_bytes(seal_bytes(data, KEY, b"context"), KEY, b"another")


def test_chunks_cannot_be_cut_off_doubled_or_reordered():
    sealed = seal_bytes(b"a" * CHUNK + b"b" * CHUNK + b"c", KEY, b"")
    one, two, last = sealed[: CHUNK + TAG], sealed[CHUNK + TAG : 2 * (CHUNK + TAG)], sealed[-17:]
    for forged in (one + two, one, one + last, two + one + last, one + one + two + last, b""):
        with pytest.raises(VaultError):
            unseal_bytes(forged, KEY, b"")


@given(st.binary(min_size=1, max_size=64), st.binary(min_size=32, max_size=32))
def test_keys_are_derived_as_another_library_does(secret, salt):
    assert derive(secret, salt, "part") == independent.derive(secret, salt, b"part")


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    path = tmp_path_factory.mktemp("keys") / "key"
    write_pair(path)
    return path


def test_a_public_key_locks_and_its_private_key_unlocks_here_and_elsewhere(pair):
    (public,), (private,) = find_locks(pair.with_name("key.pub")), find_locks(pair)
    locked = public.lock(KEY, b"context")
    assert public.unlock(locked, b"context") is None
    assert private.unlock(locked, b"context") == KEY
    assert private.unlock(locked, b"another") is None
    assert private.unlock(b"short", b"context") is None
    assert independent.by_private_key(pair.read_text())(locked, b"context") == KEY
    assert public.lock(KEY, b"context") != locked
    assert public.mark == private.mark


@settings(max_examples=5)
@given(st.text(min_size=12, max_size=40).filter(lambda text: text.isascii()))
def test_a_passphrase_locks_and_unlocks_here_and_elsewhere(words):
    locked = PassphraseLock(words, cost=4).lock(KEY, b"context")
    assert PassphraseLock(words).unlock(locked, b"context") == KEY
    assert PassphraseLock(words + "x").unlock(locked, b"context") is None
    assert independent.by_passphrase(words)(locked, b"context") == KEY


def test_a_passphrase_is_the_same_however_its_accents_are_written():
    locked = PassphraseLock("un été à la plage", cost=4).lock(KEY, b"")
    assert PassphraseLock("un e\u0301te\u0301 a\u0300 la plage").unlock(locked, b"") == KEY


def test_a_forged_cost_cannot_take_all_memory():
    locked = PassphraseLock(WORDS, cost=4).lock(KEY, b"")
    assert PassphraseLock(WORDS).unlock(b"\xff" + locked[1:], b"") is None


def test_short_passphrases_are_refused_and_nothing_is_told():
    with pytest.raises(InputError, match="at least 12 characters") as raised:
        PassphraseLock("hunter2")
    assert "hunter2" not in str(raised.value)
    assert WORDS not in repr(PassphraseLock(WORDS))


def test_several_holders_each_open_it_and_others_are_told_which_key_it_needs(tmp_path):
    for name in ("one", "two", "three"):
        write_pair(tmp_path / name)
    both = tmp_path / "both.pub"
    both.write_text("".join((tmp_path / f"{n}.pub").read_text() for n in ("one", "two")))
    told = lock_all((*find_locks(both), PassphraseLock(WORDS, cost=4)), KEY, b"")
    for name in ("one", "two"):
        assert unlock_any(find_locks(tmp_path / name), told, b"")[0] == KEY
    assert unlock_any((PassphraseLock(WORDS),), told, b"")[0] == KEY
    (other,) = find_locks(tmp_path / "three")
    with pytest.raises(VaultError, match="does not open the vault, which is locked for"):
        unlock_any((other,), told, b"")
    with pytest.raises(VaultError, match="public half alone"):
        unlock_any(find_locks(both), told, b"")
    with pytest.raises(VaultError, match="passphrase is wrong"):
        unlock_any((PassphraseLock(WORDS + "!"),), told, b"")


def test_key_files_are_private_not_overwritten_and_may_have_a_passphrase(tmp_path, monkeypatch):
    write_pair(tmp_path / "key", passphrase=WORDS)
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    with pytest.raises(InputError, match="is not overwritten"):
        write_pair(tmp_path / "key")
    with pytest.raises(InputError, match="set KSAME_VAULT_PASSPHRASE"):
        find_locks(tmp_path / "key")
    with pytest.raises(InputError, match="its passphrase is wrong") as raised:
        find_locks(tmp_path / "key", lambda: "some other words")
    assert "other words" not in str(raised.value)
    monkeypatch.setenv("KSAME_VAULT_PASSPHRASE", WORDS)
    assert find_locks(tmp_path / "key")[0].unlock(
        find_locks(tmp_path / "key.pub")[0].lock(KEY, b""), b""
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "holds no key in PEM"),
        (b"-----BEGIN PUBLIC KEY-----\nc2VjcmV0\n-----END PUBLIC KEY-----\n", "cannot be read"),
    ],
)
def test_files_that_hold_no_key_are_refused(tmp_path, content, said):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(InputError, match=said) as raised:
        find_locks(tmp_path / "file")
    assert "c2VjcmV0" not in str(raised.value)
    with pytest.raises(InputError, match="cannot be read"):
        find_locks(tmp_path / "nowhere")


def test_a_key_for_signing_locks_no_vault(tmp_path):
    write_pair(tmp_path / "signer", signing=True)
    with pytest.raises(InputError, match="cannot lock a vault"):
        find_locks(tmp_path / "signer.pub")


def test_without_the_package_that_encrypts_the_remedy_is_told(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.hpke", None)
    with pytest.raises(InputError, match=r'pip install "ksame\[vault\]"'):
        write_pair(tmp_path / "key")
    assert not list(tmp_path.iterdir())


def test_streams_longer_than_memory_are_sealed_piece_by_piece():
    """No more than two chunks are held at a time."""
    from ksame.vault.sealing import seal

    class Endless(io.RawIOBase):
        left = 5 * CHUNK

        def read(self, size=-1):
            assert 0 <= size <= CHUNK
            size = min(size, self.left)
            self.left -= size
            return bytes(size)

    class Nowhere(io.RawIOBase):
        most = 0

        def write(self, data):
            self.most = max(self.most, len(data))
            return len(data)

    sink = Nowhere()
    assert seal(Endless(), sink, KEY, b"") == 5 * (CHUNK + TAG)
    assert sink.most == CHUNK + TAG

"""Signed certificates: made by one implementation of Ed25519, checked by another."""

import base64
import json

import pytest
from Crypto.PublicKey import ECC
from Crypto.Signature import eddsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from ksame.errors import InputError
from ksame.release.signing import sign
from ksame.vault import write_pair
from ksame.vault.keyfiles import read_signer
from ksame.verification import verify
from ksame.verification.ed25519 import _ORDER, is_signed
from ksame.verification.signed import SIGNATURE, read_signers

# RFC 8032, section 7.1: public key, message, signature
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701c"
        "f9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0"
        "f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
]


@pytest.mark.parametrize(("public", "message", "signature"), VECTORS)
def test_the_vectors_of_the_standard(public, message, signature):
    given = [bytes.fromhex(text) for text in (public, message, signature)]
    assert is_signed(*given)
    assert not is_signed(given[0], given[1] + b"x", given[2])


@settings(max_examples=25)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200), st.integers(0, 96 * 8 - 1))
def test_signatures_of_two_libraries_hold_and_altered_ones_do_not(seed, message, place):
    private = Ed25519PrivateKey.from_private_bytes(seed)
    public, signature = private.public_key().public_bytes_raw(), private.sign(message)
    other = ECC.construct(curve="Ed25519", seed=seed)
    assert eddsa.new(other, "rfc8032").sign(message) == signature
    assert is_signed(public, message, signature)
    altered = bytearray(public + signature)
    altered[place // 8] ^= 1 << place % 8
    assert not is_signed(bytes(altered[:32]), message, bytes(altered[32:]))
    # the same number written longer is not taken
    longer = int.from_bytes(signature[32:], "little") + _ORDER
    if longer < 1 << 256:
        assert not is_signed(public, message, signature[:32] + longer.to_bytes(32, "little"))


def test_a_key_of_small_order_signs_nothing():
    """With it one signature would do for every message."""
    neutral = (1).to_bytes(32, "little")
    assert not is_signed(neutral, b"anything", neutral + bytes(32))
    assert not is_signed(b"", b"", b"")


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keys")
    for name in ("one", "two"):
        write_pair(folder / name, signing=True)
    write_pair(folder / "vault")
    return folder


def test_a_signed_release_holds_and_who_signed_is_told(copy, keys):
    out, ledger = copy
    assert verify(out, signed_by=keys / "one.pub").findings[0].what.startswith("is missing")
    path = sign(out, read_signer(keys / "one"))
    assert path == out / SIGNATURE
    assert verify(out, ledger).holds
    verdict = verify(out, ledger, signed_by=keys / "one.pub")
    assert verdict.holds
    assert any(name.startswith("the certificate is signed by key") for name in verdict.checked)
    (other,) = verify(out, signed_by=keys / "two.pub").findings
    assert "none of the keys" in other.what


def test_several_may_sign_and_signing_again_changes_nothing(copy, keys):
    out, _ = copy
    for name in ("one", "two", "one"):
        sign(out, read_signer(keys / name))
    assert len(json.loads((out / SIGNATURE).read_text())["signatures"]) == 2
    for name in ("one", "two"):
        assert verify(out, signed_by=keys / f"{name}.pub").holds


def test_a_certificate_that_was_changed_loses_its_signature(forged, keys):
    sign(forged.out, read_signer(keys / "one"))
    forged.edit(lambda certificate, ledger: certificate.update(k=2))
    said = [found.what for found in verify(forged.out, signed_by=keys / "one.pub").findings]
    assert any("is not of this certificate" in what for what in said)


def test_a_release_that_does_not_hold_is_not_signed(copy, keys):
    out, _ = copy
    (out / "more.txt").write_text("more")
    with pytest.raises(InputError, match="is not signed"):
        sign(out, read_signer(keys / "one"))
    assert not (out / SIGNATURE).exists()


def _sealed(out, change):
    """The file of signatures after a change that keeps it JSON."""
    value = json.loads((out / SIGNATURE).read_text())
    change(value)
    (out / SIGNATURE).write_text(json.dumps(value))


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.update(note="something to smuggle"),
        lambda value: value["signatures"][0].update(note="something to smuggle"),
        lambda value: value.update(format="another"),
        lambda value: value.update(signatures=[]),
        lambda value: value.update(signatures=value["signatures"] * 17),
        lambda value: value.update(signatures=3),
        lambda value: value["signatures"][0].update(signature="!!"),
        lambda value: value["signatures"][0].update(public_key=7),
        lambda value: value["signatures"].append(
            {"public_key": base64.b64encode(bytes(32)).decode(), "signature": ""}
        ),
    ],
)
def test_a_forged_file_of_signatures_is_a_finding(copy, keys, change):
    out, _ = copy
    sign(out, read_signer(keys / "one"))
    _sealed(out, change)
    assert {found.where for found in verify(out).findings} == {SIGNATURE}


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b"[" * 9000, b'"text"'])
def test_any_other_file_of_that_name_is_a_finding(copy, content):
    out, _ = copy
    (out / SIGNATURE).write_bytes(content)
    assert SIGNATURE in {found.where for found in verify(out).findings}


def test_a_link_or_folder_of_that_name_is_a_finding(copy, tmp_path):
    out, _ = copy
    (out / SIGNATURE).symlink_to(tmp_path / "elsewhere")
    assert SIGNATURE in {found.where for found in verify(out).findings}
    (out / SIGNATURE).unlink()
    (out / SIGNATURE).mkdir()
    assert SIGNATURE in {found.where for found in verify(out).findings}


def test_only_keys_for_signing_are_read(keys, tmp_path):
    assert len(read_signers(keys / "one.pub")) == 1
    assert read_signers(keys / "vault.pub") == []
    assert read_signers(keys / "one") == []
    assert read_signers(tmp_path / "nowhere") == []
    with pytest.raises(InputError, match="no private Ed25519 key"):
        read_signer(keys / "vault")

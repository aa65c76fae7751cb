"""``ksame vault``, ``reveal`` and ``sign`` as a user runs them."""

import json
import shutil

import pytest
from typer.testing import CliRunner

from ksame.cli.app import app
from ksame.errors import InputError, VaultError, VerificationError

WORDS = "correct horse battery staple"


@pytest.fixture(autouse=True)
def own_notes(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("KSAME_VAULT_KEY", "KSAME_VAULT_PASSPHRASE"):
        monkeypatch.delenv(name, raising=False)


def invoke(*words):
    """Run a command; an error of ksame's comes through, as the entry point sees it."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """One release by the command line, and the keys of its vault."""
    from ksame.datasets.demo_people import demo_people

    root = tmp_path_factory.mktemp("vaulted")
    people = demo_people()
    for path, person in zip(people.paths, people.persons, strict=True):
        place = root / "in" / person
        if len(list(root.glob("in/*"))) < 4 and not place.exists():
            place.mkdir(parents=True)
            shutil.copyfile(path, place / path.name)
    assert invoke("vault", "keygen", "-o", root / "key").exit_code == 0
    words = ("deidentify", root / "in", "-o", root / "out", "-k", 2, "--persons", "folder")
    result = invoke(*words, "--jobs", 1, "--seed", 3, "--vault", root / "key.pub")
    assert result.exit_code == 0
    assert f"vault: {root / 'out.vault'}" in result.stdout
    return root


@pytest.fixture
def copy(made, tmp_path):
    shutil.copyfile(made / "out.vault", tmp_path / "out.vault")
    return made / "out", tmp_path / "out.vault", ("--key", made / "key")


def test_one_person_and_everybody_are_revealed(copy, tmp_path):
    out, vault, key = copy
    person, *others = invoke("vault", "log", vault, *key, "--people").stdout.split()
    assert len(others) == 3
    told = ("reveal", out, "--vault", vault, *key)
    result = invoke(
        *told, "--person", person, "-o", tmp_path / "one", "--reason", "asked", "--json"
    )
    found = json.loads(result.stdout)
    assert (found["files"], found["originals"], found["left"]) == (1, 0, 0)
    assert len(list((tmp_path / "one").iterdir())) == 1
    assert invoke(*told, "--all", "-o", tmp_path / "all").exit_code == 0
    assert len(list((tmp_path / "all").iterdir())) == 4
    log = json.loads(invoke("vault", "log", vault, *key, "--json").stdout)
    assert [entry["act"] for entry in log] == ["made", "revealed", "revealed all"]
    assert log[1]["digest"] == found["log"]
    assert invoke("vault", "log", vault, *key, "--expect", found["log"]).exit_code == 0
    with pytest.raises(VaultError, match="not in this log"):
        invoke("vault", "log", vault, *key, "--expect", "0" * 64)
    with pytest.raises(InputError, match="--person, or everybody"):
        invoke(*told, "-o", tmp_path / "none")


def test_the_commands_that_need_a_ledger_take_the_key(copy, made, tmp_path, monkeypatch):
    out, vault, key = copy
    verified = invoke("verify", out, "--ledger", vault, *key, "--no-detect", "--json")
    assert json.loads(verified.stdout)["holds"] is True
    page = tmp_path / "report.html"
    assert invoke("report", out, "--ledger", vault, *key, "-o", page).exit_code == 0
    assert page.stat().st_mode & 0o777 == 0o600
    attacked = ("attack", made / "in", out, "--ledger", vault, "-o", tmp_path / "attack")
    monkeypatch.setenv("KSAME_VAULT_KEY", str(made / "key"))
    assert invoke(*attacked, "--recogniser", "sface", "--utility", 0).exit_code == 0
    monkeypatch.delenv("KSAME_VAULT_KEY")
    with pytest.raises(InputError, match="needs its key"):
        invoke("verify", out, "--ledger", vault)
    data = bytearray(vault.read_bytes())
    data[100] ^= 1
    vault.write_bytes(data)
    with pytest.raises(VaultError, match="altered"):
        invoke("verify", out, "--ledger", vault, *key)


def test_keys_are_changed_and_people_erased(copy, made, tmp_path, monkeypatch):
    out, vault, key = copy
    person = invoke("vault", "log", vault, *key, "--people").stdout.split()[0]
    result = invoke("vault", "erase", vault, "--person", person, *key, "--reason", "asked")
    assert "1 people erased" in result.stdout
    assert "made before still hold them" in result.stderr
    with pytest.raises(VaultError, match="or no longer"):
        invoke("reveal", out, "--vault", vault, *key, "--person", person, "-o", tmp_path / "one")
    monkeypatch.setenv("KSAME_VAULT_PASSPHRASE", WORDS)
    assert invoke("vault", "rekey", vault, *key, "--to", "passphrase").exit_code == 0
    with pytest.raises(VaultError, match="does not open the vault"):
        invoke("vault", "log", vault, *key)
    plain = tmp_path / "ledger.json"
    assert invoke("vault", "ledger", vault, "--key", "passphrase", "-o", plain).exit_code == 0
    assert plain.stat().st_mode & 0o777 == 0o600
    assert person not in plain.read_text()
    monkeypatch.setenv("KSAME_VAULT_PASSPHRASE", WORDS + "!")
    with pytest.raises(VaultError, match="passphrase is wrong") as raised:
        invoke("vault", "log", vault, "--key", "passphrase")
    assert WORDS not in str(raised.value)
    monkeypatch.delenv("KSAME_VAULT_PASSPHRASE")
    with pytest.raises(InputError, match="no terminal to ask at"):
        invoke("vault", "log", vault, "--key", "passphrase")


def test_a_release_is_signed_and_the_signature_demanded(made, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(made / "out", out)
    for name in ("signer", "other"):
        invoke("vault", "keygen", "-o", tmp_path / name, "--signing")
    with pytest.raises(VerificationError):
        invoke("verify", out, "--signed-by", tmp_path / "signer.pub")
    assert invoke("sign", out, "--key", tmp_path / "signer").exit_code == 0
    signed = invoke("verify", out, "--signed-by", tmp_path / "signer.pub")
    assert "holds: the certificate is signed by key" in signed.stdout
    with pytest.raises(VerificationError):
        invoke("verify", out, "--signed-by", tmp_path / "other.pub")
    with pytest.raises(InputError, match="no public Ed25519 key"):
        invoke("verify", out, "--signed-by", made / "key.pub")
    with pytest.raises(InputError, match="no private Ed25519 key"):
        invoke("sign", out, "--key", made / "key")

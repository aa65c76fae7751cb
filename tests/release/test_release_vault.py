"""A release with a vault: the same release, and nothing of the ledger in the clear."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from release_plans import strict_plan

import ksame.release.publish as publishing
from ksame.errors import InputError
from ksame.release import run
from ksame.release.private import IN_THE_VAULT
from ksame.review.finished import finished_plan, put_in_place
from ksame.vault import PassphraseLock, erase, find_locks, open_vault, reveal, write_pair
from ksame.vault.keyfiles import holding
from ksame.verification import verify


@pytest.fixture(autouse=True)
def own_notes(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    path = tmp_path_factory.mktemp("key") / "key"
    write_pair(path)
    return path


@pytest.fixture(scope="module")
def sealed(album, found, key, tmp_path_factory):
    """The release of the fixture ``made``, with a vault; not to be changed."""
    out = tmp_path_factory.mktemp("sealed") / "out"
    shutil.copytree(found, out.with_name("out.work") / "store")
    (out.with_name("out.work") / "ksame-scratch").touch()
    return run(strict_plan(album, out, vault=key.with_name("key.pub")))


@pytest.fixture
def vault(sealed, key, tmp_path):
    """A copy of its vault, opened."""
    path = tmp_path / "out.vault"
    shutil.copyfile(sealed.ledger, path)
    return open_vault(path, find_locks(key))


def _files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_release_is_the_same_byte_for_byte_and_no_ledger_is_written(made, sealed):
    assert _files(sealed.out) == _files(made.out)
    beside = sorted(path.name for path in sealed.out.parent.iterdir())
    assert beside == ["out", "out.vault"]
    assert sealed.ledger == sealed.out.with_name("out.vault")
    assert sealed.ledger.stat().st_mode & 0o777 == 0o600


def test_the_ledger_in_the_vault_is_the_plain_one_and_verifies(made, sealed, vault):
    plain = json.loads(made.ledger.read_text())
    assert vault.ledger() == plain
    verdict = verify(sealed.out, vault.ledger())
    assert verdict.holds
    assert verdict.checked == verify(made.out, made.ledger).checked


def test_a_person_comes_back_exactly_and_others_stay_replaced(sealed, vault, tmp_path):
    book = vault.ledger()
    person = book["faces"][0]["person"]
    reveal(vault, sealed.out, tmp_path / "dir", [person])
    shown = {face["file"]: face["box"] for face in book["faces"] if face["person"] == person}
    assert {p.stem for p in (tmp_path / "dir").iterdir()} == {Path(name).stem for name in shown}
    for name, box in shown.items():
        x0, y0, x1, y1 = (round(value) for value in box)
        with (
            Image.open(tmp_path / "dir" / f"{Path(name).stem}.png") as new,
            Image.open(book["files"][name]) as old,
        ):
            now, before = np.array(new.convert("RGB")), np.array(old.convert("RGB"))
        assert (now[y0:y1, x0:x1] == before[y0:y1, x0:x1]).all()


def test_all_originals_come_back_byte_by_byte(sealed, vault, tmp_path):
    files = vault.ledger()["files"]
    reveal(vault, sealed.out, tmp_path / "dir")
    for name, original in files.items():
        assert (tmp_path / "dir" / name).read_bytes() == Path(original).read_bytes()


def test_a_vault_without_an_erased_person_still_verifies_and_says_so(sealed, vault):
    person = vault.ledger()["faces"][0]["person"]
    book = erase(vault, [person]).ledger()
    assert person not in json.dumps(book)
    verdict = verify(sealed.out, book)
    assert verdict.holds
    assert any("1 people were erased from the ledger" in name for name in verdict.checked)
    # a plain file that says so of itself is not believed
    claimed = {**book, "erased": 1}
    path = vault.path.with_name("claimed.json")
    path.write_text(json.dumps(claimed))
    assert not verify(sealed.out, path).holds


def test_the_same_call_finds_its_release_again_without_a_key_to_open_it(album, sealed, key):
    again = run(strict_plan(album, sealed.out, vault=key.with_name("key.pub")))
    assert again.certificate == sealed.certificate
    assert again.withheld == sealed.withheld == []
    with pytest.raises(InputError, match="together with its vault"):
        run(strict_plan(album, sealed.out, vault=key.with_name("key.pub"), seed=8))
    with pytest.raises(InputError, match="together with its ledger"):
        run(strict_plan(album, sealed.out))
    other = key.with_name("other")
    write_pair(other)
    with pytest.raises(InputError, match="together with its vault"):
        run(strict_plan(album, sealed.out, vault=key.with_name("other.pub")))


def test_withheld_files_are_told_by_reason_alone_when_it_is_found_again(album, warm, tmp_path):
    shutil.copytree(album, tmp_path / "in")
    (next((tmp_path / "in").iterdir()) / "broken.jpg").write_bytes(b"no photo")
    lock = PassphraseLock("correct horse battery staple", cost=4)
    plan = strict_plan(tmp_path / "in", warm(tmp_path / "out"), vault=lock)
    assert Path(run(plan).withheld[0][0]).name == "broken.jpg"
    ((name, why),) = run(plan).withheld
    assert name == IN_THE_VAULT
    assert why == "cannot be read as a photo"


def test_a_kill_before_out_appears_leaves_no_release_and_the_next_run_makes_it(
    album, warm, key, tmp_path, monkeypatch
):
    plan = strict_plan(album, warm(tmp_path / "out"), vault=key.with_name("key.pub"))

    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(publishing, "_appear", killed)
    with pytest.raises(KeyboardInterrupt):
        run(plan)
    assert not plan.out.exists()
    assert not list(plan.work.rglob("*.sealed"))
    assert not list(plan.work.rglob("*ledger*"))
    monkeypatch.undo()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    release = run(plan)
    vault = open_vault(release.ledger, find_locks(key))
    assert vault.check() == len(vault.index.parts)
    assert sorted(path.name for path in tmp_path.glob("out*")) == ["out", "out.vault"]


def test_the_vault_of_another_release_is_moved_aside(album, warm, key, sealed, tmp_path):
    shutil.copyfile(sealed.ledger, tmp_path / "out.vault")
    plan = strict_plan(album, warm(tmp_path / "out"), seed=9, vault=key.with_name("key.pub"))
    run(plan)
    kept = tmp_path / f"out.vault-{sealed.certificate['digest'][:8]}"
    assert kept.read_bytes() == sealed.ledger.read_bytes()


def test_originals_beside_out_and_a_vault_exclude_each_other(album, key, tmp_path):
    with pytest.raises(InputError, match="which a vault is to prevent"):
        strict_plan(album, tmp_path / "out", vault=key, with_originals=True)


def test_a_release_with_a_vault_is_reviewed_into_one_with_a_vault(sealed, vault, key, tmp_path):
    """A corrected release never has a plain ledger where the first one had none."""
    with pytest.raises(InputError, match="needs its key"):
        finished_plan(sealed.out, vault.path, tmp_path / "new")
    public = key.with_name("key.pub")
    with holding(find_locks(key)):
        with pytest.raises(InputError, match="would have a plain ledger"):
            finished_plan(sealed.out, vault.path, tmp_path / "new")
        plan = finished_plan(sealed.out, vault.path, tmp_path / "new", vault=public, jobs=1)
        release = run(plan)
    assert release.ledger == tmp_path / "new.vault"
    out = tmp_path / "out"
    shutil.copytree(sealed.out, out)
    placed = put_in_place(release, out, vault.path)
    assert placed.ledger == tmp_path / "out.vault"
    mark = sealed.certificate["digest"][:8]
    beside = {path.name for path in tmp_path.glob("out*")}
    assert beside == {"out", "out.vault", f"out.before-{mark}", f"out.before-{mark}.vault"}
    open_vault(placed.ledger, find_locks(key)).check()


def test_people_of_a_vault_s_ledger_make_the_same_release(
    album, sealed, vault, key, tmp_path, monkeypatch
):
    """``--persons OUT.vault``, with the key that the environment names."""
    monkeypatch.setenv("KSAME_VAULT_KEY", str(key))
    release = run(strict_plan(album, tmp_path / "out", persons=vault.path))
    assert release.certificate["people"] == sealed.certificate["people"]
    assert release.certificate["persons"] == "file"

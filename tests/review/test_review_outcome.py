"""The last screen shows every photo before and after, also where the ledger lies in a vault."""

from dataclasses import replace

import pytest
from review_plans import plan_of

from ksame.release import Corrections, run
from ksame.review.finished import finished_plan
from ksame.review.outcome import Outcome
from ksame.vault import find_locks, write_pair
from ksame.vault.keyfiles import holding

pytest.importorskip("starlette")
pytest.importorskip("cryptography")
pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def own_notes(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    path = tmp_path_factory.mktemp("key") / "key"
    write_pair(path)
    return path


@pytest.fixture(scope="module")
def sealed(album, key, tmp_path_factory):
    out = tmp_path_factory.mktemp("sealed") / "out"
    return run(plan_of(album, out, vault=key.with_name("key.pub")))


def _picture(outcome, kind, number):
    from ksame.review.pictures import Pictures
    from ksame.review.server import _picture
    from ksame.review.session import Session

    session = Session(plan_of(outcome.out, outcome.out.with_name("none")))
    session.outcome = outcome
    return _picture(session, Pictures(10**8), kind, number, None)


def test_whoever_makes_it_sees_before_and_after(sealed):
    outcome = Outcome.of(sealed)
    assert len(outcome.pairs) == len(sealed.certificate["files"]) > 0
    assert _picture(outcome, "before", 0)[:2] == _picture(outcome, "after", 0)[:2] == b"\xff\xd8"
    assert _picture(outcome, "before", 0) != _picture(outcome, "after", 0)


def test_a_finished_release_shows_it_with_the_key_and_not_without(sealed, key, tmp_path):
    """What was there before tells nothing by itself: the vault has to be opened."""
    known = replace(sealed, book={})
    assert Outcome.of(known).pairs == []
    with holding(find_locks(key)):
        assert len(Outcome.of(known).pairs) == len(sealed.certificate["files"])
        locks = find_locks(key.with_name("key.pub"))
        plan = finished_plan(sealed.out, sealed.ledger, tmp_path / "again", jobs=1, vault=locks)
        again = run(plan, review=lambda album, people: Corrections(), made=sealed.out)
        outcome = Outcome.of(again)
    assert len(outcome.pairs) == len(sealed.certificate["files"])
    assert _picture(outcome, "before", 0) != _picture(outcome, "after", 0)
    assert again.certificate["files"] == sealed.certificate["files"]

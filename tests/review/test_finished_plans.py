"""What a finished release was made with is what it is made with again."""

import hashlib
import json

import pytest

from ksame.errors import InputError
from ksame.review.finished import finished_plan

OPTIONS = {
    "method": "nobody",
    "k": 3,
    "grouping": "apart",
    "composite": "natural",
    "persons": "auto",
    "select": ["gender", "age_band", "tone"],
    "reference": "none",
    "donors": "model",
    "on_failure": "fill",
    "detector": "yunet",
    "allow_faceless": False,
    "keep_names": False,
    "per_person": 2,
}


@pytest.fixture
def finished(tmp_path):
    """The documents of a release of one photo; no picture is looked at."""
    photo, out = tmp_path / "a.jpg", tmp_path / "out"
    photo.touch()
    out.mkdir()
    body = {"format": "ksame-certificate-2"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()
    (out / "certificate.json").write_text(json.dumps({**body, "digest": digest}))
    book = {
        "format": "ksame-ledger-2",
        "certificate": digest,
        "options": OPTIONS,
        "seed": 5,
        "files": {"000001.jpg": str(photo)},
        "originals": {"000001.jpg": "0" * 64},
        "faces": [],
    }

    def write(**more):
        ledger = tmp_path / "out.ledger.json"
        ledger.write_text(json.dumps({**book, **more}))
        return out, ledger, tmp_path / "again"

    return write


def test_the_limit_of_photos_a_person_stays(finished):
    assert finished_plan(*finished()).per_person == 2


def test_what_continues_a_release_still_does(finished, tmp_path):
    """Without it people would get other faces than before, and two releases could be compared."""
    told = {"continues": {"certificate": "1" * 64, "groups": []}}
    with pytest.raises(InputError, match="continues an earlier one"):
        finished_plan(*finished(**told))
    earlier = tmp_path / "earlier.json"
    earlier.touch()
    assert finished_plan(*finished(**told), continues=earlier).continues == earlier

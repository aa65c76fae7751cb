"""Which original is which released photo: by names, by a table, by the ledger."""

import pytest
from small_worlds import touch

from ksame.attacks.inputs import from_ledger, from_names, from_pairs
from ksame.errors import InputError


def test_names_match_other_tools_output(tmp_path):
    ours, theirs = tmp_path / "in", tmp_path / "out"
    touch(ours, "ann_1.jpg", "ann_2.jpg", "bob_1.jpg")
    touch(theirs, "ann_1_anonymized.jpg", "bob_1.png", "other.jpg")
    found = from_names(ours, theirs)
    assert {o.person for o in found.originals} == {"ann", "bob"}
    assert [r.original.name for r in found.released] == ["ann_1.jpg", "bob_1.jpg"]
    nested = tmp_path / "nested"
    touch(nested, "x/1.jpg", "y/1.jpg")
    assert {o.person for o in from_names(nested, nested).originals} == {"x", "y"}
    (tmp_path / "people.csv").write_text("image,person\nann_1.jpg,q\nbob_1.jpg,r\n")
    listed = from_names(ours, theirs, str(tmp_path / "people.csv"))
    assert {o.person for o in listed.originals} == {"q", "r"}
    with pytest.raises(InputError, match="Name --ledger or --pairs"):
        from_names(ours, nested)


def test_pairs_csv(tmp_path):
    touch(tmp_path, "in/a.jpg", "out/000001.jpg")
    csv = tmp_path / "pairs.csv"
    csv.write_text("released,original,person,donors\n000001.jpg,a.jpg,ann,bob;eve\n")
    found = from_pairs(tmp_path / "in", tmp_path / "out", csv)
    assert found.released[0].donors == ("bob", "eve")
    assert found.released[0].original == tmp_path / "in" / "a.jpg"
    csv.write_text("released,person\n1,2\n")
    with pytest.raises(InputError, match="lacks the columns original"):
        from_pairs(tmp_path / "in", tmp_path / "out", csv)


def test_ledger(tmp_path):
    touch(tmp_path, "in/a.jpg", "in/b.jpg", "out/000001.jpg", "out/000002.jpg")
    book = {
        "options": {"k": 2},
        "files": {"000001.jpg": "/moved/a.jpg", "000002.jpg": str(tmp_path / "in/b.jpg")},
        "faces": [
            {"file": "000001.jpg", "box": [0, 0, 9, 9], "person": "ann", "group": 0},
            {"file": "000002.jpg", "box": [0, 0, 9, 9], "person": "bob", "group": 0},
            {"file": "000002.jpg", "box": [0, 0, 9, 9], "person": None, "group": None},
        ],
        "groups": [{"group": 0, "donors": ["cat", "dan"]}],
    }
    found = from_ledger(tmp_path / "in", tmp_path / "out", book)
    assert found.k == 2
    assert len(found.originals) == len(found.released) == 2
    assert found.released[0].donors == ("cat", "dan")
    assert found.released[0].original == tmp_path / "in" / "a.jpg"
    assert "ann" not in repr(found)
    with pytest.raises(InputError, match="the ledger lists no files"):
        from_ledger(tmp_path / "in", tmp_path / "out", {})

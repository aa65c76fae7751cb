"""Forgeries by somebody who can write OUT and mend every hash and digest in it, but has no ledger.

Each of these passed the first verifier. The ledger, which its holder keeps, commits to the
certificate, and through it to claims, counts, files and report.
"""

import hashlib
import json

import numpy as np
import pytest
from PIL import Image

from ksame.verification import verify


def canonical(value):
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def reseal(out, change):
    """Change the certificate, mend the hashes of all files and its own digest."""
    certificate = json.loads((out / "certificate.json").read_text(encoding="utf-8"))
    change(certificate)
    for name in certificate["files"]:
        data = (out / name).read_bytes()
        certificate["files"][name] = hashlib.sha256(data).hexdigest()
    report = (out / "report.html").read_bytes()
    certificate["report"]["sha256"] = hashlib.sha256(report).hexdigest()
    certificate.pop("digest")
    certificate["digest"] = canonical(certificate)
    (out / "certificate.json").write_text(json.dumps(certificate), encoding="utf-8")


def entry(certificate, name, value):
    certificate[name] = value


TEXTS = {
    "composite is natural": lambda c: entry(c, "composite", "natural"),
    "nothing is guaranteed": lambda c: c.update(guarantee="none", claims=[]),
    "a claim more": lambda c: c["claims"].append("nobody can be recognised by the hair"),
    "another first claim": lambda c: c["claims"].__setitem__(0, "all is well: k=3, 1/3"),
    "less is not claimed": lambda c: entry(c, "not_claimed", []),
    "more people": lambda c: entry(c, "people", c["people"] + 1),
    "more people not shown": lambda c: entry(c, "people_not_shown", 5),
    "other figures": lambda c: c["measured"].update(faces_still_found=0.0),
    "fewer black boxes": lambda c: entry(c, "hidden", 0),
    "nothing withheld": lambda c: entry(c, "withheld", {"it was dull": 3}),
    "a group with more people": lambda c: c["groups"][0].update(people=99),
    "another method": lambda c: entry(c, "method", "m"),
    "another version": lambda c: c["versions"].update(ksame="9.9"),
}


@pytest.mark.parametrize("change", TEXTS.values(), ids=TEXTS)
def test_a_certificate_that_says_something_else(forged, change):
    reseal(forged.out, change)
    assert not verify(forged.out, forged.ledger).holds


def test_a_report_that_was_replaced(forged):
    (forged.out / "report.html").write_text("<p>all is well</p>", encoding="utf-8")
    reseal(forged.out, lambda certificate: None)
    assert not verify(forged.out, forged.ledger).holds


@pytest.mark.parametrize(
    "box", [(0.0, 0.0, 1.0, 1.0), (0.38, 0.40, 0.48, 0.48)], ids=["a whole photo", "one eye"]
)
def test_an_original_that_was_put_back(forged, box):
    _, ledger = forged.read()
    name = next(f["file"] for f in ledger["faces"] if f["placement"] and f["file"].endswith("jpg"))
    new, old = forged.pixels(name)
    height, width = new.shape[:2]
    x0, y0, x1, y1 = (np.array(box) * [width, height, width, height]).astype(int)
    new[y0:y1, x0:x1] = old[y0:y1, x0:x1]
    Image.fromarray(new).save(forged.out / name, quality=95)
    reseal(forged.out, lambda certificate: None)
    assert not verify(forged.out, forged.ledger).holds


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data + data,  # a whole picture appended
        lambda data: data[:-2] + b"\xff\xfe\x00\x08hidden" + data[-2:],  # a comment at the end
        lambda data: data[:2] + b"\xff\xe1\x00\x12Exif\x00\x00" + bytes(10) + data[2:],
    ],
    ids=["appended", "comment", "padded APP1"],
)
def test_a_picture_that_carries_more_than_pixels(forged, spoil):
    """Found without the ledger, too."""
    name = next(n for n in forged.read()[0]["files"] if n.endswith(".jpg"))
    path = forged.out / name
    path.write_bytes(spoil(path.read_bytes()))
    reseal(forged.out, lambda certificate: None)
    found = verify(forged.out).findings
    assert [finding.where for finding in found] == [name]
    assert "metadata" in found[0].what


def forged_state(ledger):
    face = next(f for f in ledger["faces"] if f["placement"])
    face["state"] = "asleep"


def deleted_face(ledger):
    face = next(f for f in ledger["faces"] if f["placement"])
    ledger["faces"].remove(face)


def empty_box(ledger):
    face = next(f for f in ledger["faces"] if f["placement"])
    face["box"] = [5, 5, 5, 5]


def padded(ledger):
    ledger["groups"][0]["others"] = ["somebody", "else"]


@pytest.mark.parametrize("change", [forged_state, deleted_face, empty_box, padded])
def test_a_ledger_that_was_changed_is_not_the_one_committed_to(forged, change):
    certificate, ledger = forged.read()
    change(ledger)
    forged.write(certificate, ledger, sealed=False)
    said = " | ".join(map(str, verify(forged.out, forged.ledger).findings))
    assert "is not the one that the certificate was made with" in said

"""``verify`` must fail, and say where, on every way to spoil a release."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ksame.release.certificate import digest
from ksame.release.verify import verify


def _edit(path, change):
    value = json.loads(path.read_text(encoding="utf-8"))
    change(value)
    path.write_text(json.dumps(value), encoding="utf-8")


def _seal(out, change):
    """Change a certificate and give it a digest that fits: a forger's work."""

    def sealed(value):
        change(value)
        value["digest"] = digest(value)

    _edit(out / "certificate.json", sealed)


def _findings(out, ledger=None):
    verdict = verify(out, ledger)
    assert not verdict.holds
    return " | ".join(map(str, verdict.findings))


def _first(out):
    return sorted(p.name for p in out.glob("*.jpg"))[:2]


def test_an_untouched_copy_holds(copy):
    out, ledger = copy
    assert verify(out).holds
    assert verify(out, ledger).holds


@pytest.mark.parametrize("place", [0.01, 0.5, 0.999])
def test_one_flipped_byte(copy, place):
    out, _ = copy
    name = _first(out)[0]
    data = bytearray((out / name).read_bytes())
    data[int(place * len(data))] ^= 1
    (out / name).write_bytes(data)
    assert f"{name}: differs from its certified sha256" in _findings(out)


def test_two_swapped_files(copy):
    out, _ = copy
    one, two = _first(out)
    a, b = (out / one).read_bytes(), (out / two).read_bytes()
    (out / one).write_bytes(b)
    (out / two).write_bytes(a)
    said = _findings(out)
    assert f"{one}: holds the certified content of {two}" in said
    assert f"{two}: holds the certified content of {one}" in said


def test_a_photo_replaced_by_its_original(copy):
    out, ledger = copy
    name = _first(out)[0]
    original = json.loads(ledger.read_text())["files"][name]
    (out / name).write_bytes(Path(original).read_bytes())
    assert f"{name}: differs" in _findings(out)


def test_an_original_with_a_forged_certificate_is_seen_in_the_pixels(copy):
    """The writer's own hashes agree here; the faces of the group do not."""
    import hashlib

    out, ledger = copy
    name = _first(out)[0]
    private = json.loads(ledger.read_text())
    with Image.open(private["files"][name]) as image:
        image.convert("RGB").save(out / name, quality=95)
    sha256 = hashlib.sha256((out / name).read_bytes()).hexdigest()
    _seal(out, lambda c: c["files"].update({name: sha256}))
    sealed = json.loads((out / "certificate.json").read_text())["digest"]
    _edit(ledger, lambda value: value.update(certificate=sealed))
    assert verify(out).holds
    said = _findings(out, ledger)
    assert f"{name}: a face differs from the one its group shares" in said


def test_a_person_moved_so_that_a_group_falls_below_k(copy):
    out, ledger = copy

    def move(value):
        first = value["faces"][0]
        other = next(f for f in value["faces"] if f["group"] != first["group"])
        for face in value["faces"]:
            if face["person"] == first["person"]:
                face["group"] = other["group"]

    _edit(ledger, move)
    said = _findings(out, ledger)
    assert "is shared by 2 people, k=3" in said


def test_two_people_of_a_group_taken_for_one(copy):
    out, ledger = copy

    def merge(value):
        first = value["faces"][0]
        other = next(
            f
            for f in value["faces"]
            if f["group"] == first["group"] and f["person"] != first["person"]
        )
        name = other["person"]
        for face in value["faces"]:
            if face["person"] == name:
                face["person"] = first["person"]

    _edit(ledger, merge)
    assert "is shared by 2 people, k=3" in _findings(out, ledger)


def test_a_person_with_two_surrogates(copy):
    out, ledger = copy

    def split(value):
        first = value["faces"][0]
        other = next(f for f in value["faces"] if f["group"] != first["group"])
        other["person"] = first["person"]

    _edit(ledger, split)
    assert "its person has 2 surrogates instead of one" in _findings(out, ledger)


def test_a_raised_k_is_found_without_and_with_a_forged_digest(copy):
    out, ledger = copy
    _edit(out / "certificate.json", lambda c: c.update(k=4))
    assert "its digest does not cover its content" in _findings(out)
    _seal(out, lambda c: c.update(k=4))
    assert "is shared by 3 people, k=4" in _findings(out)
    _seal(out, lambda c: [g.update(people=9) for g in c["groups"]])
    assert "says k=4, the ledger k=3" in _findings(out, ledger)


def test_files_added_removed_or_linked(copy):
    out, _ = copy
    one, two = _first(out)
    (out / "more.txt").write_text("x")
    (out / one).unlink()
    said = _findings(out)
    assert "more.txt: is not in the certificate" in said
    assert f"{one}: is in the certificate but missing" in said
    (out / one).symlink_to(out / two)
    assert f"{one}: is a link" in _findings(out)


def test_metadata_is_found_whatever_the_hashes_say(copy):
    import hashlib

    out, _ = copy
    one, two = _first(out)
    with Image.open(out / one) as image:
        exif = image.getexif()
        exif[0x010E] = "somebody"
        image.save(out / one, exif=exif, comment=b"somebody")
    (out / two).write_bytes((out / two).read_bytes() + b"tail")
    for name in (one, two):
        sha256 = hashlib.sha256((out / name).read_bytes()).hexdigest()
        _seal(out, lambda c, name=name, sha256=sha256: c["files"].update({name: sha256}))
    said = _findings(out)
    assert f"{one}: carries metadata: APP1, comment" in said
    assert f"{two}: carries metadata: bytes after the picture" in said


def test_png_text_is_metadata(tmp_path):
    from PIL.PngImagePlugin import PngInfo

    from ksame.release.verify import _metadata

    info = PngInfo()
    info.add_text("Author", "somebody")
    picture = Image.fromarray(np.zeros((4, 4, 3), np.uint8))
    picture.save(tmp_path / "a.png", pnginfo=info)
    picture.save(tmp_path / "b.png")
    assert _metadata((tmp_path / "a.png").read_bytes()) == ["tEXt"]
    assert _metadata((tmp_path / "b.png").read_bytes()) == []
    assert _metadata(b"GIF89a") == ["neither JPEG nor PNG"]


@pytest.mark.parametrize("text", ["", "[]", '{"format": "other"}', "{"])
def test_a_broken_certificate_or_ledger(copy, text):
    out, ledger = copy
    ledger.write_text(text)
    assert ledger.name in _findings(out, ledger)
    (out / "certificate.json").write_text(text)
    assert "certificate.json" in _findings(out)


def test_it_runs_as_a_program_of_its_own_without_the_writer(copy):
    out, ledger = copy
    command = [sys.executable, "-m", "ksame.release.verify", str(out), str(ledger)]
    assert subprocess.run(command, check=False).returncode == 0
    (out / _first(out)[0]).unlink()
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "missing" in done.stdout
    code = (
        "import sys, ksame.release.verify_pixels, ksame.release.verify; "
        "print([m for m in sys.modules if m.startswith('ksame.')])"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert "pipeline" not in loaded.stdout
    assert "certificate" not in loaded.stdout

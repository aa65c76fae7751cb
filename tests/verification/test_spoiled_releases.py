"""``verify`` must fail, and say where, on every way to spoil a release."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from ksame.verification import verify


def _edit(path, change):
    value = json.loads(path.read_text(encoding="utf-8"))
    change(value)
    path.write_text(json.dumps(value), encoding="utf-8")


def _seal(out, change):
    """Change a certificate and give it a digest that fits: a forger's work."""

    def sealed(value):
        change(value)
        value["digest"] = _digest(value)

    _edit(out / "certificate.json", sealed)


def _digest(certificate):
    body = {name: value for name, value in certificate.items() if name != "digest"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


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
        replaced = [f for f in value["faces"] if f["group"] is not None]
        other = next(f for f in replaced if f["group"] != replaced[0]["group"])
        other["person"] = replaced[0]["person"]

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


@pytest.mark.parametrize("text", ["", "[]", '{"format": "other"}', "{"])
def test_a_broken_certificate_or_ledger(copy, text):
    out, ledger = copy
    ledger.write_text(text)
    assert ledger.name in _findings(out, ledger)
    (out / "certificate.json").write_text(text)
    assert "certificate.json" in _findings(out)


def test_it_runs_as_a_program_of_its_own_without_the_writer(copy):
    out, ledger = copy
    command = [sys.executable, "-m", "ksame.verification", str(out), str(ledger)]
    assert subprocess.run(command, check=False, timeout=120).returncode == 0
    (out / _first(out)[0]).unlink()
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "missing" in done.stdout
    done = subprocess.run(command[:3], check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert "usage" in done.stderr


def test_nothing_of_the_writer_is_loaded(copy):
    code = (
        "import sys; from ksame import verify; verify(*sys.argv[1:]); "
        "print(*(m for m in sys.modules if m.startswith('ksame.')))"
    )
    command = [sys.executable, "-c", code, *map(str, copy)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    loaded = done.stdout.split()
    assert "ksame.verification.pixels" in loaded
    others = {name.split(".")[1] for name in loaded} - {
        "verification",
        "arrays",
        "_version",
        "errors",
        "lazy",
    }
    assert not others


def test_the_function_has_the_name_that_the_documentation_gives(copy):
    import ksame

    assert ksame.verify(*map(str, copy)).holds

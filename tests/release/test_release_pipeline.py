"""The main job on synthetic people: what is released, what is told, and what is not."""

import json
import re
import shutil
import stat
import subprocess
import sys
from collections import defaultdict

import numpy as np
import pytest
from PIL import Image
from release_plans import strict_plan

from ksame.errors import GuaranteeError, InputError, NoGuaranteeWarning
from ksame.release import Plan, run
from ksame.verification import verify


def _json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_every_photo_is_released_and_every_claim_holds(made, album):
    verdict = verify(made.out, made.ledger)
    assert verdict.findings == ()
    assert len(verdict.checked) == 18
    photos = sorted(album.rglob("*.jpg"))
    assert len(made.certificate["files"]) == len(photos)
    assert made.complete


def test_k_counts_people_and_a_person_has_one_surrogate(made):
    ledger = _json(made.ledger)
    people, groups = defaultdict(set), defaultdict(set)
    for face in ledger["faces"]:
        people[face["group"]].add(face["person"])
        groups[face["person"]].add(face["group"])
    assert min(len(found) for found in people.values()) >= 3
    assert all(len(found) == 1 for found in groups.values())
    assert len(groups) == 6


def test_the_ledger_names_the_original_of_every_file(made, album):
    ledger = _json(made.ledger)
    assert sorted(ledger["files"].values()) == sorted(str(p) for p in album.rglob("*.jpg"))
    for face in ledger["faces"]:
        assert face["person"] in ledger["files"][face["file"]]


def test_the_ledger_is_private_and_the_rest_is_not(made):
    assert stat.S_IMODE(made.ledger.stat().st_mode) == 0o600
    assert stat.S_IMODE(made.out.stat().st_mode) == 0o755
    assert not made.out.with_name("out.work").exists()


def test_nothing_that_is_published_names_a_person_or_a_photo(made, album):
    published = "".join(
        (made.out / name).read_text(encoding="utf-8")
        for name in ("certificate.json", "report.html")
    )
    published += " ".join(p.name for p in made.out.iterdir())
    for path in album.rglob("*.jpg"):
        assert path.name not in published
        assert not re.search(rf"\b{re.escape(path.parent.name)}\b", published)
    ledger = _json(made.ledger)
    assert str(ledger["nonce"]) not in published


def test_certificate_links_no_photo_with_a_group(made):
    groups = made.certificate["groups"]
    assert all(set(group) == {"people", "faces", "surrogate"} for group in groups)
    assert [g["surrogate"] for g in groups] == sorted(g["surrogate"] for g in groups)
    assert sum(group["faces"] for group in groups) == made.certificate["faces"]


def test_names_are_neutral_shuffled_and_times_are_cleared(made):
    names = sorted(made.certificate["files"])
    assert names == [f"{i:06d}.jpg" for i in range(1, len(names) + 1)]
    ledger = _json(made.ledger)
    originals = [ledger["files"][name] for name in names]
    assert originals != sorted(originals)
    assert {(made.out / name).stat().st_mtime for name in names} == {315532800.0}


def test_released_faces_are_others_and_the_rest_of_the_photo_stays(made):
    ledger = _json(made.ledger)
    for face in ledger["faces"][:6]:
        with Image.open(ledger["files"][face["file"]]) as image:
            before = np.asarray(image.convert("RGB"), float)
        with Image.open(made.out / face["file"]) as image:
            after = np.asarray(image.convert("RGB"), float)
        x0, y0, x1, y1 = (max(int(v), 0) for v in face["box"])
        assert np.abs(before - after)[y0:y1, x0:x1].mean() > 5
        assert (np.abs(before - after).max(axis=2) < 12).mean() > 0.1


@pytest.mark.slow
def test_same_seed_same_bytes_other_seed_other_names(album, made, tmp_path):
    again = run(strict_plan(album, tmp_path / "b", jobs=2))
    other = run(strict_plan(album, tmp_path / "c", seed=8, jobs=2))
    assert again.certificate["files"] == made.certificate["files"]
    assert other.certificate["files"] != made.certificate["files"]
    assert again.certificate["seed_commitment"] != other.certificate["seed_commitment"]


def test_too_few_people_release_nothing(album, warm, tmp_path):
    with pytest.raises(GuaranteeError, match=r"k=4 .*needs at least 8 people; this set has 6"):
        run(strict_plan(album, warm(tmp_path / "out"), k=4))
    assert sorted(tmp_path.iterdir()) == []


def test_fewer_than_k_people(album, warm, tmp_path):
    few = tmp_path / "few"
    for folder in sorted(album.iterdir())[:2]:
        shutil.copytree(folder, few / folder.name)
    plan = strict_plan(few, warm(tmp_path / "out"), method="m")
    with pytest.raises(GuaranteeError, match="k=3 needs at least 3 people; this set has 2"):
        run(plan)
    assert not (tmp_path / "out").exists()


def test_a_second_run_of_the_same_job_changes_nothing(album, made):
    before = {p.name: p.stat().st_ino for p in made.out.iterdir()}
    again = run(strict_plan(album, made.out))
    assert again.certificate == made.certificate
    assert {p.name: p.stat().st_ino for p in made.out.iterdir()} == before
    with pytest.raises(InputError, match="holds another release"):
        run(strict_plan(album, made.out, k=4))


@pytest.mark.parametrize("method", ["pixelate", "potato"])
def test_ad_hoc_methods_warn_and_claim_nothing(method, album, tmp_path):
    plan = Plan((album,), tmp_path / "out", method=method, seed=1, jobs=1)
    with pytest.warns(NoGuaranteeWarning, match="no privacy guarantee"):
        release = run(plan)
    assert release.certificate["guarantee"] == "none"
    assert release.certificate["claims"] == []
    assert "no privacy guarantee" in (release.out / "report.html").read_text()
    assert verify(release.out, release.ledger).holds


@pytest.mark.slow
@pytest.mark.parametrize("method", ["m", "pixel", "eigen", "mdav"])
def test_the_other_methods(method, album, warm, tmp_path):
    out = warm(tmp_path / "out")
    plan = strict_plan(album, out, k=4, method=method)
    release = run(plan)
    assert verify(release.out, release.ledger).holds
    assert min(group["people"] for group in release.certificate["groups"]) >= 4


def test_natural_mode_carries_its_attack_rates(album, tmp_path):
    options = {"method": "furthest", "composite": "natural", "donors": "people"}
    plan = strict_plan(album, tmp_path / "out", **options)
    release = run(plan)
    attack = release.certificate["measured"]["attacks"][0]
    assert attack["recogniser"] == "sface"
    assert attack["rank1"]["trials"] == release.certificate["faces"]
    assert attack["rank1"]["low"] <= 1 / 3
    assert "the identity of every replaced face" in release.certificate["claims"][0]
    assert verify(release.out, release.ledger).holds


def _bytes(release):
    return {path.name: path.read_bytes() for path in release.out.iterdir()}


def test_two_releases_to_one_path_in_one_process_are_those_of_fresh_processes(album, tmp_path):
    """What one run made must never be taken for what another run asks for."""
    people = sorted(album.iterdir())
    shutil.copytree(album, tmp_path / "first")
    shutil.copytree(album, tmp_path / "second")
    # the same folders, but every photo now belongs to the next person
    photos = [sorted((tmp_path / "second" / p.name).iterdir())[0] for p in people]
    pixels = [photo.read_bytes() for photo in photos]
    for photo, data in zip(photos, [*pixels[1:], pixels[0]], strict=True):
        photo.write_bytes(data)
    out = tmp_path / "out"
    run(strict_plan(tmp_path / "first", out))
    shutil.rmtree(out)
    (tmp_path / "out.ledger.json").unlink()
    again = _bytes(run(strict_plan(tmp_path / "second", out)))
    fresh = tmp_path / "fresh"
    program = (
        "import sys; from ksame.release import Plan, run; "
        "run(Plan(sys.argv[1], sys.argv[2], k=3, composite='strict', persons='folder', seed=7, "
        "jobs=1))"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "second"), str(fresh)]
    subprocess.run(command, check=True, timeout=120)
    assert again == {path.name: path.read_bytes() for path in fresh.iterdir()}


def test_a_release_that_does_not_verify_never_appears(album, warm, tmp_path, monkeypatch):
    from ksame.release import publish
    from ksame.verification import Finding, Verdict

    def broken(folder, ledger, **options):
        return Verdict(("something",), (Finding("certificate.json", "is broken"),))

    monkeypatch.setattr("ksame.verification.verify", broken)
    with pytest.raises(GuaranteeError, match="does not pass its verification"):
        run(strict_plan(album, warm(tmp_path / "out")))
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "out.ledger.json").exists()
    assert publish.UNVERIFIED


def test_a_photo_that_does_not_verify_is_withheld_and_the_rest_is_released(
    album, warm, tmp_path, monkeypatch
):
    import ksame.verification as verification

    real, rejected = verification.verify, []

    def strict(folder, ledger=None, **options):
        verdict = real(folder, ledger, **options)
        if not rejected and verdict.holds:
            rejected.append(sorted(p.name for p in folder.glob("*.jpg"))[0])
            finding = verification.Finding(rejected[0], "shows what it should not")
            return verification.Verdict(verdict.checked, (finding,))
        return verdict

    monkeypatch.setattr(verification, "verify", strict)
    release = run(strict_plan(album, warm(tmp_path / "out")))
    assert [why for _, why in release.withheld] == ["the written photo did not pass verification"]
    assert not (release.out / rejected[0]).exists()
    assert real(release.out, release.ledger).holds

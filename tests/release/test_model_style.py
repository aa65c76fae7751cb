"""Releases by the face model: nobody's faces, from a list of numbers, and nothing else."""

import json
import shutil

import numpy as np
import pytest
from PIL import Image
from release_plans import strict_plan

from ksame.errors import GuaranteeError
from ksame.release import Plan, deidentify, run
from ksame.verification import verify
from ksame.verification.rendered import MOST_OPEN


@pytest.fixture(scope="module")
def natural(album, tmp_path_factory):
    """The default release of the small album; tests must not change it."""
    out = tmp_path_factory.mktemp("natural") / "out"
    return deidentify(str(album), str(out), k=3, persons="folder", seed=7, jobs=1)


def _ledger(release):
    return json.loads(release.ledger.read_text(encoding="utf-8"))


def test_the_default_is_nobody_in_natural_photos(natural):
    c = natural.certificate
    assert (c["method"], c["composite"], c["donors"]) == ("nobody", "natural", "model")
    assert min(group["people"] for group in c["groups"]) >= 3
    assert verify(natural.out, natural.ledger).findings == ()
    assert c["measured"]["attacks"][0]["rank1"]["trials"] == c["faces"]
    (told,) = (claim for claim in c["claims"] if "no pixel of any photo" in claim)
    # hair and hands in front of a face are the photo's own: saying less would claim too much
    assert "but what lies in front of it (hair, hands, hats)" in told
    assert "at most two fifths" in told
    assert MOST_OPEN == 2 / 5, "the verifier allows what the claim says"


def test_nobody_of_the_collection_lends_a_pixel(natural):
    assert all(
        group["donors"] == [] and group["head"] is None for group in _ledger(natural)["groups"]
    )


def test_the_ledger_lists_every_number_that_passed(natural):
    for face in _ledger(natural)["faces"]:
        numbers = face["numbers"]
        assert {"pose", "expression", "light", "outline", "blur", "grain"} <= numbers.keys()
        assert all(isinstance(value, int) for value in numbers["pose"])
    told = {tuple(group["code"]) for group in _ledger(natural)["groups"]}
    assert len(told) == len(natural.certificate["groups"])


def test_the_face_depends_on_the_photo_through_the_numbers_alone(natural, album):
    """Other pixels under the face, the same numbers: the same released face (an oracle by hand)."""
    from ksame.codecs.face import FaceModel
    from ksame.render import FaceNumbers, render

    ledger = _ledger(natural)
    face = ledger["faces"][0]
    code = next(g["code"] for g in ledger["groups"] if g["group"] == face["group"])
    with Image.open(natural.out / face["file"]) as image:
        released = np.asarray(image.convert("RGB")).astype(int)
    size = (released.shape[1], released.shape[0])
    numbers = FaceNumbers.from_json(face["numbers"])
    drawn = render(FaceModel.load(), np.array(code, np.float32), numbers, size)
    x0, y0, x1, y1 = drawn.box
    solid = drawn.alpha == 255
    if face["numbers"]["front"] is None:
        apart = np.abs(released[y0:y1, x0:x1] - drawn.colour.astype(int))[solid]
        assert apart.mean() < 4  # what JPEG changes


def test_same_seed_same_bytes_and_another_seed_draws_others(natural, album, tmp_path):
    options = {"k": 3, "persons": "folder", "jobs": 1}
    again = run(Plan(album, tmp_path / "a", seed=7, **options))
    other = run(Plan(album, tmp_path / "b", seed=8, **options))
    assert again.certificate["files"] == natural.certificate["files"]
    drawn = [{g["surrogate"] for g in r.certificate["groups"]} for r in (natural, other)]
    assert drawn[0] != drawn[1]


def test_a_small_collection_is_refused_and_may_be_widened_by_nobody(album, tmp_path):
    few = tmp_path / "few"
    for folder in sorted(album.iterdir())[:2]:
        shutil.copytree(folder, few / folder.name)
    options = {"k": 3, "persons": "folder", "seed": 1, "jobs": 1}
    with pytest.raises(GuaranteeError, match="reference='nobody' widens groups"):
        run(Plan(few, tmp_path / "out", **options))
    release = run(Plan(few, tmp_path / "out", reference="nobody", **options))
    assert release.certificate["people_not_shown"] == 1
    assert any("people who do not exist who are not" in c for c in release.certificate["claims"])
    assert verify(release.out, release.ledger).holds


@pytest.mark.parametrize("how", ["fill", "blackout"])
def test_a_face_without_a_person_is_hidden(album, tmp_path, how):
    """A second, smaller face in a photo of one named person is nobody's."""
    photos = tmp_path / "in"
    shutil.copytree(album, photos)
    one, two = (sorted(folder.iterdir())[0] for folder in sorted(photos.iterdir())[:2])
    with Image.open(one) as a, Image.open(two) as b:
        pair = Image.new("RGB", (a.width * 2, a.height), "grey")
        pair.paste(a.convert("RGB"), (0, 0))
        half = b.convert("RGB").resize((b.width // 2, b.height // 2))
        pair.paste(half, (a.width + a.width // 4, a.height // 4))
    pair.save(one.with_name("pair.png"))
    release = run(
        Plan(photos, tmp_path / "out", k=3, persons="folder", seed=1, jobs=1, on_failure=how)
    )
    assert release.certificate["hidden"] == 1
    hidden = [face for face in _ledger(release)["faces"] if face["hidden"]]
    x0, y0, x1, y1 = hidden[0]["hidden"]
    with Image.open(release.out / hidden[0]["file"]) as image:
        after = np.asarray(image.convert("RGB")).astype(float)[y0:y1, x0:x1]
    inner = after[len(after) // 3 : -len(after) // 3]
    assert inner.std() < (1 if how == "blackout" else 12)
    assert verify(release.out, release.ledger).holds


@pytest.mark.slow
@pytest.mark.parametrize("method", ["m", "furthest"])
def test_the_papers_methods_on_the_model(album, tmp_path, method):
    release = run(strict_plan(album, tmp_path / "out", method=method, composite="natural"))
    assert release.certificate["donors"] == "model"
    assert min(group["people"] for group in release.certificate["groups"]) >= 3
    assert verify(release.out, release.ledger).holds

"""The bench on releases: it must be able to fail, in both directions."""

import json

import numpy as np
import pytest

import ksame.attacks
from ksame.attacks import photos
from ksame.attacks.attacker import Attacker
from ksame.attacks.case import NoTrial, Trial
from ksame.attacks.glimpses import overlap
from ksame.attacks.inputs import from_ledger, from_names, from_pairs
from ksame.attacks.levels import Level
from ksame.attacks.looks import compare_images
from ksame.attacks.measure import Reference, impostors, measure, reference_of
from ksame.attacks.photo_case import PhotoCase
from ksame.attacks.photos import Gallery, Original, Probes, Released, gather
from ksame.attacks.plots import plot_attack, plot_verification
from ksame.attacks.rates import release_rates
from ksame.attacks.release import ON_PHOTOS, attack_release
from ksame.attacks.report import attack_table, write_table
from ksame.attacks.table import ATTACKS, find_attacks
from ksame.datasets.demo_people import demo_people
from ksame.errors import InputError
from ksame.recognition.crops import POINTS, SIDE
from ksame.vision import Face

PEOPLE = 24


class Oracle:
    """Fed the answer: the person is written into the first pixel of a crop."""

    name = "oracle"
    learns, dim = False, None

    def fit(self, training, persons=None):
        return self

    def describe(self, faces):
        return np.asarray(faces)[:, 0, 0, :1].astype(float)

    def distances(self, probes, gallery):
        return np.abs(probes - gallery.T)


class Guess(Oracle):
    """Knows nothing, but always has an opinion."""

    name = "guess"

    def distances(self, probes, gallery):
        return np.random.default_rng(3).random((len(probes), len(gallery)))


def world(photos_each=2, marks=None):
    """Crops that carry a number per person; the release shows the number in `marks`."""
    persons = np.repeat(np.arange(PEOPLE), photos_each)
    crops = np.zeros((len(persons), SIDE, SIDE, 3), np.uint8)
    crops[:, 0, 0, 0] = persons
    released = crops.copy()
    if marks is not None:
        released[:, 0, 0, 0] = np.asarray(marks)[persons]
    names = np.asarray([f"p{p:02d}" for p in persons])
    n = len(persons)
    gallery = Gallery(crops, names, tuple((None, i) for i in range(n)))
    none = (Level("none"),) * n
    probes = Probes(released, names, np.arange(n), ((),) * n, (None,) * n, none, hidden=0)
    return gallery, probes


def made(recogniser, attack, gallery, probes):
    return ATTACKS[attack].make(Attacker(recogniser, PhotoCase(gallery, probes)))


def fair(distance):
    """Unaltered strangers who are all at one distance from each other."""
    return (Reference(np.full(2000, distance), np.full(2000, distance)),)


def rate1(recogniser, attack, gallery, probes):
    found = made(recogniser, attack, gallery, probes)
    several = found if isinstance(found, tuple) else (found,)
    return measure("r", attack, several).cmc.rank1


@pytest.mark.parametrize("attack", ["naive", "reverse", "parrot", "intersection"])
def test_a_recogniser_that_is_fed_the_answer_scores_one(attack):
    assert rate1(Oracle(), attack, *world()).value == 1.0


@pytest.mark.parametrize("attack", ["naive", "reverse", "parrot", "intersection"])
def test_a_random_one_scores_chance(attack):
    found = rate1(Guess(), attack, *world(photos_each=9))
    assert found.low <= 1 / PEOPLE <= found.high


@pytest.mark.parametrize("attack", ["naive", "reverse", "parrot"])
@pytest.mark.parametrize("k", [2, 4, 8])
def test_shared_faces_are_recognised_at_one_in_k(attack, k):
    marks = np.arange(PEOPLE) // k * k
    found = rate1(Oracle(), attack, *world(marks=marks)).value
    # In reverse, some originals lie nearer to the face of another group: that can only lower it.
    assert found <= 1 / k + 1e-9
    assert attack == "reverse" or found == pytest.approx(1 / k, abs=0.02)


def test_attacks_that_cannot_be_made_say_why():
    gallery, probes = world(photos_each=1)
    for name in ("parrot", "auto-parrot", "enhance", "intersection", "informed"):
        found = made(Oracle(), name, gallery, probes)
        assert isinstance(found, NoTrial)
        assert not found
        assert found.reason
    with pytest.raises(InputError, match="'guessing' is not known"):
        find_attacks(["guessing"])
    assert set(ON_PHOTOS) == set(ATTACKS) - {"informed"}


def test_automatic_parrot_recovers_what_naive_loses():
    rng = np.random.default_rng(0)
    pattern = rng.integers(0, 255, (PEOPLE, 15, 15, 3)).repeat(16, 1).repeat(16, 2)
    fine = rng.integers(-60, 60, (PEOPLE, SIDE, SIDE, 3))
    crops = np.clip(pattern * 0.3 + fine + 90, 0, 255).astype(np.uint8)
    coarse = crops.reshape(PEOPLE, 15, 16, 15, 16, 3).mean((2, 4)).repeat(16, 1).repeat(16, 2)
    names = np.array([f"p{i:02d}" for i in range(PEOPLE)])
    gallery = Gallery(crops, names, tuple((None, i) for i in range(PEOPLE)))
    levels = (Level("pixelate", 16.0),) * PEOPLE
    nobody = ((),) * PEOPLE
    probes = Probes(
        np.rint(coarse).astype(np.uint8), names, np.arange(PEOPLE), nobody, nobody, levels, 0
    )

    class Rough(Oracle):
        """Looks at local contrast alone, so that an altered gallery matters."""

        def describe(self, faces):
            cells = np.asarray(faces, float).reshape(len(faces), 15, 16, 15, 16, 3)
            return np.concatenate([cells.std((2, 4)), cells.mean((2, 4)) / 60], 1).reshape(
                len(faces), -1
            )

        def distances(self, probes, gallery):
            return np.linalg.norm(probes[:, None] - gallery[None], axis=2)

    auto = made(Rough(), "auto-parrot", gallery, probes)
    assert "pixelate 16.0 px" in auto.note
    assert measure("r", "a", (auto,)).cmc.rank1.value == 1.0
    sharper = made(Rough(), "enhance", gallery, probes)
    assert "blocks of 16" in sharper.note


def test_donors_absorb_matches_until_they_are_taken_out():
    # Everyone's face is replaced by the next person's; that person is the donor.
    marks = (np.arange(PEOPLE) + 1) % PEOPLE
    gallery, probes = world(photos_each=1, marks=marks)
    donors = tuple((f"p{d:02d}",) for d in marks)
    trial = Trial(
        Oracle().distances(
            probes.crops[:, 0, 0, :1].astype(float), gallery.crops[:, 0, 0, :1].astype(float)
        ),
        gallery.persons,
        probes.persons,
        probes.source,
        donors,
    )
    found = measure("r", "naive", (trial,), fair(9.0), groups=list(range(PEOPLE)))
    assert found.cmc.rank1.value == 0.0
    assert found.without_donors.value > 0.4
    assert found.top_is_donor.value == 1.0
    assert found.single_donor.value == 0.0  # at a threshold of 9 several people are accepted
    close = measure("r", "naive", (trial,), fair(0.5), groups=list(range(PEOPLE)))
    assert close.single_donor.value == 1.0
    assert close.tar_01pct.value == 0.0
    assert close.open_1pct.value == 0.0


def test_whoever_turns_the_order_round_beats_swapped_faces():
    """Everybody shows the face of whoever is furthest: naive fails, its reversal does not."""
    marks = np.where(np.arange(PEOPLE) < PEOPLE // 2, 200, 0)
    gallery, probes = world(photos_each=1, marks=marks)
    assert rate1(Oracle(), "naive", gallery, probes).value == 0.0
    assert rate1(Oracle(), "furthest-original", gallery, probes).value == pytest.approx(
        2 / PEOPLE, abs=0.01
    )


class Shifted(Oracle):
    """Sees a few numbers of a face, as an embedding would."""

    name = "shifted"

    def describe(self, faces):
        return np.asarray(faces)[:, 0, :12].reshape(len(faces), -1).astype(float)

    def distances(self, probes, gallery):
        return np.linalg.norm(probes[:, None] - gallery[None], axis=2)


def test_a_linear_head_undoes_what_a_release_does_to_everybody_alike():
    gallery, probes = world(photos_each=3)
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 120, (PEOPLE, 12, 3))
    who = np.repeat(np.arange(PEOPLE), 3)
    gallery.crops[:, 0, :12] = codes[who]
    probes.crops[:, 0, :12] = 250 - codes[who][:, ::-1]  # turned round and inverted
    naive = rate1(Shifted(), "naive", gallery, probes).value
    head = rate1(Shifted(), "linear-head", gallery, probes).value
    assert naive < 0.3
    assert head > naive + 0.2


def test_a_recogniser_is_retrained_because_it_says_so():
    """Not because of its name; and the one that was passed stays as it was."""
    trained_on = []

    class Learner(Oracle):
        learns = True

        def fit(self, training, persons=None):
            trained_on.append(np.asarray(training)[:, 0, 0, 0].tolist())
            return self

    gallery, probes = world(marks=np.arange(PEOPLE)[::-1])
    attacker = Attacker(Learner(), PhotoCase(gallery, probes))
    for name in ("naive", "parrot", "reverse", "naive"):
        ATTACKS[name].make(attacker)
    originals, released = (side.crops[:, 0, 0, 0].tolist() for side in (gallery, probes))
    assert trained_on == [originals, released]
    for name in ("trained", "linear-head"):
        assert isinstance(ATTACKS[name].make(attacker), NoTrial)


def test_certificate_rates_are_those_of_the_naive_attack():
    """From features alone, of any length, with faces that were not found on one side."""
    rng = np.random.default_rng(0)
    persons = [f"p{i // 2}" for i in range(20)]
    before = rng.normal(size=(20, 7))
    after = before + 0.01 * rng.normal(size=(20, 7))
    before[3], after[4] = np.nan, np.nan

    class Euclid(Shifted):
        name = "euclid"

    found = release_rates(Euclid(), before, after, persons, groups=[0] * 20, donors=[["p0"]] * 20)
    assert (found.recogniser, found.attack, found.probes, found.people) == (
        "euclid",
        "naive",
        19,
        10,
    )
    # the row whose own original was not found can only be matched by chance
    assert found.rank1.value >= 18 / 19
    assert found.top_is_donor.value == pytest.approx(2 / 19, abs=0.06)
    assert release_rates(Euclid(), before[:2], after[:2], persons[:2]) is None
    with pytest.raises(InputError, match="one row per face"):
        release_rates(Euclid(), before[:2], after, persons)


def test_impostors_are_pairs_of_different_people():
    distances = np.arange(9.0).reshape(3, 3)
    persons = np.array(["a", "a", "b"])
    assert impostors(distances, persons).tolist() == [2.0, 5.0]
    assert reference_of(distances, persons).nearest.tolist() == [2.0, 5.0, 6.0]


def fake_faces(photo):
    """A detector that finds one face where the photo is bright."""
    if photo.max() < 10:
        return []
    return [Face(np.array([54.0, 19, 190, 216]), 1.0, POINTS.copy())]


def test_hidden_faces_are_placed_by_the_original(monkeypatch, tmp_path):
    monkeypatch.setattr(photos, "_faces", fake_faces)
    shown = np.full((SIDE, SIDE, 3), 200, np.uint8)
    pictures = {"a.png": shown, "b.png": shown, "a2.png": shown * 0, "none.png": shown * 0}
    gallery, probes = gather(
        [Original(tmp_path / "a.png", "a"), Original(tmp_path / "b.png", "b")],
        [
            Released(tmp_path / "a2.png", "a", tmp_path / "a.png"),
            Released(tmp_path / "none.png", "b"),
        ],
        read=lambda p: pictures[p.name],
    )
    assert (probes.hidden, probes.missed, gallery.missed) == (1, 1, 0)
    assert probes.persons.tolist() == ["a"]
    assert probes.source.tolist() == [0]
    assert overlap(np.array([0, 0, 2, 2.0]), np.array([1, 0, 3, 2.0])) == pytest.approx(1 / 3)


def test_attack_release_reports_everything_without_names(monkeypatch, tmp_path):
    monkeypatch.setattr(photos, "_faces", fake_faces)
    rng = np.random.default_rng(0)
    pictures = {
        f"p{i}_{j}.png": np.clip(rng.integers(60, 250, (SIDE, SIDE, 3)), 0, 255).astype(np.uint8)
        for i in range(8)
        for j in range(2)
    }
    for name, picture in pictures.items():
        picture[:40, :40] = 30 * int(name[1])
    originals = [(tmp_path / n, n.split("_")[0]) for n in pictures]
    release = [(p, person, None, p) for p, person in originals]
    result = attack_release(
        originals, release, [Oracle(), "eigenfaces"], k=4, read=lambda p: pictures[p.name]
    )
    found = result.as_dict()
    assert found["line"] == 0.25
    assert found["people"] == 8
    assert result.row("eigenfaces", "naive").cmc.rank1.value == 1.0
    assert result.row("oracle", "trained").people == 6
    assert "p0" not in json.dumps(found)
    assert "p0" not in repr(result)
    row = result.row("eigenfaces", "naive").as_dict()
    assert row["tar_01pct"]["rate"] == row["tar_10pct"]["rate"] == row["open_1pct"]["rate"] == 1.0
    assert row["equal_error"] < 0.3
    assert row["area"] > 0.7
    plot_attack(result, tmp_path / "cmc.png")
    plot_verification(result, tmp_path / "roc.png")
    assert (tmp_path / "cmc.png").stat().st_size > 5000
    assert (tmp_path / "roc.png").stat().st_size > 5000
    table = attack_table(result)
    assert len(table.rows) == len(result.rows) + len(result.baseline)
    cells = {row[:2]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    assert cells["eigenfaces", "naive"]["rank-1"] == "1.000"
    assert cells["eigenfaces", "naive"]["TAR 0.1%"] == "1.000"
    assert cells["eigenfaces", "parrot"]["TAR 0.1%"] == ""
    write_table(table, tmp_path, "attack")
    assert (tmp_path / "attack.csv").read_text() == table.csv()
    assert (tmp_path / "attack.tex").read_text() == table.latex()
    with pytest.raises(InputError, match="was not measured"):
        result.row("sface", "naive")


def touch(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"x")


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


STRANGER = """
import numpy as np

class Corner:
    name, learns, dim = "corner", False, 3

    def fit(self, training, persons=None):
        return self

    def describe(self, faces):
        return np.asarray(faces)[:, 0, 0].astype(float)

    def distances(self, probes, gallery):
        return np.linalg.norm(probes[:, None] - gallery[None], axis=2)
"""


def test_attack_from_python_takes_strings_and_finds_the_ledger(monkeypatch, tmp_path):
    monkeypatch.setattr(photos, "_faces", fake_faces)
    rng = np.random.default_rng(0)
    picture = {n: rng.integers(60, 250, (SIDE, SIDE, 3), np.uint8) for n in ("a.jpg", "b.jpg")}
    touch(tmp_path, "in/a.jpg", "in/b.jpg", "out/1.jpg", "out/2.jpg")
    picture |= {"1.jpg": picture["a.jpg"], "2.jpg": picture["b.jpg"]}
    monkeypatch.setattr("ksame.attacks.release.gather", _gather_from(picture))
    book = {
        "options": {"k": 2},
        "files": {"1.jpg": str(tmp_path / "in/a.jpg"), "2.jpg": str(tmp_path / "in/b.jpg")},
        "faces": [
            {"file": "1.jpg", "box": None, "person": "ann", "group": 0},
            {"file": "2.jpg", "box": None, "person": "bob", "group": 0},
        ],
    }
    (tmp_path / "out.ledger.json").write_text(json.dumps(book))
    (tmp_path / "stranger.py").write_text(STRANGER)
    monkeypatch.syspath_prepend(tmp_path)
    seen = []
    result = ksame.attacks.attack(
        str(tmp_path / "in"),
        tmp_path / "out",
        recognisers=["stranger:Corner"],
        attacks=["naive"],
        progress=lambda done, total: seen.append((done, total)),
    )
    assert (result.k, result.people, len(result.rows)) == (2, 2, 1)
    assert result.rows[0].recogniser == "corner"
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    with pytest.raises(InputError, match="exclude each other"):
        ksame.attacks.attack("in", "out", ledger="a", pairs="b")


def _gather_from(picture):
    """`gather`, reading from a dictionary."""
    return lambda originals, released, read, step, look=False: gather(
        originals, released, lambda path: picture[path.name], step, look=look
    )


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


@pytest.mark.slow
def test_what_a_release_keeps_is_measured_on_pairs():
    people = demo_people()
    photos_ = [people.image(i) for i in range(3)]
    same = compare_images(photos_, photos_)
    assert same.detected["yunet"].value == 1.0
    assert same.expression == pytest.approx(1.0)
    assert same.gaze == pytest.approx(1.0)
    assert same.landmarks == pytest.approx(0.0, abs=1e-9)
    assert same.pose == pytest.approx(0.0, abs=1e-4)
    assert (same.ssim, same.psnr) == (pytest.approx(1.0), 99.0)
    black = compare_images(photos_, [p * 0 for p in photos_])
    assert black.detected["yunet"].value == 0.0
    assert black.expression is None
    assert json.dumps(black.as_dict())

"""The bench on releases: it must be able to fail, in both directions."""

import numpy as np
import pytest
from small_worlds import Oracle

from ksame.attacks.attacker import Attacker
from ksame.attacks.case import NoTrial, Trial
from ksame.attacks.levels import Level
from ksame.attacks.measure import measure
from ksame.attacks.outcomes import Reference, impostors, reference_of
from ksame.attacks.photo_case import PhotoCase
from ksame.attacks.photos import Gallery, Probes
from ksame.attacks.rates import release_rates
from ksame.attacks.release import ON_PHOTOS
from ksame.attacks.table import ATTACKS, find_attacks
from ksame.errors import InputError
from ksame.recognition.crops import SIDE

PEOPLE = 24


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

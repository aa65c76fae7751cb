"""A group's face suits its people: sex, age and tone as they have on average."""

import numpy as np
import pytest

from ksame.codecs.face import FaceModel, Looks
from ksame.release.model_faces import Choice, looks_of
from ksame.release.share import Group
from ksame.release.styles.suiting import of_class
from ksame.vision.looks import PersonLooks


def person(female: float, age: float = 30.0, tone: float | None = 40.0) -> PersonLooks:
    sex = "female" if female > 0.65 else "male" if female < 0.35 else "unsure"
    return PersonLooks(sex, female, age, "young", tone)


@pytest.fixture
def choice() -> Choice:
    rows = np.random.default_rng(1).normal(size=(12, 128)).astype(np.float32)
    return Choice(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.arange(12))


@pytest.mark.parametrize(
    ("female", "sex"),
    [
        ([0.99] * 5, "female"),
        ([0.99] * 4 + [0.01], "female"),
        ([0.01] * 4 + [0.99], "male"),
        ([0.99] * 3 + [0.01] * 2, "unsure"),
        ([0.5] * 5, "unsure"),
    ],
)
def test_the_face_of_a_group_has_the_sex_of_most_or_suits_both(female, sex):
    assert looks_of([person(one) for one in female]).sex == sex


def test_age_and_tone_are_the_groups_middle_ones():
    looks = looks_of([person(0.9, 20, 50), person(0.9, 24, None), person(0.9, 60, 40)])
    assert looks.age == 24
    assert looks.tone == 45
    assert looks_of([person(0.9, tone=None)]).tone is None


@pytest.mark.parametrize("sex", ["female", "male", "unsure"])
def test_drawn_faces_are_read_as_what_was_asked_for(choice, sex):
    faces = FaceModel.load().faces
    rng = np.random.default_rng(2)
    for age in (25, 45):
        drawn = choice.draw(Looks(sex, age, 30), [0, 1, 2, 3, 4], rng)
        if sex != "male":
            assert faces.on_women[drawn] > 0.5
        if sex != "female":
            assert faces.on_men[drawn] < 0.5
        assert abs(faces.age[drawn] - age) < 12


def test_people_who_are_seen_together_get_different_faces(choice):
    looks, group = Looks("female", 30, 40), [0, 1, 2, 3, 4]
    worn: set[int] = set()
    for seed in range(6):
        face = choice.draw(looks, group, np.random.default_rng(seed), worn)
        assert face not in worn
        worn.add(face)


def test_a_face_serves_again_before_one_that_does_not_suit_is_taken(choice):
    looks, group = Looks("female", 30, 40), [0, 1, 2, 3, 4]
    drawn = [choice.draw(looks, group, np.random.default_rng(seed)) for seed in range(150)]
    faces = FaceModel.load().faces
    assert 20 < len(set(drawn)) < 150
    assert faces.on_women[drawn].min() > 0.4
    assert np.abs(faces.age[drawn] - 30).max() < 20


def test_a_face_costs_more_where_it_suits_less_and_most_where_it_is_alike(choice):
    faces = FaceModel.load().faces
    woman, man = int(np.argmax(faces.on_men)), int(np.argmin(faces.on_women))
    looks = [person(0.99, float(faces.age[woman]), float(faces.tone[woman]))]
    suits, not_at_all = choice.costs([0], looks, [woman, man])[0]
    assert suits < not_at_all
    alike = Choice(faces.embeddings["sface"][[woman]], np.array([0]))
    assert alike.costs([0], looks, [woman])[0, 0] > suits


def test_a_class_of_one_sex_that_was_asked_for_is_believed():
    """A network's guess about a person does not outvote the people file."""
    guessed = PersonLooks(sex="female", female=0.9, age=40.0, age_band="middle", tone=20.0)
    groups = [Group(("a", "b"), (), ("male", "smile")), Group(("c",), (), ("young",))]
    said = of_class(groups, {"a": guessed, "b": guessed, "c": guessed})
    assert set(said) == {"a", "b"}
    assert looks_of(list(said.values())).sex == "male"
    assert said["a"].age == guessed.age

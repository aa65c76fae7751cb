"""Draws: of the asked looks, distinct, repeatable, and unlike whom they shall not resemble."""

import numpy as np
import pytest

from ksame.codecs.face import Looks
from ksame.codecs.face.drawing import likeness
from ksame.errors import InputError


def number_of(model, code) -> int:
    return int(np.argmin(np.abs(model.faces.codes - code).sum(axis=1)))


def test_draws_repeat_with_their_seed_and_differ_without(model):
    once, again = (
        [model.draw(np.random.default_rng(5), Looks("female", 30, 20)) for _ in range(2)]
        for _ in range(2)
    )
    assert (once[0] == again[0]).all()
    rng = np.random.default_rng(5)
    drawn = {number_of(model, model.draw(rng, Looks())) for _ in range(40)}
    assert len(drawn) > 25


@pytest.mark.parametrize("sex", ["female", "male"])
@pytest.mark.parametrize("age", [25, 45, 70])
@pytest.mark.parametrize("tone", [45.0, 25.0])
def test_draws_have_the_asked_looks(model, sex, age, tone):
    rng = np.random.default_rng(1)
    for _ in range(10):
        row = number_of(model, model.draw(rng, Looks(sex, age, tone)))
        read = {"female": model.faces.on_women[row], "male": 1 - model.faces.on_men[row]}
        assert read[sex] > 0.5
        assert abs(model.faces.age[row] - age) < 15 + 0.4 * age
        assert abs(model.faces.tone[row] - tone) < 41


@pytest.mark.parametrize("tone", [55.0, 20.0, -15.0, -40.0])
def test_draws_have_the_asked_skin(model, tone):
    """Of dark skin and of children the pool has few faces, so that age gives way."""
    rng = np.random.default_rng(1)
    for _ in range(10):
        row = number_of(model, model.draw(rng, Looks("unsure", None, tone)))
        assert abs(model.faces.tone[row] - tone) < 41


@pytest.mark.parametrize("looks", [Looks("female", 25, 45), Looks("male", 30, 20)])
def test_plain_faces_are_drawn_before_flawed_ones(model, looks):
    """Much less likely than by looks alone; where nobody else has them, they are shown."""
    from dataclasses import replace

    pool = model.faces
    blind = replace(pool, flaws=np.zeros_like(pool.flaws))
    flawed = pool.flaws == 2
    assert 0 < pool.likely(looks)[flawed].sum() < 0.6 * blind.likely(looks)[flawed].sum()


def test_no_two_faces_are_one_person_to_the_recognisers(model):
    # without hair faces are more alike than people are; one person's two photos reach more still
    for name, most in (("sface", 0.74), ("dlib", -0.35)):
        alike = likeness(name, model.faces.embeddings[name], model.faces.embeddings[name])
        np.fill_diagonal(alike, -9)
        assert alike.max() < most


def test_a_face_that_resembles_someone_is_not_drawn(model):
    rng = np.random.default_rng(2)
    looks = Looks("male", 40, 10)
    barred = number_of(model, model.draw(rng, looks))
    someone = {"sface": model.faces.embeddings["sface"][barred]}
    drawn = {number_of(model, model.draw(rng, looks, someone)) for _ in range(60)}
    assert barred not in drawn
    assert len(drawn) > 1


def test_where_every_face_resembles_someone_the_least_alike_is_drawn(model):
    everyone = {"sface": model.faces.embeddings["sface"]}
    code = model.draw(np.random.default_rng(2), Looks("female"), everyone)
    assert model.faces.on_women[number_of(model, code)] > 0.5


def test_unknown_recognisers_are_refused(model):
    with pytest.raises(InputError, match="sface or dlib"):
        model.draw(np.random.default_rng(0), Looks(), {"other": np.zeros((1, 128))})


@pytest.mark.slow
def test_the_gender_network_sees_the_asked_sex(model, monkeypatch, repository):
    monkeypatch.syspath_prepend(str(repository))
    from tools.face_model.look import render

    from ksame.vision import find_faces, gender_age

    rng = np.random.default_rng(3)
    agree = []
    for turn in range(24):
        sex = ("female", "male")[turn % 2]
        rgb = render(model, model.draw(rng, Looks(sex, 35)), size=256, ground=128)
        looks = gender_age(rgb, find_faces(rgb, finest=320)[0])
        agree.append(bool(looks) and looks.gender == sex)
    assert np.mean(agree) > 0.9


@pytest.mark.slow
def test_the_pool_is_described_as_its_faces_are_drawn(model, monkeypatch, repository):
    """Whoever changes how faces are drawn must check anew that they are nobody's."""
    monkeypatch.syspath_prepend(str(repository))
    from tools.face_model.look import render

    from ksame.vision import embed_sface, find_faces

    pool = model.faces
    for number in range(7, len(pool.codes), 60):
        rgb = render(model, pool.codes[number], size=256, ground=128)
        seen = embed_sface(rgb, find_faces(rgb, finest=320, turned=False)[0])
        assert likeness("sface", seen[None], pool.embeddings["sface"][[number]]).item() > 0.99

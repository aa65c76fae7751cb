"""k-Same-M on a small model: groups by code, draws every face of a group from one code."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from ksame.codecs.aam import AamCodec, ActiveAppearanceModel, Fitting
from ksame.errors import GuaranteeError, InputError
from ksame.grouping import closest
from ksame.methods import KSameFurthest, KSameM, KSamePixel, KSameSelect
from ksame.metrics import check_k_anonymity

PEOPLE = 12


@pytest.fixture(scope="module")
def trained():
    """Random smooth faces, two images per person, and a model of all of them."""
    rng = np.random.default_rng(3)
    x, y = np.meshgrid(np.linspace(12, 52, 4), np.linspace(10, 56, 4))
    base = np.stack([x.ravel(), y.ravel()], axis=1)
    rows, columns = np.mgrid[:66, :64] / 64.0
    looks = np.stack([np.sin(7 * rows + i) * np.cos(5 * columns * (i + 1)) for i in range(5)])
    images, shapes, persons = [], [], []
    for person in range(PEOPLE):
        look, bend = rng.normal(0, 1, 4), rng.normal(0, 1.5, base.shape)
        for _ in range(2):
            values = 2.5 * looks[0] + np.tensordot(look + rng.normal(0, 0.2, 4), looks[1:], axes=1)
            image = np.clip(128 + 18 * values, 0, 255).astype(np.uint8)
            images.append(np.repeat(image[:, :, None], 3, axis=2))
            shapes.append(base + bend + rng.normal(0, 0.4, base.shape))
            persons.append(person)
    fitting = Fitting(
        sizes=(24,), shape_modes=(4,), appearance_modes=(6,), iterations=(10,), features="intensity"
    )
    model = ActiveAppearanceModel(size=40, fitting=fitting).fit(images, shapes)
    return model, AamCodec(model).rows(images, shapes), np.array(persons)


def test_every_face_of_a_group_is_drawn_from_the_mean_code(trained):
    model, X, persons = trained
    method = KSameM(3, model, random_state=0)
    released = method.fit_transform(X, persons)
    codes = AamCodec(model).encode(X)
    for label in np.unique(method.labels_):
        members = np.unique(persons[method.labels_ == label])
        assert len(members) >= 3
        mean = np.mean([codes[persons == person].mean(axis=0) for person in members], axis=0)
        face = AamCodec(model).decode(mean[None])[0]
        assert_allclose(released[method.labels_ == label][0], face, rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("grouping", ["closest", "mdav", closest])
def test_the_release_is_k_anonymous(trained, grouping):
    model, X, persons = trained
    released = KSameM(4, model, grouping, random_state=1).fit_transform(X, persons)
    assert check_k_anonymity(X, released, persons, 4)


def test_furthest_on_codes_is_never_recognised(trained):
    model, X, persons = trained
    codec = AamCodec(model)
    released = KSameFurthest(3, codec, random_state=0).fit_transform(X, persons)
    assert check_k_anonymity(X, released, persons, 3)
    apart = codec.encode(released)[:, None] - codec.encode(X)[None]
    nearest = np.linalg.norm(apart, axis=2).argmin(axis=1)
    assert (persons[nearest] != persons).all()


def test_select_works_inside_classes(trained):
    model, X, persons = trained
    classes = np.where(persons % 2, "a", "b")
    method = KSameSelect(KSameM(3, model, random_state=0))
    released = method.fit_transform(X, persons, classes)
    assert check_k_anonymity(X, released, persons, 3)
    for label in np.unique(method.labels_):
        assert len(set(classes[method.labels_ == label])) == 1


def test_codes_alone_need_no_model(trained):
    model, X, persons = trained
    codes = AamCodec(model).encode(X)
    by_code = KSameM(3, random_state=0).fit(codes, persons=persons)
    by_face = KSameM(3, model, random_state=0).fit(X, persons=persons)
    assert_array_equal(by_code.labels_, by_face.labels_)


def test_nothing_of_a_person_is_left_in_a_row(trained):
    """Pose and light of the originals change nothing in what is released."""
    model, X, persons = trained
    split = model.shape_.mean.size
    moved = X.copy()
    moved[:, :split] = 2.5 * moved[:, :split] + 7
    moved[:, split:] = 0.7 * moved[:, split:] + 20
    first, second = (KSameM(3, model, random_state=0).fit_transform(x, persons) for x in (X, moved))
    assert_allclose(first, second, rtol=1e-4, atol=0.02)


def test_a_clone_shares_the_trained_model(trained):
    model, _, _ = trained
    assert clone(KSameM(3, model)).model is model
    assert clone(KSameFurthest(3, AamCodec(model)), safe=False).codec.model is model


def test_pictures_of_released_rows(trained):
    model, X, persons = trained
    codec = AamCodec(model)
    released = KSameM(3, model, random_state=0).fit_transform(X, persons)
    picture = codec.picture(released[0])
    assert picture.dtype == np.uint8
    assert picture.shape[2] == 3
    assert not np.array_equal(picture, codec.picture(X[0]))


def test_rules_are_named(trained):
    model, X, persons = trained
    with pytest.raises(GuaranteeError, match="this set has 12"):
        KSameM(13, model).fit_transform(X, persons)
    with pytest.raises(InputError, match="face rows have shape"):
        KSameM(3, model).fit_transform(X[:, :-1], persons)
    with pytest.raises(InputError, match="not trained"):
        KSameM(3, ActiveAppearanceModel()).fit_transform(X, persons)


def test_it_differs_from_averaging_pixels(trained):
    """Same groups, same faces: the mean of codes is not the mean of rows."""
    model, X, persons = trained
    labels = {p: i // 3 for i, p in enumerate(range(PEOPLE))}

    def fixed(codes, k, generator):
        return np.array([labels[p] for p in range(len(codes))])

    ours = KSameM(3, model, fixed).fit_transform(X, persons)
    pixels = KSamePixel(3, fixed).fit_transform(X, persons)
    assert not np.allclose(ours, pixels, atol=0.5)

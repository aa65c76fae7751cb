"""The whole model: training, codes, pictures, starts."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ksame.codecs.aam import AamCodec, ActiveAppearanceModel, separate, start_from_some
from ksame.errors import InputError


def test_decoding_and_encoding_is_exact_inside_the_model(model):
    rng = np.random.default_rng(0)
    scale = np.concatenate(
        [model.weight_ * np.sqrt(model.shape_.variances), np.sqrt(model.appearance_.variances)]
    )
    codec = AamCodec(model)
    codes = rng.normal(0, scale, (8, model.code_size))
    rows = codec.decode(codes)
    assert_allclose(codec.encode(rows), codes, rtol=0, atol=1e-6 * np.linalg.norm(codes))
    assert_allclose(codec.decode(codec.encode(rows)), rows, rtol=1e-6, atol=1e-4)


def test_both_parts_of_a_code_have_the_same_variance(faces):
    full = ActiveAppearanceModel(size=32, shape_variance=1.0, texture_variance=1.0)
    full.fit(faces.images, faces.shapes)
    pairs = faces.images, faces.shapes
    codes = np.stack([full.project(*face).code for face in zip(*pairs, strict=True)])
    variance = codes.var(axis=0)
    shape, texture = variance[: len(full.shape_)].sum(), variance[len(full.shape_) :].sum()
    assert shape == pytest.approx(texture, rel=0.01)


def test_encode_finds_the_code_of_the_marked_points(model, unseen):
    for image, truth in zip(unseen.images, unseen.shapes, strict=True):
        marked = model.project(image, truth)
        found = model.encode(image, truth + np.array([3.0, -2.0]))
        assert found, found.reason
        assert np.linalg.norm(found.code - marked.code) < 0.15 * np.linalg.norm(marked.code)
        assert found.misfit < 2


def test_a_picture_drawn_into_its_own_image_hardly_changes_it(model, unseen):
    image, truth = unseen.images[0], unseen.shapes[0]
    fit = model.project(image, truth)
    drawn = model.render(fit.code, light=fit.light, canvas=image, pose=fit.pose)
    assert drawn.shape == image.shape
    assert np.abs(drawn.astype(float) - image).mean() < 3.0
    assert not np.array_equal(drawn, image)


@pytest.mark.parametrize("size", [40, 64, 200])
def test_pictures_come_at_any_resolution(model, size):
    picture = model.render(np.zeros(model.code_size), size)
    assert picture.dtype == np.uint8
    assert abs(max(picture.shape[:2]) - size) <= 6
    assert picture.any()


def test_grey_models(faces, small):
    grey = ActiveAppearanceModel(size=32, colour=False, fitting=small)
    grey.fit(faces.images, faces.shapes)
    fit = grey.project(faces.images[0], faces.shapes[0])
    assert grey.render(fit.code).ndim == 2
    assert grey.decode(fit.code).texture.shape[2] == 1


def test_images_are_read_once_and_one_at_a_time(faces, small, model):
    reads = []

    def reader(number):
        def read():
            reads.append(number)
            return faces.images[number]

        return read

    lazy = ActiveAppearanceModel(size=64, fitting=small)
    lazy.fit((reader(i) for i in range(len(faces.images))), faces.shapes)
    assert reads == list(range(len(faces.images)))
    assert_allclose(lazy.appearance_.mean, model.appearance_.mean)


@pytest.mark.parametrize(("images", "said"), [(3, "3 images for 4"), (5, "more images for 4")])
def test_images_and_shapes_must_pair(faces, small, images, said):
    with pytest.raises(InputError, match=said):
        ActiveAppearanceModel(size=32, fitting=small).fit(faces.images[:images], faces.shapes[:4])


def test_a_box_is_a_start(faces, unseen, small):
    def box(points):
        low, high = points.min(axis=0), points.max(axis=0)
        return [low[0] - 10, low[1] - 20, high[0] + 10, high[1] + 5]

    model = ActiveAppearanceModel(size=64, fitting=small)
    model.fit(faces.images, faces.shapes, [box(points) for points in faces.shapes])
    for image, truth in zip(unseen.images, unseen.shapes, strict=True):
        found = model.encode(image, box(truth))
        assert found, found.reason
        assert np.linalg.norm(found.shape - truth, axis=1).mean() < 0.3


def test_a_few_points_are_a_start(model, unseen):
    some = [0, 4, 22]
    begin = start_from_some(model.shape_, some, unseen.shapes[0][some])
    found = model.encode(unseen.images[0], begin)
    assert np.linalg.norm(found.shape - unseen.shapes[0], axis=1).mean() < 0.3


def test_a_failed_fit_is_a_value_that_says_why(model, unseen):
    lost = model.encode(unseen.images[0], unseen.shapes[0] + 500)
    assert not lost
    assert lost.code is None
    assert "outside the image" in lost.reason
    flat = model.project(np.full((150, 170, 3), 90, np.uint8), unseen.shapes[0])
    assert not flat
    assert flat.code is None
    assert "flat" in flat.reason


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (np.zeros((5, 2)), "25 points"),
        ([5, 5, 5, 9], "empty"),
        (np.full((25, 2), np.nan), "not finite"),
    ],
)
def test_wrong_starts_are_refused(model, unseen, start, said):
    with pytest.raises(InputError, match=said):
        model.encode(unseen.images[0], start)


def test_wrong_codes_and_images_are_refused(model):
    with pytest.raises(InputError, match="numbers"):
        model.decode(np.zeros(3))
    with pytest.raises(InputError, match="RGB"):
        model.sample(np.zeros((5, 5, 4)), np.zeros((25, 2)))
    with pytest.raises(InputError, match="too small"):
        ActiveAppearanceModel(size=4).fit([], np.random.default_rng(0).normal(0, 9, (3, 6, 2)))


def test_identity_and_dynamics_add_up():
    rng = np.random.default_rng(2)
    codes, persons = rng.normal(0, 1, (9, 4)), list("abcabcabb")
    split = separate(codes, persons)
    assert split.identity.shape == (3, 4)
    assert_allclose(split.combine(), codes)
    assert_allclose(split.combine(strength=0)[[0, 3, 6]], np.tile(codes[[0, 3, 6]].mean(0), (3, 1)))
    for person in range(3):
        assert_allclose(split.dynamics[split.index == person].sum(axis=0), 0, atol=1e-12)
    other = split.combine(np.zeros((3, 4)))
    assert_allclose(other, split.dynamics)
    assert repr(split) == "PersonCodes(people=3, images=9)"
    with pytest.raises(InputError, match="a row per person"):
        split.combine(np.zeros((2, 4)))
    with pytest.raises(InputError, match=r"\(n, d\)"):
        separate(codes, persons[:-1])


def test_a_model_that_has_learned_nothing_says_so():
    blank = ActiveAppearanceModel()
    for use in (
        lambda: blank.code_size,
        lambda: blank.decode(np.zeros(3)),
        lambda: blank.encode(np.zeros((9, 9, 3), np.uint8), [0, 0, 8, 8]),
    ):
        with pytest.raises(InputError, match="has learned nothing yet; call fit first"):
            use()
    assert repr(blank) == "ActiveAppearanceModel(size=128, colour=True; not fitted)"
    assert repr(copy.deepcopy(blank)) == repr(blank)


def test_a_fit_prints_no_numbers_of_the_face(model, unseen):
    found = model.encode(unseen.images[0], unseen.shapes[0])
    assert "array" not in repr(found)
    assert "converged=" in repr(found)

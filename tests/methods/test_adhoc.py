"""Ad hoc methods do what N and G describe, and say that they guarantee nothing."""

import numpy as np
import pytest

from ksame.errors import InputError, NoGuaranteeWarning
from ksame.methods import AD_HOC, conceal, conceal_box

pytestmark = pytest.mark.filterwarnings("ignore::ksame.errors.NoGuaranteeWarning")


@pytest.fixture
def grey():
    return np.random.default_rng(0).integers(1, 256, size=(5, 134, 99), dtype=np.uint8)


@pytest.fixture
def colour():
    return np.random.default_rng(1).integers(1, 256, size=(4, 60, 50, 3), dtype=np.uint8)


def test_all_of_the_papers_methods_are_there():
    wanted = "blackout average random-one bar t-mask mouth pixelate blur negative potato noise"
    assert {*wanted.split(), "ordinal", "threshold"} <= set(AD_HOC)
    assert {"mouth-bw", "negative-bw", "noise-bw"} <= set(AD_HOC)


@pytest.mark.parametrize("name", AD_HOC)
def test_every_method_keeps_shape_and_type_changes_faces_and_spares_its_input(name, grey, colour):
    for faces in (grey, colour, grey.astype(float)):
        before = faces.copy()
        altered = conceal(faces, name, random_state=0)
        assert altered.shape == faces.shape
        assert altered.dtype == faces.dtype
        assert (altered != faces).any(axis=tuple(range(1, faces.ndim))).all()
        np.testing.assert_array_equal(faces, before)


@pytest.mark.parametrize("name", AD_HOC)
def test_every_method_warns_that_there_is_no_guarantee(name, grey):
    with pytest.warns(NoGuaranteeWarning, match="no privacy guarantee"):
        conceal(grey, name, random_state=0)


@pytest.mark.parametrize("name", AD_HOC)
def test_a_box_inside_a_photo_is_altered_and_nothing_else(name, colour):
    photo = np.random.default_rng(2).integers(1, 256, size=(80, 70, 3), dtype=np.uint8)
    altered = conceal_box(photo, (10.4, 20.0, 40.0, 90.0), name, others=colour, random_state=0)
    outside = np.ones((80, 70), dtype=bool)
    outside[20:80, 10:40] = False
    np.testing.assert_array_equal(altered[outside], photo[outside])
    assert (altered != photo).any()


def test_masks_cover_what_they_say(grey):
    bar, tee, mouth = (conceal(grey, name) for name in ("bar", "t-mask", "mouth"))
    assert (bar[:, 48] == 0).all()
    assert (bar[:, 90] == grey[:, 90]).all()
    assert (tee[:, 48] == 0).all()
    assert (tee[:, 75, 49] == 0).all()
    assert (tee[:, 75, 5] == grey[:, 75, 5]).all()
    assert (mouth[:, :75] == 0).all()
    assert (mouth[:, 95] == grey[:, 95]).all()


def test_pixelation_is_the_mean_of_each_square(grey):
    altered = conceal(grey.astype(float), "pixelate", level=20)
    np.testing.assert_allclose(altered[0, 20:40, 40:60], grey[0, 20:40, 40:60].mean())
    np.testing.assert_allclose(altered[0, 120:, 80:], grey[0, 120:, 80:].mean())
    np.testing.assert_array_equal(conceal(grey, "pixelate", level=1), grey)


def test_blur_keeps_the_mean_and_lowers_the_variance(grey):
    altered = conceal(grey.astype(float), "blur", level=3)
    assert altered.mean() == pytest.approx(grey.mean(), rel=0.01)
    assert altered.std() < 0.2 * grey.std()


def test_negatives(grey):
    np.testing.assert_array_equal(conceal(grey, "negative"), 255 - grey)
    assert set(np.unique(conceal(grey, "negative-bw"))) == {0, 255}


def test_black_and_white_divides_at_newton_s_threshold(grey):
    """N 5.3: black and white techniques divide at 65."""
    made = conceal(grey, "negative-bw")
    assert np.array_equal(made == 0, grey >= 65)
    assert set(np.unique(made)) == {0, 255}


def test_average_is_one_face(grey):
    altered = conceal(grey.astype(float), "average")
    np.testing.assert_allclose(altered, np.repeat(grey.mean(axis=0)[None], 5, axis=0))


def test_random_one_changes_exactly_one_pixel(grey):
    altered = conceal(grey, "random-one", random_state=0)
    assert ((altered != grey).sum(axis=(1, 2)) == 1).all()
    assert (altered[altered != grey] == 0).all()


def test_noise_strikes_the_same_pixels_in_every_face(grey):
    altered = conceal(np.full_like(grey, 255), "noise-bw", level=0.3, random_state=0)
    struck = altered == 0
    assert (struck == struck[0]).all()
    assert struck[0].mean() == pytest.approx(0.3, abs=0.001)
    values = conceal(grey, "noise", level=0.3, random_state=0)
    assert ((values != grey).any(axis=0).mean()) == pytest.approx(0.3, abs=0.005)


def test_potato_takes_features_from_others(grey):
    flat = np.arange(5, dtype=float)[:, None, None].repeat(134, axis=1).repeat(99, axis=2)
    altered = conceal(flat, "potato", random_state=0)
    for face in range(5):
        assert altered[face, 48, 49] != face
        assert altered[face, 93, 49] != face
        assert altered[face, 3, 3] == face
    with pytest.raises(InputError, match="at least 2"):
        conceal(grey[:1], "potato")


def test_ordinal_and_threshold_have_few_values(grey, colour):
    assert len(np.unique(conceal(grey, "ordinal"))) == 5
    assert set(np.unique(conceal(colour, "threshold", level=65))) == {0, 255}


def test_same_seed_same_faces(grey):
    for name in ("noise", "random-one", "potato"):
        first, second = (conceal(grey, name, random_state=3) for _ in range(2))
        np.testing.assert_array_equal(first, second)


def test_bad_arguments_are_refused(grey):
    with pytest.raises(InputError, match="method='swirl'"):
        conceal(grey, "swirl")
    with pytest.raises(InputError, match="must be images"):
        conceal(np.zeros((3, 10)), "blur")
    with pytest.raises(InputError, match="level=-1"):
        conceal(grey, "blur", level=-1)
    with pytest.raises(InputError, match="must be equal"):
        conceal(grey, "average", others=np.zeros((2, 5, 5)))
    with pytest.raises(InputError, match="no pixel inside"):
        conceal_box(grey[0], (200, 0, 300, 50), "blur")

"""Trained attackers, code spaces and crops."""

import numpy as np
import pytest

from ksame.errors import InputError
from ksame.metrics.cmc import cmc
from ksame.recognition import CodeSpace, Eigenfaces, Recogniser, Trained, Viewed
from ksame.recognition.crops import POINTS, SIDE, crop, describe_once, inner_grey
from ksame.recognition.deep import as_crops
from ksame.recognition.named import RECOGNISERS, recognisers


def people(count, per_person, seed=0, nuisance=2.5):
    """Codes where an alteration moves everyone along the same few directions."""
    rng = np.random.default_rng(seed)
    identity = rng.standard_normal((count, 30))
    shift = np.random.default_rng(99).standard_normal((4, 30)) * nuisance
    codes = identity[:, None] + rng.standard_normal((count, per_person, 4)) @ shift
    codes += 0.1 * rng.standard_normal(codes.shape)
    return codes


def rank1(model, probes, gallery):
    d = model.distances(model.describe(probes), model.describe(gallery))
    return cmc(d, range(len(gallery)), range(len(probes))).rank1.value


def test_training_defeats_an_alteration_that_plain_distances_cannot():
    train, test = people(40, 4), people(60, 2, seed=1)
    plain = CodeSpace()
    trained = Trained(plain).fit(train.reshape(-1, 30), np.repeat(np.arange(40), 4))
    assert rank1(plain, test[:, 0], test[:, 1]) < 0.3
    assert rank1(trained, test[:, 0], test[:, 1]) > 0.9


def test_trained_attacker_needs_people():
    with pytest.raises(InputError, match="needs `persons`"):
        Trained(CodeSpace()).fit(np.eye(4))
    with pytest.raises(InputError, match="more than one face"):
        Trained(CodeSpace()).fit(np.eye(4), [1, 2, 3, 4])
    with pytest.raises(InputError, match="shrinkage"):
        Trained(CodeSpace(), shrinkage=0)


def test_view_is_applied_to_training_gallery_and_probe():
    faces = np.random.default_rng(0).random((10, 6, 6))
    viewed = Viewed(Eigenfaces(4), lambda f: f[:, :3]).fit(faces)
    direct = Eigenfaces(4).fit(faces[:, :3])
    np.testing.assert_array_equal(viewed.describe(faces), direct.describe(faces[:, :3]))
    assert isinstance(viewed, Recogniser)


def test_identical_faces_are_described_once_and_alike():
    calls = []
    faces = np.array([[1, 2], [3, 4], [1, 2]], dtype=np.uint8)
    known = {}
    for _ in range(2):
        out = describe_once(faces, lambda f: (calls.append(1), f * 2.0)[1], known)
        np.testing.assert_array_equal(out, faces * 2.0)
    assert len(calls) == 2


def test_crop_puts_the_points_where_the_frame_says():
    photo = np.zeros((300, 400, 3), dtype=np.uint8)
    points = POINTS * 0.8 + [60, 30]
    for x, y in np.rint(points).astype(int):
        photo[y - 2 : y + 3, x - 2 : x + 3] = 255
    out = crop(photo, points)
    assert out.shape == (SIDE, SIDE, 3)
    for x, y in np.rint(POINTS).astype(int):
        assert out[y, x].min() > 200
    assert crop(photo[..., 0], points).shape == (SIDE, SIDE, 3)


def test_views_check_their_input():
    assert inner_grey(np.zeros((2, SIDE, SIDE, 3), np.uint8)).shape == (2, 134, 99)
    with pytest.raises(InputError, match="is needed"):
        inner_grey(np.zeros((2, 9, 9, 3), np.uint8))
    with pytest.raises(InputError, match="deep recogniser"):
        as_crops(np.zeros((2, 9)))
    grey = as_crops(np.full((1, 60, 60), 99.6))
    assert grey.shape == (1, SIDE, SIDE, 3)
    assert (grey == 100).all()


def test_registry():
    assert [r.name for r in recognisers(list(RECOGNISERS))] == list(RECOGNISERS)
    with pytest.raises(InputError, match="'faceit' is not known"):
        recognisers(["faceit"])

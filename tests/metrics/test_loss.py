"""Losses, and the identities of the papers that build on them."""

import numpy as np
import pytest

from ksame.errors import InputError, NoGuaranteeWarning
from ksame.methods import KSamePixel, conceal
from ksame.metrics import (
    changed_pixels,
    entropy,
    euclid,
    is_effective,
    is_k_same,
    is_preserved,
    loss,
)


@pytest.fixture
def faces():
    """Registered faces share a common structure, as N and T assume."""
    rng = np.random.default_rng(0)
    return np.clip(
        130 + 40 * rng.normal(size=(1, 40, 30)) + 12 * rng.normal(size=(20, 40, 30)), 0, 255
    )


@pytest.fixture
def concealed(faces):
    with pytest.warns(NoGuaranteeWarning):
        return {
            name: conceal(faces, name, random_state=0)
            for name in ("average", "blackout", "random-one")
        }


def test_losses_are_zero_exactly_where_nothing_changes(faces):
    for metric in ("euclid", "changed-pixels", "entropy"):
        assert loss(faces, faces, metric) == 0
        assert loss(faces, 255 - faces[::-1], metric) > 0


def test_euclid_is_equation_2():
    assert euclid([[0.0, 0.0]], [[3.0, 4.0]]).tolist() == [5.0]
    assert euclid([[1e300, 0.0]], [[0.0, 1e300]])[0] == pytest.approx(2**0.5 * 1e300)


def test_changed_pixels_is_a_share():
    assert changed_pixels([[1.0, 2.0, 3.0, 4.0]], [[1.0, 2.0, 0.0, 0.0]]).tolist() == [0.5]


def test_entropy_is_what_the_release_leaves_open():
    original = np.array([[0.0, 255.0, 0.0, 255.0]])
    assert entropy(original, np.zeros((1, 4))).tolist() == [1.0]
    assert entropy(original, 255 - original).tolist() == [0.0]


def test_example_2_7_average_is_preserved_over_blackout(faces, concealed):
    """Both are effective at k = n; euclid(average) < euclid(blackout) for every face."""
    for name in ("average", "blackout"):
        assert is_effective(faces, concealed[name], None, len(faces))
    assert is_preserved(faces, concealed["average"], concealed["blackout"])
    assert is_k_same(faces, concealed["average"], None, len(faces), [concealed["blackout"]])
    assert not is_k_same(faces, concealed["blackout"], None, len(faces), [concealed["average"]])


def test_example_2_8_random_one_is_precise_and_not_effective(faces, concealed):
    altered = concealed["random-one"]
    assert (euclid(faces, altered) <= 255).all()
    assert is_preserved(faces, altered, concealed["average"])
    assert not is_effective(faces, altered, None, 2)
    assert not is_k_same(faces, altered, None, 2, [])
    assert is_k_same(faces, concealed["average"], None, 2, [altered])


def test_k_same_pixel_loses_less_than_the_average_over_the_set(faces, concealed):
    released = KSamePixel(k=2, random_state=0).fit_transform(faces)
    assert is_effective(faces, released, None, 2)
    assert loss(faces, released) < loss(faces, concealed["average"])


def test_k_same_pixel_is_not_preserved_over_the_mean():
    """T's remark, k = 2. 0 and 3 form a group, -9 and 7 are left: the mean of all is 0.25.

    0 lies at 0.25 from the mean of all and at 1.5 from the mean of its group.
    """
    X = np.array([[0.0], [3.0], [7.0], [-9.0]])
    seed = next(s for s in range(100) if np.random.default_rng(s).permutation(4)[0] == 0)
    released = KSamePixel(k=2, random_state=seed).fit_transform(X)
    assert released[:, 0].tolist() == [1.5, 1.5, -1.0, -1.0]
    mean = np.repeat(X.mean(axis=0)[None], 4, axis=0)
    assert not is_preserved(X, released, mean)
    assert euclid(X, released)[0] > euclid(X, mean)[0]
    assert loss(X, released) < loss(X, mean) + 1.5


def test_unknown_metrics_and_other_shapes_are_refused(faces):
    with pytest.raises(InputError, match="metric='l7'"):
        loss(faces, faces, "l7")
    with pytest.raises(InputError, match="metric='l7'"):
        is_preserved(faces, faces, faces, "l7")
    with pytest.raises(InputError, match="must be equal"):
        euclid(faces, faces[:3])

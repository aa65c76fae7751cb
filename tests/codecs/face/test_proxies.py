"""Proxy sets: faces of nobody that stand for a group."""

import numpy as np
import pytest

from ksame.codecs.face import FaceModel
from ksame.codecs.face.proxies import nearest_proxies, proxy_code
from ksame.errors import InputError


def test_the_nearest_are_found_by_their_direction():
    proxies = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.3], [-1.0, 0.0]])
    assert nearest_proxies([5.0, 0.1], proxies, 2).tolist() == [0, 2]
    assert nearest_proxies([0.0, 1.0], proxies, 1).tolist() == [1]
    assert proxy_code([[4.0, 0.0], [6.0, 0.0]], proxies, 2) == pytest.approx([2.0, 0.15])


def test_a_group_shares_one_face_that_is_nobody_of_it():
    pool = FaceModel.load().faces.codes
    rng = np.random.default_rng(0)
    group = rng.normal(size=(5, pool.shape[1]))
    face = proxy_code(group, pool, 5)
    assert np.array_equal(face, proxy_code(group[::-1], pool, 5))
    chosen = nearest_proxies(group.mean(axis=0), pool, 5)
    assert np.allclose(face, pool[chosen].mean(axis=0), atol=1e-6)
    # only the group's mean decides: a person may be another one with the same mean
    swapped = group.copy()
    swapped[0] += 3.0
    swapped[1] -= 3.0
    assert np.allclose(face, proxy_code(swapped, pool, 5), atol=1e-6)


def test_wrong_arguments():
    with pytest.raises(InputError, match="lower k"):
        nearest_proxies([1.0], [[1.0]], 2)
    with pytest.raises(InputError, match="are needed"):
        nearest_proxies([1.0, 2.0], [[1.0]], 1)

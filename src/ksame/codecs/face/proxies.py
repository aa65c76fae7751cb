"""Proxy sets: a group's face from people who do not exist, as k-Same-Net makes it.

k-Same-Net (Meden et al. 2018) mixes the identities of k people of a *proxy set*, who are nobody of
the collection, by a generative network. Here the proxy set is the model's pool of faces, and the
model itself draws the mix.
"""

import numpy as np
import numpy.typing as npt

from ksame.arrays import Indices
from ksame.codecs.face.codes import Codes, mean_code
from ksame.errors import InputError


def nearest_proxies(mean: npt.ArrayLike, proxies: npt.ArrayLike, k: int) -> Indices:
    """The k rows of ``proxies`` (n, c) whose deviations from the mean face are most like ``mean``.

    Likeness is the cosine between codes, which are deviations; of equal ones the first is taken.
    """
    wanted, faces = np.asarray(mean, np.float64), np.asarray(proxies, np.float64)
    if faces.ndim != 2 or wanted.shape != faces.shape[1:]:
        raise InputError(
            f"a mean of shape {wanted.shape} and proxies of shape {faces.shape}; (c,) and (n, c) "
            "are needed."
        )
    if not 1 <= k <= len(faces):
        raise InputError(f"k={k} proxies of {len(faces)}; lower k.")
    lengths = np.linalg.norm(faces, axis=1) * max(float(np.linalg.norm(wanted)), 1e-12)
    likeness = faces @ wanted / np.maximum(lengths, 1e-12)
    return np.argsort(-likeness, kind="stable")[:k].astype(np.intp)


def proxy_code(people: npt.ArrayLike, proxies: npt.ArrayLike, k: int) -> Codes:
    """The code of the face that a group shares: the mean of the k proxies nearest to its mean.

    Guarantee: it is a function of the group's mean code and of the pool alone, so that all people
    of the group share it.
    """
    chosen = nearest_proxies(mean_code(people), proxies, k)
    return mean_code(np.asarray(proxies)[chosen])

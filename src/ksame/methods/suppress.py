"""Eigenvector suppression, the rule hiding that N section 6 considers; ad hoc, no guarantee."""

import numpy as np

from ksame.arrays import Floats
from ksame.methods.filters import Settings
from ksame.pca import principal


def suppress_eigenvectors(faces: Floats, settings: Settings) -> Floats:
    """Take the leading principal components of a set out of its faces.

    The level says how many. A single face, or as many components as faces, leaves the mean alone.
    """
    shape = faces.shape
    everyone = faces if settings.others is None else np.concatenate([faces, settings.others])
    rows = everyone.reshape(len(everyone), -1)
    mean = rows.mean(axis=0)
    count = min(int(settings.level), len(rows))
    axes = principal(rows - mean).axes[:count]
    own = faces.reshape(len(faces), -1) - mean
    kept: Floats = np.clip(mean + own - (own @ axes.T) @ axes, 0.0, 255.0).reshape(shape)
    return kept

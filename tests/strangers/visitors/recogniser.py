"""A stranger's recogniser."""

import numpy as np


class Corner:
    """Compares one corner of the eye's height."""

    name, learns, dim = "visitor-corner", False, 300

    def fit(self, training, persons=None):
        return self

    def describe(self, faces):
        return np.asarray(faces, float)[:, 90:100, 84:94].reshape(len(faces), -1)

    def distances(self, probes, gallery):
        return np.linalg.norm(probes[:, None] - gallery[None], axis=2)

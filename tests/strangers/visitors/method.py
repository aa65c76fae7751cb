"""A stranger's method: a function of faces and of the numbers of their people."""

import numpy as np


def upside_down(faces, people):
    """Everybody, turned by half a circle."""
    return np.ascontiguousarray(faces[:, ::-1, ::-1])

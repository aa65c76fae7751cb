"""What tests of attacks share: a recogniser that is told the answer, and files by name."""

import numpy as np


class Oracle:
    """Fed the answer: the person is written into the first pixel of a crop."""

    name = "oracle"
    learns, dim = False, None

    def fit(self, training, persons=None):
        return self

    def describe(self, faces):
        return np.asarray(faces)[:, 0, 0, :1].astype(float)

    def distances(self, probes, gallery):
        return np.abs(probes - gallery.T)


def touch(folder, *names):
    """Make files of one byte, with their folders."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"x")

"""A stranger's grouping."""

import numpy as np


def lottery(codes, k, random_state):
    """Groups of k people each, whoever they are; the last one takes the rest."""
    order = random_state.permutation(len(codes))
    labels = np.empty(len(codes), dtype=np.int64)
    labels[order] = np.minimum(np.arange(len(codes)) // k, len(codes) // k - 1)
    return labels

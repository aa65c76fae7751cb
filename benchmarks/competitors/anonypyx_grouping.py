"""Runs in the environment of anonypyx: groups a matrix with its two algorithms.

python anonypyx_grouping.py CODES.npy K OUT.npz
"""

import sys
import time

import numpy as np
import pandas as pd
from anonypyx.microaggregation import MDAVGeneric, RandomChoiceAggregation


def main() -> None:
    """Group, take the time, and write labels and seconds."""
    source, k, target = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    frame = pd.DataFrame(np.load(source))
    found = {}
    for name, algorithm in (("closest", RandomChoiceAggregation), ("mdav", MDAVGeneric)):
        start = time.perf_counter()
        clusters = algorithm(frame, frame.columns).partition(k)
        found[f"{name}_seconds"] = time.perf_counter() - start
        labels = np.empty(len(frame), dtype=np.int64)
        for number, rows in enumerate(clusters):
            labels[np.asarray(rows)] = number
        found[name] = labels
    np.savez(target, **found)


if __name__ == "__main__":
    main()

"""Same seed, same release, whatever the number of threads."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
from hashlib import sha256
import numpy as np
from ksame.grouping import blocks
from ksame.grouping.fast import closest_fast
from ksame.methods import KSame, KSameEigen, KSameFurthest, KSamePixel
rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(size=(60, 700)), rng.integers(0, 2, size=(20, 700))]).repeat(2, 0)
persons = np.arange(160) // 2
for method in (KSamePixel(3, random_state=1), KSameEigen(3, 0.9, random_state=1),
               KSame(3, grouping="mdav", random_state=1), KSameFurthest(3, random_state=1)):
    print(sha256(method.fit_transform(X, persons).tobytes()).hexdigest())
Z = rng.normal(size=(6000, 40))
print(sha256(closest_fast(Z, 5, rng.permutation(6000)).tobytes()).hexdigest())
print(sha256(blocks(Z, 5, 2, block_size=1000).tobytes()).hexdigest())
"""


def _digests(threads):
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {**os.environ, **dict.fromkeys(names, str(threads))}
    said = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    return said.stdout.split()


@pytest.mark.slow
def test_threads_of_the_matrix_library_change_nothing():
    one, four = _digests(1), _digests(4)
    assert len(one) == 6
    assert one == four

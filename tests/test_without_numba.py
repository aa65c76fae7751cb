"""Everything works where numba is not installed, with the same results."""

import subprocess
import sys

import pytest

from ksame.compiled import has_numba

WORK = """
import hashlib
import sys

if "without" in sys.argv:
    sys.modules["numba"] = None  # as if it were not installed

import numpy as np

from ksame.codecs.aam import PiecewiseAffine, triangulate
from ksame.grouping import blocks, closest

rng = np.random.default_rng(0)
people = rng.normal(size=(1500, 30))
found = [closest(people, 4, random_state=1), blocks(people, 4, random_state=1, block_size=400)]
points = rng.uniform(2, 60, (30, 2))
mesh = PiecewiseAffine(points, triangulate(points), (64, 64))
image = rng.integers(0, 255, (64, 64, 3), dtype=np.uint8)
found += [mesh.warp(image, points * 0.9 + 1), mesh.gradient(mesh.sample(image, points))]
print(hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in found)).hexdigest())
print("numba.core" in sys.modules)
"""


def run(*arguments: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", WORK, *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    return done.stdout.split()


@pytest.mark.skipif(not has_numba(), reason="there is nothing to compare with")
def test_groups_and_warps_are_the_same_without_numba():
    with_it, used = run()
    without_it, unused = run("without")
    assert (used, unused) == ("True", "False")
    assert with_it == without_it

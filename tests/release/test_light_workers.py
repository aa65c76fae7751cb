"""What every worker of a release loads before its first photo: nothing that takes long to load."""

import subprocess
import sys

import pytest

_SLOW = ("scipy", "matplotlib", "sklearn", "pandas", "numba", "jinja2", "onnxruntime")
_SECONDS = 60  # a bound for a process that imports modules


@pytest.mark.parametrize("module", ["ksame.release.photos", "ksame.verification.photos"])
def test_a_worker_loads_nothing_slow(module):
    told = f"import sys, {module}; print(*sorted(set(sys.modules) & {set(_SLOW)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", told], capture_output=True, text=True, timeout=_SECONDS, check=True
    )
    assert done.stdout.split() == []

"""Whatever runs the networks tells nobody: it leaves no file of its own and sends nothing."""

import os
import subprocess
import sys

from ksame.weights.locate import home

_PROGRAM = """
import numpy as np
from ksame.weights.session import session

session("yunet").run(np.zeros((1, 3, 640, 640), np.float32), ())
"""


def test_running_a_network_leaves_no_trace_of_its_own(tmp_path):
    """ONNX Runtime's wheels report to their maker, and number the machine, unless told not to."""
    places = {name: tmp_path / name for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME")}
    for place in places.values():
        place.mkdir()
    given = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    given |= {"KSAME_HOME": str(home())} | {name: str(place) for name, place in places.items()}
    subprocess.run([sys.executable, "-c", _PROGRAM], env=given, check=True, timeout=120)
    assert [found for place in places.values() for found in place.rglob("*")] == []

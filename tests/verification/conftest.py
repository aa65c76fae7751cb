"""One release of synthetic people, and a forger who spoils copies of it and mends every digest."""

import hashlib
import json
import shutil
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ksame.datasets.demo_people import demo_people
from ksame.release import Plan, run

K = 3


def canonical(value):
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Forged:
    """A copy of a release and its ledger that may be changed."""

    out: Path
    ledger: Path

    def read(self):
        """Certificate and ledger."""
        return (
            json.loads((self.out / "certificate.json").read_text(encoding="utf-8")),
            json.loads(self.ledger.read_text(encoding="utf-8")),
        )

    def write(self, certificate, ledger, sealed=True):
        """Write both; if sealed, with every hash and digest as the writer would have it."""
        if sealed:
            for name in certificate["files"]:
                if (self.out / name).is_file():
                    data = (self.out / name).read_bytes()
                    certificate["files"][name] = hashlib.sha256(data).hexdigest()
            listed = {name: value for name, value in ledger.items() if name != "certificate"}
            certificate["ledger_commitment"] = canonical(listed)
            certificate.pop("digest")
            certificate["digest"] = ledger["certificate"] = canonical(certificate)
        (self.out / "certificate.json").write_text(json.dumps(certificate), encoding="utf-8")
        self.ledger.write_text(json.dumps(ledger), encoding="utf-8")

    def edit(self, change):
        """Let a function change certificate and ledger, and seal them."""
        certificate, ledger = self.read()
        change(certificate, ledger)
        self.write(certificate, ledger)

    def pixels(self, name):
        """A released photo and its original, as arrays that may be changed."""
        _, ledger = self.read()
        with Image.open(self.out / name) as new, Image.open(ledger["files"][name]) as old:
            return np.array(new.convert("RGB")), np.array(old.convert("RGB"))

    def repaint(self, name, rgb):
        """Put other pixels into a released photo, and seal."""
        Image.fromarray(rgb).save(self.out / name, quality=95)
        self.edit(lambda certificate, ledger: None)


def build_album(folder, people=6):
    """Two photos of each person, neutral and smiling; one shows a stranger besides."""
    demo = demo_people()
    paths = defaultdict(list)
    for path, person in zip(demo.paths, demo.persons, strict=True):
        paths[person].append(path)
    chosen = sorted(paths)[: people + 1]
    for person in chosen[:people]:
        (folder / person).mkdir(parents=True)
        for path in paths[person][:2]:
            shutil.copyfile(path, folder / person / path.name)
    with Image.open(paths[chosen[0]][0]) as near, Image.open(paths[chosen[-1]][0]) as far:
        pair = Image.new("RGB", (near.width * 2, near.height), "white")
        pair.paste(near, (0, 0))
        pair.paste(far.resize((far.width // 2, far.height // 2)), (near.width + 90, 90))
    pair.save(folder / chosen[0] / "pair.png")
    return folder


@pytest.fixture(scope="session")
def release(tmp_path_factory):
    """A finished release (k = 3, strict, furthest) with two looks; tests must not change it."""
    root = tmp_path_factory.mktemp("verified")
    album = build_album(root / "album")
    options = {"composite": "strict", "on_failure": "blackout", "persons": "folder"}
    return run(Plan(album, root / "out", k=K, seed=7, jobs=1, **options))


@pytest.fixture
def forged(release, tmp_path):
    out, ledger = tmp_path / "out", tmp_path / "out.ledger.json"
    shutil.copytree(release.out, out)
    shutil.copyfile(release.ledger, ledger)
    return Forged(out, ledger)


@pytest.fixture
def copy(forged):
    """The same as two paths."""
    return forged.out, forged.ledger


@pytest.fixture(scope="session")
def model_release(tmp_path_factory):
    """A finished release by the face model (k = 3), one stranger filled; not to be changed."""
    root = tmp_path_factory.mktemp("modelled")
    album = build_album(root / "album")
    return run(Plan(album, root / "out", k=K, seed=7, jobs=1, persons="folder"))


@pytest.fixture
def modelled(model_release, tmp_path):
    """A copy of it that may be changed."""
    out, ledger = tmp_path / "out", tmp_path / "out.ledger.json"
    shutil.copytree(model_release.out, out)
    shutil.copyfile(model_release.ledger, ledger)
    return Forged(out, ledger)

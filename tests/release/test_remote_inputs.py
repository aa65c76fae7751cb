"""Inputs at addresses: fetched once, released as if they lay here, and nothing of them left."""

from contextlib import suppress
from pathlib import Path

import fsspec
import pytest

from ksame.errors import InputError, MediaError
from ksame.release import Plan, deidentify
from ksame.release.remote import address_of, brought_here


@pytest.fixture
def bucket(album):
    """Photos of a few synthetic people in memory, where fsspec finds them."""
    memory = fsspec.filesystem("memory")
    memory.put(str(album), "/bucket/album", recursive=True)
    yield album
    memory.rm("/bucket", recursive=True)


def test_paths_and_addresses_are_told_apart(tmp_path):
    assert address_of(Path("s3://bucket/a")) == "s3://bucket/a"
    assert address_of(Path("file:///tmp/none of these")) == "file:///tmp/none of these"
    assert address_of(tmp_path) is None
    assert address_of(Path("photos/a:b")) is None
    assert address_of(Path("C:/photos")) is None


def test_a_release_of_fetched_photos_has_the_same_photos(bucket, tmp_path):
    options = {"k": 3, "persons": "folder", "seed": 3, "jobs": 1}
    there = deidentify("memory://bucket/album", tmp_path / "there", **options)
    here = deidentify(bucket, tmp_path / "here", **options)
    assert there.certificate["files"] == here.certificate["files"]
    assert there.certificate["groups"] == here.certificate["groups"]
    assert not (tmp_path / "there.fetched").exists()
    again = deidentify("memory://bucket/album", tmp_path / "there", **options)
    assert again.certificate == there.certificate


def test_only_what_changed_is_fetched_again(bucket, tmp_path):
    plan = Plan(("memory://bucket/album",), tmp_path / "out", 3)

    class Cut(Exception):
        pass

    def files():
        found: dict[Path, int] = {}
        with suppress(Cut), brought_here(plan) as near:
            found |= {p: p.stat().st_ino for p in near.inputs[0].rglob("*") if p.is_file()}
            raise Cut
        return found

    before = files()
    changed = sorted(before)[0]
    memory = fsspec.filesystem("memory")
    name = f"/bucket/album/{changed.parent.name}/{changed.name}"
    memory.pipe_file(name, b"other bytes")
    gone = sorted(before)[-1]
    memory.rm(f"/bucket/album/{gone.parent.name}/{gone.name}")
    after = files()
    assert after.keys() == before.keys() - {gone}
    assert changed.read_bytes() == b"other bytes"
    assert all(after[path] == before[path] for path in after if path != changed)


@pytest.mark.parametrize(
    ("inputs", "out", "said"),
    [
        ("memory://nothing/here", "out", "does not exist or is empty"),
        ("nonsense://x/y", "out", "cannot be opened"),
        (".", "s3://bucket/out", "OUT at s3:// cannot be used"),
    ],
)
def test_what_cannot_be_used_is_refused(tmp_path, monkeypatch, inputs, out, said):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=said):
        deidentify(inputs, out, k=2)
    assert list(tmp_path.iterdir()) == []


def test_names_cannot_leave_the_folder(bucket, tmp_path):
    memory = fsspec.filesystem("memory")
    memory.store["/bucket/album/../../up.jpg"] = memory.store[
        next(name for name in memory.store if name.startswith("/bucket/album"))
    ]
    try:
        with pytest.raises(InputError, match="no file's"):
            deidentify("memory://bucket/album", tmp_path / "out", k=2)
    finally:
        del memory.store["/bucket/album/../../up.jpg"]


def test_a_store_that_breaks_off_is_told(bucket, tmp_path, monkeypatch):
    memory = fsspec.filesystem("memory")

    def broken(*_, **__):
        raise RuntimeError("gone")

    monkeypatch.setattr(type(memory), "open", broken)
    with pytest.raises(MediaError, match="fetching from memory:// failed"):
        deidentify("memory://bucket/album", tmp_path / "out", k=2)

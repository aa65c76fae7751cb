"""Which files are found, and that files are written whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from ksame.errors import MediaError
from ksame.media import find_photos, write_atomically

JPEG = b"\xff\xd8\xff\xe0 and so on"


@pytest.fixture
def folder(tmp_path):
    for name in ("b.JPG", "a.png", "deep/er/c.webp", "deep/phone.heic", "deep/notes.txt", ".d.jpg"):
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    return tmp_path / "in"


def names(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


def test_folders_are_searched_in_a_fixed_order(folder):
    assert names(find_photos([folder])) == ["a.png", "b.JPG", "phone.heic", "c.webp"]


def test_files_without_a_suffix_count_by_their_first_bytes(folder):
    (folder / "IMG_1").write_bytes(JPEG)
    (folder / "IMG_2.bak").write_bytes(b"RIFF1234WEBP")
    (folder / "IMG_3").write_bytes(b"\0\0\0\x18ftypheic")
    (folder / "README").write_bytes(b"text")
    assert {"IMG_1", "IMG_2.bak", "IMG_3"} <= set(names(find_photos([folder])))
    assert "README" not in names(find_photos([folder]))


def test_a_named_file_is_always_found(folder):
    assert names(find_photos([folder / "deep/notes.txt"])) == ["notes.txt"]


def test_the_same_file_comes_once(folder):
    (folder / "link.jpg").symlink_to(folder / "a.png")
    os.link(folder / "b.JPG", folder / "zz.jpg")
    found = find_photos([folder / "b.JPG", folder, folder / "deep", folder / "deep/../b.JPG"])
    assert names(found) == ["b.JPG", "a.png", "phone.heic", "c.webp"]


def test_loops_of_links_end(folder):
    (folder / "deep/er/loop").symlink_to(folder)
    (folder / "self").symlink_to(folder / "self")
    assert names(find_photos([folder])) == ["a.png", "b.JPG", "phone.heic", "c.webp"]


def test_a_dangling_link_is_not_lost(folder):
    (folder / "gone.jpg").symlink_to(folder / "nowhere.jpg")
    assert "gone.jpg" in names(find_photos([folder]))


def test_names_in_any_script(tmp_path):
    for name in ("éva.jpg", "王.jpg", "مريم.png", "a b\n.jpg", "😀.jpg"):
        (tmp_path / name).write_bytes(JPEG)
    assert len(find_photos([tmp_path])) == 5


def test_a_missing_input_is_named(tmp_path):
    with pytest.raises(MediaError, match=r"nowhere does not exist"):
        find_photos([tmp_path / "nowhere"])


def test_many_files(tmp_path):
    for i in range(2000):
        (tmp_path / f"{i:05}.jpg").touch()
    assert len(find_photos([tmp_path])) == 2000


def test_an_unreadable_folder_is_named(folder, monkeypatch):
    def refuse(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(MediaError, match="Permission denied"):
        find_photos([folder])


def test_writing_replaces_and_leaves_nothing_else(tmp_path):
    write_atomically(tmp_path / "a", b"one")
    write_atomically(tmp_path / "a", b"two")
    assert (tmp_path / "a").read_bytes() == b"two"
    assert names(list(tmp_path.iterdir())) == ["a"]
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o666 & ~umask


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_no_half_one(tmp_path, monkeypatch, failing):
    write_atomically(tmp_path / "a", b"old")

    def full(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*((os, "fsync") if failing == "fsync" else (Path, "replace")), full)
    with pytest.raises(MediaError, match="No space left"):
        write_atomically(tmp_path / "a", b"new")
    monkeypatch.undo()
    assert (tmp_path / "a").read_bytes() == b"old"
    assert names(list(tmp_path.iterdir())) == ["a"]


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(MediaError, match="folder exists"):
        write_atomically(tmp_path / "no" / "a", b"x")

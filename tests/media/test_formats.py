"""Formats of one's own: asked where Pillow is not, and believed only if a picture comes out."""

from importlib.metadata import EntryPoint

import numpy as np
import pytest

from ksame import plugins
from ksame.errors import MediaError
from ksame.media import find_photos, formats, read_photo

PARTS = """
import numpy as np


class Arrays:
    suffixes = (".npy", ".PNG", ".Raw")

    def read(self, path):
        return np.load(path)
"""


@pytest.fixture(autouse=True)
def offered(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.mktemp("parts")
    (folder / "some_formats.py").write_text(PARTS)
    monkeypatch.syspath_prepend(folder)
    point = EntryPoint("arrays", "some_formats:Arrays", "ksame.formats")
    monkeypatch.setattr(
        plugins, "entry_points", lambda group: [point] if group == point.group else []
    )
    formats._offered.cache_clear()
    yield
    formats._offered.cache_clear()


def test_files_are_found_and_read(tmp_path):
    rgb = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)
    np.save(tmp_path / "a.npy", rgb)
    with (tmp_path / "b.RAW").open("wb") as file:
        np.save(file, rgb)
    (tmp_path / "notes.txt").write_text("no photo")
    found = find_photos([tmp_path])
    assert [path.name for path in found] == ["a.npy", "b.RAW"]
    for path in found:
        photo = read_photo(path)
        assert (photo.rgb == rgb).all()
        assert photo.rgb.flags.writeable
        assert photo.release_format == "png"


def test_what_pillow_reads_is_its_own(tmp_path, picture):
    from PIL import Image

    Image.fromarray(picture).save(tmp_path / "a.png")
    assert read_photo(tmp_path / "a.png").format == "png"


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.zeros((4, 5), np.uint8), "a photo is uint8 of shape"),
        (np.zeros((4, 5, 3)), "a photo is uint8 of shape"),
        (np.zeros((0, 5, 3), np.uint8), "a photo is uint8 of shape"),
        (np.zeros((40, 50, 3), np.uint8), "2000 pixels, at most 100"),
        (None, "cannot be read as arrays"),
    ],
)
def test_what_is_no_picture_is_refused(tmp_path, array, said):
    path = tmp_path / "a.npy"
    path.write_bytes(b"damaged") if array is None else np.save(path, array)
    with pytest.raises(MediaError, match=said):
        read_photo(path, max_pixels=100)

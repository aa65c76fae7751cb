"""What is written: the pixels, in quality enough, and nothing besides."""

import io

import numpy as np
import pytest
from PIL import Image, PngImagePlugin
from saving import saved

from ksame.errors import InputError
from ksame.media import encode_photo, read_photo, write_photo
from ksame.media.quality import estimate_quality


@pytest.mark.parametrize("quality", [30, 50, 75, 84, 92, 95, 100])
def test_quality_is_estimated_exactly_for_the_common_tables(picture, quality):
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "JPEG", quality=quality)
    assert estimate_quality(Image.open(buffer).quantization) == quality


def test_quality_of_no_table():
    assert estimate_quality({}) is None
    assert estimate_quality({0: [1, 2, 3]}) is None


@pytest.mark.parametrize("subsampling", ["4:4:4", "4:2:2", "4:2:0"])
@pytest.mark.parametrize(("given", "least"), [(80, 92), (97, 97), (None, 92)])
def test_jpeg_keeps_quality_and_subsampling(tmp_path, picture, subsampling, given, least):
    write_photo(tmp_path / "a.jpg", picture, "jpeg", given, subsampling)
    photo = read_photo(tmp_path / "a.jpg")
    assert photo.quality >= least
    assert photo.subsampling == subsampling


def test_png_is_lossless(tmp_path, picture):
    write_photo(tmp_path / "a.png", picture, "png")
    assert (read_photo(tmp_path / "a.png").rgb == picture).all()


@pytest.mark.parametrize("kind", ["jpeg", "png"])
def test_nothing_but_pixels_is_written(tmp_path, picture, kind):
    """Read a photo full of metadata, write it: no block of the file could hold any of it."""
    exif = Image.Exif()
    exif[0x010E], exif[0x8825] = "Jane at home", {1: "N", 2: (51.0, 30.0, 0.0)}
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", "Jane at home")
    options = {"pnginfo": text} if kind == "png" else {"comment": b"Jane", "xmp": b"<x>Jane</x>"}
    path = saved(tmp_path, Image.fromarray(picture), f"a.{kind}", exif=exif, **options)
    assert b"Jane" in path.read_bytes()
    write_photo(path, read_photo(path).rgb, kind)
    data = path.read_bytes()
    assert b"Jane" not in data
    assert _blocks(data) <= {0xE0, 0xDB, 0xC0, 0xC4, 0xDA, b"IHDR", b"IDAT", b"IEND"}
    with Image.open(path) as image:
        assert not image.getexif()
        assert set(image.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}


def _blocks(data: bytes) -> set[int | bytes]:
    """The kinds of blocks that a JPEG or PNG file consists of."""
    kinds: set[int | bytes] = set()
    if data[:2] == b"\xff\xd8":
        at = 2
        while data[at + 1] != 0xDA:
            kinds.add(data[at + 1])
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        return kinds | {0xDA}
    at = 8
    while at < len(data):
        kinds.add(data[at + 4 : at + 8])
        at += 12 + int.from_bytes(data[at : at + 4], "big")
    return kinds


def test_grey_arrays_are_written(tmp_path):
    grey = np.arange(64, dtype=np.uint8).reshape(8, 8)
    write_photo(tmp_path / "a.png", grey, "png")
    assert (read_photo(tmp_path / "a.png").rgb == grey[..., None]).all()


@pytest.mark.parametrize(
    ("pixels", "kind"),
    [
        (np.zeros((4, 4, 3)), "jpeg"),
        (np.zeros((0, 4, 3), np.uint8), "png"),
        (np.zeros((4, 4, 3), np.uint8), "tiff"),
        (np.zeros(4, np.uint8), "png"),
        (np.zeros((1, 65501, 3), np.uint8), "jpeg"),
    ],
)
def test_what_cannot_be_written(pixels, kind):
    with pytest.raises(InputError):
        encode_photo(pixels, kind)


def test_a_strip_too_wide_for_jpeg_is_released_as_png(tmp_path):
    strip = Image.fromarray(np.zeros((1, 66000, 3), np.uint8))
    photo = read_photo(saved(tmp_path, strip, "a.jp2"))
    assert photo.format == "jpeg2000"
    assert photo.release_format == "png"


def test_no_metadata_of_the_set_survives(exif_set, tmp_path):
    for path in sorted(exif_set.glob("*.jpg")):
        photo = read_photo(path)
        write_photo(tmp_path / path.name, photo.rgb, photo.release_format, photo.quality)
        assert _blocks((tmp_path / path.name).read_bytes()) <= {0xE0, 0xDB, 0xC0, 0xC4, 0xDA}
        with Image.open(tmp_path / path.name) as image:
            assert not image.getexif()
            assert not {"exif", "icc_profile", "comment", "xmp"} & set(image.info)

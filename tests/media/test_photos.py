"""Every kind of photo that people have, and every kind of broken one."""

import io
import os
import struct
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms, ImageOps, PngImagePlugin

from ksame.errors import InputError, MediaError
from ksame.media import encode_photo, read_photo, write_photo
from ksame.media.quality import estimate_quality


@pytest.fixture
def picture():
    """A picture with four different quarters: no turn or mirroring leaves it as it is."""
    pixels = np.full((40, 64, 3), 128, np.uint8)
    pixels[:20, :32] = (200, 40, 40)
    pixels[:20, 32:] = (40, 200, 40)
    pixels[20:, :32] = (40, 40, 200)
    return pixels


def saved(tmp_path: Path, image: Image.Image, name: str, **options) -> Path:
    path = tmp_path / name
    image.save(path, **options)
    return path


def test_reads_plain_photos(tmp_path, picture):
    photo = read_photo(saved(tmp_path, Image.fromarray(picture), "a.png"))
    assert (photo.rgb == picture).all()
    assert photo.format == photo.release_format == "png"
    assert photo.warnings == ()
    assert photo.rgb.flags.writeable
    assert photo.rgb.flags.c_contiguous


@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientation_is_applied(tmp_path, picture, orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    path = saved(tmp_path, Image.fromarray(picture), "a.png", exif=exif)
    with Image.open(path) as image:
        expected = np.asarray(ImageOps.exif_transpose(image))
    assert (read_photo(path).rgb == expected).all()


@pytest.mark.parametrize("orientation", [0, 9, 77])
def test_a_broken_orientation_is_told(tmp_path, picture, orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    photo = read_photo(saved(tmp_path, Image.fromarray(picture), "a.jpg", exif=exif))
    assert photo.rgb.shape == picture.shape
    assert "broken EXIF" in photo.warnings[0]


def test_broken_exif_block(tmp_path, picture):
    image = Image.fromarray(picture)
    path = saved(tmp_path, image, "a.jpg", exif=b"Exif\x00\x00II*\x00\xff\xff\xff\x7f junk")
    assert read_photo(path).rgb.shape == picture.shape


MODES = {
    "1": "a.png",
    "L": "a.jpg",
    "LA": "a.png",
    "P": "a.gif",
    "RGBA": "a.png",
    "CMYK": "a.jpg",
    "YCbCr": "a.jpg",
    "I;16": "a.png",
}


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_becomes_rgb(tmp_path, picture, mode):
    grey = np.asarray(Image.fromarray(picture).convert("L"))
    if mode == "I;16":
        image, expected = Image.fromarray(grey.astype(np.uint16) * 257), np.dstack([grey] * 3)
    else:
        image = Image.fromarray(picture).convert(mode)
        expected = np.asarray(image.convert("RGB"))
    photo = read_photo(saved(tmp_path, image, MODES[mode]))
    assert np.abs(photo.rgb.astype(int) - expected).mean() < 6
    told = {"P": "palette", "RGBA": "transparent", "LA": "transparent", "CMYK": "CMYK"}
    told["I;16"] = "16 bits"
    if mode in told:
        assert any(told[mode] in note and MODES[mode] in note for note in photo.warnings)
    else:
        assert photo.warnings == ()


def test_sixteen_bit_colour(tmp_path, picture):
    path = tmp_path / "deep.png"
    path.write_bytes(_deep_png(picture))
    photo = read_photo(path)
    assert np.abs(photo.rgb.astype(int) - picture).max() <= 1
    assert "16 bits" in photo.warnings[0]


def _deep_png(pixels):
    """A PNG of 16 bits per channel, which Pillow reads but does not write."""
    import zlib

    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    height, width = pixels.shape[:2]
    deep = (pixels.astype(np.uint16) * 257).astype(">u2")
    rows = b"".join(b"\x00" + row.tobytes() for row in deep)
    header = struct.pack(">IIBBBBB", width, height, 16, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def test_what_lies_under_transparency_is_not_read(tmp_path, picture):
    hidden = np.dstack([picture, np.zeros(picture.shape[:2], np.uint8)])
    photo = read_photo(saved(tmp_path, Image.fromarray(hidden), "a.png"))
    assert (photo.rgb == 255).all()


def test_palette_with_transparency(tmp_path, picture):
    image = Image.fromarray(picture).quantize(8)
    photo = read_photo(saved(tmp_path, image, "a.png", transparency=image.getpixel((0, 0))))
    assert (photo.rgb[0, 0] == 255).all()
    assert len(photo.warnings) == 2


def test_colour_profiles_are_applied(tmp_path, picture):
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("XYZ")).tobytes()
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    image = Image.fromarray(picture)
    same = read_photo(saved(tmp_path, image, "same.png", icc_profile=srgb))
    assert np.abs(same.rgb.astype(int) - picture).max() <= 1
    assert same.warnings == ()
    other = read_photo(saved(tmp_path, image, "other.png", icc_profile=profile))
    assert np.abs(other.rgb.astype(int) - picture).mean() > 2 or other.warnings
    broken = read_photo(saved(tmp_path, image, "broken.png", icc_profile=b"no profile"))
    assert (broken.rgb == picture).all()
    assert "profile" in broken.warnings[0]


def test_a_grey_profile_on_a_colour_photo_is_told(tmp_path, picture):
    lab = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()
    photo = read_photo(saved(tmp_path, Image.fromarray(picture), "a.jpg", icc_profile=lab))
    assert photo.rgb.shape == picture.shape


def test_numbers_without_a_white_are_refused(tmp_path):
    deep = Image.fromarray(np.linspace(0, 5, 200, dtype=np.float32).reshape(10, 20))
    with pytest.raises(MediaError, match=r"a\.tif .*16 bits"):
        read_photo(saved(tmp_path, deep, "a.tif"))


@pytest.mark.parametrize("name", ["a.gif", "a.webp", "a.png", "a.tif"])
def test_animations_are_refused(tmp_path, picture, name):
    frames = [Image.fromarray(np.roll(picture, 8 * i, axis=1)) for i in range(3)]
    path = saved(tmp_path, frames[0], name, save_all=True, append_images=frames[1:])
    with pytest.raises(MediaError, match=f"{name} .*3 pictures.*Convert"):
        read_photo(path)


def test_of_several_pictures_in_a_jpeg_the_first_is_kept(tmp_path, picture):
    second = Image.fromarray(picture[::-1].copy())
    path = saved(tmp_path, Image.fromarray(picture), "a.mpo", save_all=True, append_images=[second])
    photo = read_photo(path)
    assert np.abs(photo.rgb.astype(int) - picture).mean() < 6
    assert "2 pictures" in photo.warnings[0]
    assert photo.release_format == "jpeg"


def test_too_many_pixels(tmp_path, picture):
    path = saved(tmp_path, Image.fromarray(picture), "a.png")
    assert read_photo(path, max_pixels=40 * 64).rgb.shape == picture.shape
    with pytest.raises(MediaError, match=r"a\.png has 2560 pixels; at most 2559.*--max-pixels"):
        read_photo(path, max_pixels=40 * 64 - 1)


def test_a_header_that_claims_billions_of_pixels(tmp_path, picture):
    data = bytearray(_deep_png(picture))
    data[16:24] = struct.pack(">II", 2**31 - 1, 2**31 - 1)
    import zlib

    data[29:33] = struct.pack(">I", zlib.crc32(bytes(data[12:29])))
    path = tmp_path / "bomb.png"
    path.write_bytes(bytes(data))
    with pytest.raises(MediaError, match="--max-pixels"):
        read_photo(path)


@pytest.mark.parametrize("name", ["a.jpg", "a.png", "a.gif", "a.tif", "a.webp", "a.bmp"])
def test_truncated_files(tmp_path, picture, name):
    noise = np.random.default_rng(0).integers(0, 255, picture.shape).astype(np.uint8)
    path = saved(tmp_path, Image.fromarray(noise), name)
    data = path.read_bytes()
    for share in (0.01, 0.3, 0.6):
        path.write_bytes(data[: int(len(data) * share) + 1])
        with pytest.raises(MediaError, match=name):
            read_photo(path)


@pytest.mark.parametrize(
    ("content", "rule"),
    [(b"", "0 bytes"), (b"Dear all,\n", "not a photo"), (b"\x00" * 4096, "not a photo")],
)
def test_no_photos(tmp_path, content, rule):
    path = tmp_path / "letter.jpg"
    path.write_bytes(content)
    with pytest.raises(MediaError, match=f"letter.jpg .*{rule}"):
        read_photo(path)


def test_what_is_no_file(tmp_path):
    with pytest.raises(MediaError, match="cannot be read"):
        read_photo(tmp_path / "missing.jpg")
    with pytest.raises(MediaError, match="not a file"):
        read_photo(tmp_path)
    os.mkfifo(tmp_path / "pipe.jpg")
    with pytest.raises(MediaError, match="not a file"):
        read_photo(tmp_path / "pipe.jpg")


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), kind=st.sampled_from(["JPEG", "PNG", "WEBP", "GIF", "TIFF"]))
def test_mutated_files_are_read_or_refused(tmp_path, data, kind):
    """Whatever bytes are changed: a photo or a MediaError that names the file."""
    noise = np.random.default_rng(1).integers(0, 255, (24, 24, 3)).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(noise).save(buffer, kind)
    content = bytearray(buffer.getvalue())
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] = data.draw(st.integers(0, 255))
    path = tmp_path / "mutated"
    path.write_bytes(bytes(content))
    try:
        photo = read_photo(path, max_pixels=1_000_000)
    except MediaError as error:
        message = str(error)
    else:
        message = "mutated"
        assert photo.rgb.dtype == np.uint8
        assert photo.rgb.ndim == 3
    assert "mutated" in message


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


def test_reading_in_threads_keeps_the_callers_limit(tmp_path, picture):
    path = saved(tmp_path, Image.fromarray(picture), "a.png")
    before = Image.MAX_IMAGE_PIXELS
    threads = [threading.Thread(target=read_photo, args=(path,), daemon=True) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert before == Image.MAX_IMAGE_PIXELS


@pytest.fixture
def exif_set(data):
    return data / "exif"


def test_eight_portraits_are_upright(exif_set):
    """The set has one scene in all eight orientations; only a small label differs."""
    first = read_photo(exif_set / "Portrait_1.jpg").rgb.astype(int)
    for number in range(2, 9):
        other = read_photo(exif_set / f"Portrait_{number}.jpg").rgb
        assert other.shape == first.shape
        assert np.abs(other - first).mean() < 3


def test_no_metadata_of_the_set_survives(exif_set, tmp_path):
    for path in sorted(exif_set.glob("*.jpg")):
        photo = read_photo(path)
        write_photo(tmp_path / path.name, photo.rgb, photo.release_format, photo.quality)
        assert _blocks((tmp_path / path.name).read_bytes()) <= {0xE0, 0xDB, 0xC0, 0xC4, 0xDA}
        with Image.open(tmp_path / path.name) as image:
            assert not image.getexif()
            assert not {"exif", "icc_profile", "comment", "xmp"} & set(image.info)


def test_pixels_that_need_not_be_writeable_are_the_same(tmp_path, picture):
    path = saved(tmp_path, Image.fromarray(picture), "a.png")
    assert (read_photo(path, writeable=False).rgb == read_photo(path).rgb).all()

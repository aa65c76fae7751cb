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
from PIL import Image, ImageCms, ImageOps
from saving import saved

from ksame.errors import MediaError
from ksame.media import read_photo


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


def test_a_phones_photo_is_upright_and_carries_nothing(picture):
    """Turned in its own way; what EXIF says of that a second time does not turn it once more."""
    path = Path(__file__).with_name("turned.heic")
    assert b"irot" in path.read_bytes()
    assert b"Phone" in path.read_bytes()
    photo = read_photo(path)
    assert np.abs(photo.rgb.astype(int) - np.rot90(picture, -1)).mean() < 2
    assert photo.release_format == "jpeg"
    assert not photo.warnings
    with pytest.raises(MediaError, match=r"turned\.heic has 2560 pixels"):
        read_photo(path, max_pixels=2559)


def test_of_several_pictures_of_a_phone_the_main_one_is_kept(picture):
    photo = read_photo(Path(__file__).with_name("two_pictures.heic"))
    assert np.abs(photo.rgb.astype(int) - picture).mean() < 6
    assert "2 pictures" in photo.warnings[0]


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.95])
def test_damaged_photos_of_a_phone_are_refused(tmp_path, share):
    content = Path(__file__).with_name("turned.heic").read_bytes()
    path = tmp_path / "cut.heic"
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(MediaError, match=r"cut\.heic"):
        read_photo(path)


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
@given(data=st.data(), kind=st.sampled_from(["JPEG", "PNG", "WEBP", "GIF", "TIFF", "HEIF"]))
def test_mutated_files_are_read_or_refused(tmp_path, data, kind):
    """Whatever bytes are changed: a photo or a MediaError that names the file."""
    if kind == "HEIF":  # Pillow reads it alone
        content = bytearray(Path(__file__).with_name("turned.heic").read_bytes())
    else:
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


def test_eight_portraits_are_upright(exif_set):
    """The set has one scene in all eight orientations; only a small label differs."""
    first = read_photo(exif_set / "Portrait_1.jpg").rgb.astype(int)
    for number in range(2, 9):
        other = read_photo(exif_set / f"Portrait_{number}.jpg").rgb
        assert other.shape == first.shape
        assert np.abs(other - first).mean() < 3


def test_pixels_that_need_not_be_writeable_are_the_same(tmp_path, picture):
    path = saved(tmp_path, Image.fromarray(picture), "a.png")
    assert (read_photo(path, writeable=False).rgb == read_photo(path).rgb).all()

"""Whatever a picture file carries besides its picture is found, wherever it hides."""

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from ksame.verification.metadata import metadata


def picture():
    return Image.fromarray(np.random.default_rng(0).integers(0, 256, (40, 56, 3), np.uint8))


def saved(kind, image=None, **options):
    buffer = io.BytesIO()
    (image or picture()).save(buffer, kind, **options)
    return buffer.getvalue()


JPEG, PNG = saved("JPEG"), saved("PNG")


@pytest.mark.parametrize(
    "data",
    [
        JPEG,
        saved("JPEG", progressive=True),
        saved("JPEG", quality=100, subsampling="4:4:4", optimize=True),
        saved("JPEG", restart_marker_blocks=2),
        saved("JPEG", picture().convert("L")),
        PNG,
        saved("PNG", picture().convert("L")),
        saved("PNG", picture().convert("RGBA")),
        saved("PNG", picture().convert("P")),
        saved("PNG", picture().convert("1")),
    ],
)
def test_plain_pictures_carry_nothing(data):
    assert metadata(data) == []


def segment(marker, body):
    return b"\xff" + bytes([marker]) + (len(body) + 2).to_bytes(2, "big") + body


def after_first_scan(data):
    """The place between two scans of a progressive JPEG."""
    at = data.index(b"\xff\xda") + 2
    while not (data[at] == 0xFF and data[at + 1] not in (0, *range(0xD0, 0xD8))):
        at += 1
    return at


def exif():
    found = Image.Exif()
    found[0x010E] = "somebody"
    return found


PROGRESSIVE = saved("JPEG", progressive=True)
BETWEEN = after_first_scan(PROGRESSIVE)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (saved("JPEG", exif=exif()), ["APP1"]),
        (saved("JPEG", comment=b"somebody"), ["comment"]),
        (saved("JPEG", icc_profile=b"profile" * 9), ["APP2"]),
        (JPEG + b"tail", ["bytes after the picture"]),
        (JPEG + JPEG, ["bytes after the picture"]),
        (
            PROGRESSIVE[:BETWEEN] + segment(0xFE, b"somebody") + PROGRESSIVE[BETWEEN:],
            ["comment"],
        ),
        (JPEG[:2] + b"\xff\xff" + segment(0xE1, b"Exif\0\0...") + JPEG[2:], ["padding", "APP1"]),
        (JPEG[:2] + segment(0xE0, b"JFIF\0" + bytes(40)) + JPEG[2:], ["APP0"]),
        (JPEG[:2] + segment(0xDD, b"\0\0hidden") + JPEG[2:], ["bytes in a table"]),
        (JPEG[:2] + segment(0xF7, b"hidden") + JPEG[2:], ["segment F7"]),
        (JPEG[:-2], ["a broken end"]),
        (JPEG[:300], ["a broken segment"]),
        (b"\xff\xd8", ["a broken end"]),
        (b"\xff\xd8\xff\xd9", ["0 pictures"]),
        (b"GIF89a", ["neither JPEG nor PNG"]),
        (b"", ["neither JPEG nor PNG"]),
    ],
)
def test_what_a_jpeg_carries(data, found):
    assert metadata(data) == found


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def chunks(data):
    at = 8
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        yield data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        at += 12 + size


def rebuilt(change):
    return PNG[:8] + b"".join(chunk(kind, change(kind, body)) for kind, body in chunks(PNG))


def with_text():
    info = PngInfo()
    info.add_text("Author", "somebody")
    return saved("PNG", pnginfo=info)


def more_rows(kind, body):
    return zlib.compress(zlib.decompress(body) + b"hidden") if kind == b"IDAT" else body


def after_stream(kind, body):
    return body + b"hidden" if kind == b"IDAT" else body


def in_the_end(kind, body):
    return b"hidden" if kind == b"IEND" else body


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (with_text(), ["tEXt"]),
        (PNG + b"tail", ["bytes after the picture"]),
        (PNG[:-12] + chunk(b"eXIf", b"...") + PNG[-12:], ["eXIf"]),
        (rebuilt(more_rows), ["bytes behind the pixels"]),
        (rebuilt(after_stream), ["bytes behind the pixels"]),
        (rebuilt(in_the_end), ["bytes in a chunk"]),
        (PNG[:-1], ["a broken chunk"]),
        (PNG[:40], ["a broken chunk"]),
        (PNG[:8], ["a broken chunk"]),
        (PNG[:8] + chunk(b"IEND", b""), ["bytes behind the pixels"]),
    ],
)
def test_what_a_png_carries(data, found):
    assert metadata(data) == found


def test_a_bomb_is_not_unpacked():
    bomb = zlib.compress(bytes(50_000_000))
    small = rebuilt(lambda kind, body: bomb if kind == b"IDAT" else body)
    assert metadata(small) == ["bytes behind the pixels"]

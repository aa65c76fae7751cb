"""What a picture file holds besides its picture; parsed here to the last byte."""

from ksame.verification.jpeg import jpeg_extras
from ksame.verification.png import png_extras


def metadata(data: bytes) -> list[str]:
    """Names of what a JPEG or PNG holds besides its picture; empty if there is nothing."""
    if data.startswith(b"\xff\xd8"):
        return jpeg_extras(data)
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return png_extras(data)
    return ["neither JPEG nor PNG"]

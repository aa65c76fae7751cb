"""Photos in and out of files, without their metadata."""

from ksame.media.files import find_photos, write_atomically
from ksame.media.photos import SUFFIXES, Photo, decode_photo, encode_photo, read_photo, write_photo

__all__ = [
    "SUFFIXES",
    "Photo",
    "decode_photo",
    "encode_photo",
    "find_photos",
    "read_photo",
    "write_atomically",
    "write_photo",
]

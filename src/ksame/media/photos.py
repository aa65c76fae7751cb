"""Photos in and out: upright sRGB pixels, and files that hold nothing but pixels."""

import io
import os
import threading
import warnings
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, JpegImagePlugin

from ksame.arrays import Image as Pixels
from ksame.errors import InputError, MediaError
from ksame.media.colour import bits_per_channel, to_rgb
from ksame.media.files import check_file, write_atomically
from ksame.media.formats import is_offered, read_offered
from ksame.media.quality import estimate_quality

MAX_PIXELS = 100_000_000
LEAST_QUALITY = 92
SUFFIXES = {"jpeg": ".jpg", "png": ".png"}

_FORMATS = ("JPEG", "PNG", "TIFF", "WEBP", "BMP", "DIB", "GIF", "PPM", "AVIF", "JPEG2000", "HEIF")
_USUAL = _FORMATS[:2]  # the modules of all others take longer to load than such a photo
_LOSSY = {"jpeg", "mpo", "webp", "avif", "jpeg2000", "heif"}
_ORIENTATION = 0x0112
_JPEG_SIDE = 65500  # what libjpeg writes
_SUBSAMPLINGS = {0: "4:4:4", 1: "4:2:2", 2: "4:2:0"}
_SAMPLING_FACTORS = {
    "4:4:4": cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444,
    "4:2:2": cv2.IMWRITE_JPEG_SAMPLING_FACTOR_422,
    "4:2:0": cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420,
}
_opening = threading.Lock()


@dataclass(frozen=True)
class Photo:
    """A photo as it was read.

    Attributes
    ----------
    rgb : (h, w, 3) uint8 array
        Upright, sRGB, without transparency.
    format : str
        Of the file: ``jpeg png tiff webp bmp gif ppm ...``, or ``own`` (`ksame.media.formats`).
    quality : int or None
        JPEG quality estimated from its quantisation table.
    subsampling : str or None
        Chroma subsampling of a JPEG: ``4:4:4``, ``4:2:2`` or ``4:2:0``.
    warnings : tuple of str
        What was changed on the way in; each names the file, the rule and the remedy.
    """

    rgb: Pixels = field(repr=False)
    format: str
    quality: int | None = None
    subsampling: str | None = None
    warnings: tuple[str, ...] = ()

    @property
    def release_format(self) -> str:
        """``jpeg`` where the file was compressed with loss and fits into one, else ``png``."""
        fits = max(self.rgb.shape[:2]) <= _JPEG_SIDE
        return "jpeg" if self.format in _LOSSY and fits else "png"


def read_photo(
    path: str | os.PathLike[str], max_pixels: int = MAX_PIXELS, *, writeable: bool = True
) -> Photo:
    """Read a photo: orientation applied, colours brought to sRGB, transparency laid over white.

    Pixels that need not be writeable are not copied once more.

    Raises
    ------
    MediaError
        The file is missing, empty, truncated, no photo, animated or has more than ``max_pixels``;
        the message names the file, the rule and the remedy.
    """
    file = Path(path)
    check_file(file, str(file), "photo")
    if is_offered(file):
        rgb = read_offered(file, max_pixels)
        return Photo(np.require(rgb, requirements=("C", "W") if writeable else ("C",)), "own")
    return _read(file, file, max_pixels, writeable)


def decode_photo(data: bytes, max_pixels: int = MAX_PIXELS) -> Photo:
    """Read a photo from the bytes of its file; see :func:`read_photo`."""
    return _read(io.BytesIO(data), Path("a photo"), max_pixels, writeable=True)


def _read(source: Path | io.BytesIO, file: Path, max_pixels: int, writeable: bool) -> Photo:
    """Read a photo from its file or bytes; ``file`` is what messages call it."""
    notes: list[str] = []
    with warnings.catch_warnings():
        # Pillow warns of broken EXIF and odd palettes; what matters of it is told in our words
        warnings.simplefilter("ignore")
        try:
            with _open(source, file) as image:
                _check_header(image, file, max_pixels, notes)
                image.load()
                rgb = _upright(to_rgb(image, file, notes), image, file, notes)
                rgb = np.require(rgb, requirements=("C", "W") if writeable else ("C",))
                return Photo(rgb, str(image.format).lower(), *_jpeg_facts(image), tuple(notes))
        except MediaError:
            raise
        except MemoryError as error:
            raise MediaError(f"{file} does not fit into memory. Make it smaller.") from error
        except Exception as error:
            # Pillow's decoders raise almost anything on a broken file; nothing of it may escape
            raise MediaError(
                f"{file} is truncated or damaged. Restore it from a copy or leave it out."
            ) from error


def encode_photo(
    rgb: Pixels, format: str = "jpeg", quality: int | None = None, subsampling: str | None = None
) -> bytes:
    """The bytes of a photo file that holds pixels and nothing else.

    No EXIF, GPS, thumbnail, XMP, colour profile or comment can be in it: it is made from the array
    alone. A JPEG gets ``quality`` or 92, whichever is higher (95 where none is given).
    """
    if format not in SUFFIXES:
        raise InputError(f"format={format!r} cannot be written. Take one of {', '.join(SUFFIXES)}.")
    if rgb.dtype != np.uint8 or rgb.ndim not in (2, 3) or 0 in rgb.shape:
        raise InputError(f"a photo is (h, w, 3) uint8; this has shape {rgb.shape}, {rgb.dtype}.")
    if format == "jpeg" and max(rgb.shape[:2]) > _JPEG_SIDE:
        raise InputError(
            f"a JPEG has at most {_JPEG_SIDE} rows and columns; this photo has {max(rgb.shape)}. "
            "Write it as png."
        )
    if format == "png":
        buffer = io.BytesIO()
        Image.fromarray(np.ascontiguousarray(rgb)).save(buffer, "PNG", compress_level=4)
        return buffer.getvalue()
    # the same bytes as Pillow's, which turns the pixels into a picture of its own first
    asked = [cv2.IMWRITE_JPEG_QUALITY, max(LEAST_QUALITY, min(quality or 95, 100))]
    asked += [cv2.IMWRITE_JPEG_SAMPLING_FACTOR, _SAMPLING_FACTORS[subsampling or "4:2:0"]]
    bgr = rgb if rgb.ndim == 2 else cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR)
    return cv2.imencode(".jpg", bgr, asked)[1].tobytes()


def write_photo(
    path: str | os.PathLike[str],
    rgb: Pixels,
    format: str = "jpeg",
    quality: int | None = None,
    subsampling: str | None = None,
) -> None:
    """Write a photo without metadata, whole or not at all; see :func:`encode_photo`."""
    write_atomically(path, encode_photo(rgb, format, quality, subsampling))


@cache
def _readable() -> tuple[str, ...]:
    """The formats that this build of Pillow reads, out of those that photos come in."""
    import pi_heif

    Image.init()
    # what phones write. Thumbnails and maps of depth that lie in the file are not even decoded
    pi_heif.register_heif_opener(
        thumbnails=False, depth_images=False, aux_images=False, decode_threads=1
    )
    return tuple(name for name in _FORMATS if name in Image.OPEN)


def _open(source: Path | io.BytesIO, file: Path) -> Image.Image:
    """Open a photo's header; how many pixels are too many is our own rule, not Pillow's."""
    with _opening:
        limit, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None
        try:
            with suppress(Image.UnidentifiedImageError):
                return Image.open(source, formats=_USUAL)
            if isinstance(source, io.BytesIO):
                source.seek(0)
            return Image.open(source, formats=_readable())
        except Image.UnidentifiedImageError as error:
            raise MediaError(
                f"{file} is not a photo in a format that can be read ({', '.join(_readable())}). "
                "Convert it to JPEG or PNG, or leave it out."
            ) from error
        except OSError as error:
            if error.strerror is None:
                raise
            raise MediaError(
                f"{file} cannot be read ({error.strerror}). Grant access to it or leave it out."
            ) from error
        finally:
            Image.MAX_IMAGE_PIXELS = limit


def _check_header(image: Image.Image, file: Path, max_pixels: int, notes: list[str]) -> None:
    """Refuse too many pixels and animations; note further pictures in the file."""
    pixels = image.width * image.height
    if pixels > max_pixels:
        raise MediaError(
            f"{file} has {pixels} pixels; at most {max_pixels} are read. "
            "Make it smaller or raise --max-pixels."
        )
    if (bits := bits_per_channel(image)) > 8:
        notes.append(f"{file} has {bits} bits per channel; it is released with 8, as photos are.")
    pictures = int(getattr(image, "n_frames", 1))
    if pictures == 1:
        return
    if image.format in ("MPO", "HEIF"):
        notes.append(
            f"{file} holds {pictures} pictures; only the main one is released. "
            "Take the others out into files of their own if they are needed."
        )
        return
    raise MediaError(
        f"{file} is animated or has several pages ({pictures} pictures); a photo has one. "
        "Convert it to a video, or its pictures to files of their own."
    )


def _upright(image: Image.Image, source: Image.Image, file: Path, notes: list[str]) -> Pixels:
    """The pixels with the orientation of the file's EXIF applied."""
    try:
        orientation = source.getexif().get(_ORIENTATION, 1)
    except Exception:
        # EXIF comes from anywhere, and what is wrong with it shows as any error
        orientation = None
    pixels: Pixels = np.asarray(image)
    if orientation not in range(1, 9):
        notes.append(
            f"{file} has a broken EXIF block; it is taken as upright. Turn it if it is not."
        )
        orientation = 1
    if orientation >= 5:
        pixels = pixels.transpose(1, 0, 2)
    # orientations that mirror left to right, and top to bottom, after the transposition
    if orientation in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    if orientation in (3, 4, 7, 8):
        pixels = pixels[::-1]
    return pixels


def _jpeg_facts(image: Image.Image) -> tuple[int | None, str | None]:
    """Quality and chroma subsampling of a JPEG."""
    if image.format not in ("JPEG", "MPO"):
        return None, None
    sampling = JpegImagePlugin.get_sampling(image)
    return estimate_quality(image.quantization), _SUBSAMPLINGS.get(sampling)

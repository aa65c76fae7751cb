"""Any kind of picture becomes 8-bit sRGB without transparency."""

import io
from pathlib import Path

import numpy as np
from PIL import Image, ImageCms

from ksame.errors import MediaError


def to_rgb(image: Image.Image, file: Path, notes: list[str]) -> Image.Image:
    """Bring a loaded image of any mode to 8-bit sRGB; what that changes is noted."""
    if image.mode.startswith("I") or image.mode == "F":
        return _from_deep_grey(image, file).convert("RGB")
    if image.mode == "P":
        notes.append(f"{file} has a palette; it is released in full colour. Expect a larger file.")
    if image.mode == "CMYK":
        notes.append(
            f"{file} is CMYK; it is released as sRGB. Convert it yourself if colours must be exact."
        )
    if "A" in image.mode or "a" in image.mode or "transparency" in image.info:
        # pixels under full transparency may show what nobody was meant to see
        notes.append(
            f"{file} is transparent in part; it is laid over white. "
            "Flatten it yourself for another ground."
        )
        layer = image.convert("RGBA")
        flat = Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer).convert("RGB")
        return _to_srgb(flat, image.info.get("icc_profile"), file, notes)
    opened = image.convert("RGB") if image.mode == "P" else image
    return _to_srgb(opened, image.info.get("icc_profile"), file, notes)


def _to_srgb(
    image: Image.Image, profile: bytes | None, file: Path, notes: list[str]
) -> Image.Image:
    """Apply a colour profile, so that the file needs none."""
    if not profile:
        return image if image.mode == "RGB" else image.convert("RGB")
    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        if image.mode == "RGB" and "sRGB" in (source.profile.profile_description or ""):
            return image
        target = ImageCms.createProfile("sRGB")
        converted = ImageCms.profileToProfile(image, source, target, outputMode="RGB")
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        converted = None
    if converted is None:
        notes.append(
            f"{file} has a colour profile that does not fit it; its colours are taken as sRGB. "
            "Convert it to sRGB yourself if they look wrong."
        )
        return image.convert("RGB")
    return converted


def _from_deep_grey(image: Image.Image, file: Path) -> Image.Image:
    """Grey images of 16 bits; deeper ones have no known white."""
    values = np.asarray(image)
    if image.mode == "F" or values.min() < 0 or values.max() > 65535:
        raise MediaError(
            f"{file} holds numbers of more than 16 bits; which of them is white is unknown. "
            "Convert it to 8 or 16 bits."
        )
    return Image.fromarray(np.round(values / 257.0).astype(np.uint8))


def bits_per_channel(image: Image.Image) -> int:
    """Bits per channel of a file that is open but not yet loaded; its mode alone hides them."""
    if image.format == "TIFF":
        depth = image.tag_v2.get(258, 8)
        return int(max(depth)) if isinstance(depth, tuple) else int(depth)
    if image.format == "PNG":
        return 16 if any("16" in str(tile.args) for tile in image.tile) else 8
    if image.format == "HEIF":
        return int(image.info.get("bit_depth", 8))
    return 16 if image.mode.startswith("I") else 8

"""How tests make a photo file."""

from pathlib import Path

from PIL import Image


def saved(tmp_path: Path, image: Image.Image, name: str, **options) -> Path:
    """A picture as a file; the options are those of Pillow."""
    path = tmp_path / name
    image.save(path, **options)
    return path

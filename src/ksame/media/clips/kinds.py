"""Which files are clips, by their names."""

import os
from collections.abc import Sequence
from pathlib import Path

from ksame.media.clips.suffixes import CLIP_SUFFIXES


def is_clip(path: Path) -> bool:
    """Whether a file is a clip, by its name; a GIF is one if it moves."""
    suffix = path.suffix.lower()
    return suffix in CLIP_SUFFIXES and (suffix != ".gif" or _moves(path))


def _moves(path: Path) -> bool:
    """Whether a picture file holds more than one picture."""
    from PIL import Image

    try:
        with Image.open(path) as picture:
            return bool(getattr(picture, "is_animated", False))
    except (OSError, ValueError, SyntaxError):
        return False


def clips_in(inputs: Sequence[Path]) -> list[Path]:
    """The clips below the input folders; names that begin with a dot are left out.

    GIFs are left out too: they are found with the photos.
    """
    found = []
    for folder in inputs:
        for place, folders, names in os.walk(folder):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            found += [
                Path(place, name)
                for name in sorted(names)
                if Path(name).suffix.lower() in CLIP_SUFFIXES - {".gif"} and name[0] != "."
            ]
    return found

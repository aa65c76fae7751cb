"""``ksame train``: an Active Appearance Model of the user's own photos, for research."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ksame.cli import console
from ksame.cli.options import Json
from ksame.errors import InputError, MediaError

if TYPE_CHECKING:
    from ksame.arrays import Floats

_ENDINGS = (".pts", ".asf", ".tem", ".csv")


def train(
    inputs: Annotated[
        list[Path], typer.Argument(metavar="IN", help="Photos, and folders of them.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="The model's file.")],
    marked: Annotated[
        bool,
        typer.Option(help="Use landmark files beside the photos, not the landmark model."),
    ] = False,
    size: Annotated[int, typer.Option(help="Longer side of the mesh in pixels.")] = 128,
    grey: Annotated[bool, typer.Option("--grey", help="Grey appearance instead of RGB.")] = False,
    as_json: Json = False,
) -> None:
    """Train an Active Appearance Model on photos, with 478 found or hand-marked points.

    A tool for research: `KSameM` and `KSameFurthest` work on its codes in Python. `deidentify` does
    not use it; it has a face model of its own.
    """
    import numpy as np

    from ksame.codecs.aam import ActiveAppearanceModel
    from ksame.media import find_photos, read_photo

    photos = find_photos(inputs)
    points_of = _marked_points if marked else _found_points
    kept: list[Path] = []
    shapes: list[Floats] = []
    with console.progress("landmarks", len(photos)) as step:
        for photo in photos:
            try:
                points = points_of(photo)
            except MediaError as error:
                console.err.print(f"left out: {error}", markup=False)
            else:
                kept.append(photo)
                shapes.append(points)
            step(1)
    if len(kept) < 3:
        raise InputError(
            f"{len(kept)} of {len(photos)} photos can be used; a model needs 3 or more. Add photos."
        )
    if len({len(shape) for shape in shapes}) > 1:
        raise InputError("the landmark files hold different numbers of points. Use one marking.")

    def loader(path: Path) -> Callable[[], Any]:
        return lambda: read_photo(path).rgb

    model = ActiveAppearanceModel(size=size, colour=not grey)
    model.fit([loader(path) for path in kept], np.stack(shapes))
    model.save(out)
    if as_json:
        facts = {"photos": len(kept), "left_out": len(photos) - len(kept)}
        console.print_json({**facts, "code_size": model.code_size, "model": str(out)})
        return
    console.out.print(f"{len(kept)} photos, codes of {model.code_size} numbers: {out}")


def _found_points(photo: Path) -> "Floats":
    """The 478 points of the only or largest face of a photo."""
    from ksame.media import read_photo
    from ksame.vision import NoLandmarks, find_faces, find_landmarks

    rgb = read_photo(photo).rgb
    faces = find_faces(rgb)
    if not faces:
        raise MediaError(f"{photo.name}: no face was found.")
    found = find_landmarks(rgb, max(faces, key=lambda face: face.size))
    if isinstance(found, NoLandmarks):
        raise MediaError(f"{photo.name}: {found.reason}")
    return found.points


def _marked_points(photo: Path) -> "Floats":
    """The points of the landmark file beside a photo."""
    from ksame.datasets import read_points

    for ending in _ENDINGS:
        if (file := photo.with_suffix(ending)).is_file():
            return read_points(file)
    raise MediaError(f"{photo.name}: no landmark file ({', '.join(_ENDINGS)}) lies beside it.")

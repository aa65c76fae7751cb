"""``ksame preview``: ten seconds of a clip, before and after."""

from pathlib import Path
from typing import Annotated

import typer

from ksame.cli import console
from ksame.cli.options import Jobs


def preview(
    clip: Annotated[Path, typer.Argument(metavar="CLIP", help="A video.")],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="File to write; CLIP.preview.mp4 here if not given."),
    ] = None,
    seconds: Annotated[float, typer.Option(help="How many seconds of the clip are shown.")] = 10.0,
    jobs: Jobs = None,
) -> None:
    """Show the first seconds of a clip before and after, beside each other.

    The file is private: it shows the originals, and its faces are shared with nobody.
    """
    from ksame.release.clips.preview import preview as write_preview

    target = out or Path(f"{clip.stem}.preview.mp4")
    written = write_preview(clip, target, seconds, console.progress, jobs)
    console.err.print("private: it shows originals, do not publish it")
    console.out.print(str(written), markup=False)

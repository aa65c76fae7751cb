"""``ksame demo``: the main job on the built-in synthetic people."""

from pathlib import Path
from typing import Annotated

import typer

from ksame.cli import console
from ksame.cli.options import NEW_FOLDER, Jobs, Json


def demo(
    out: Annotated[
        Path,
        typer.Option("-o", "--out", help=NEW_FOLDER),
    ] = Path("demo-release"),
    k: Annotated[int, typer.Option("-k", help="How many people share each face, at least.")] = 5,
    method: Annotated[str, typer.Option(help="How faces are made.")] = "nobody",
    people: Annotated[
        int, typer.Option(help="How many of the built-in people; three photos each.")
    ] = 30,
    jobs: Jobs = None,
    as_json: Json = False,
) -> None:
    """De-identify photos of people who do not exist; ends with the path of the report."""
    from ksame.cli.deidentify import print_release, summary
    from ksame.datasets.demo_people import demo_people
    from ksame.errors import VerificationError
    from ksame.release import Plan, run
    from ksame.release.options import usual_jobs
    from ksame.verification import verify

    album = demo_people()
    chosen = sorted(set(album.persons))[:people]
    paths = [path for path, who in zip(album.paths, album.persons, strict=True) if who in chosen]
    plan = Plan(
        inputs=tuple(paths),
        out=out,
        k=k,
        method=method,
        persons=str(album.paths[0].parent / "people.csv"),
        attack=True,
        seed=1,
        jobs=usual_jobs() if jobs is None else jobs,
    )
    release = run(plan, console.progress)
    verdict = verify(release.out, release.ledger)
    if not verdict.holds:
        raise VerificationError(
            f"{len(verdict.findings)} claims do not hold for {release.out}, which was altered. "
            "Remove it and run ksame demo again"
        )
    if as_json:
        console.print_json({**summary(release), "verified": True})
        return
    console.out.print(f"{len(verdict.checked)} claims recomputed from the written files: all hold")
    print_release(release)

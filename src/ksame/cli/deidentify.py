"""``ksame deidentify``: photos in, certified photos out."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ksame.cli import console
from ksame.cli.keys import Key, ask_new, holding_key
from ksame.cli.options import NEW_FOLDER, Jobs, Json
from ksame.errors import InputError

Inputs = Annotated[
    list[Path], typer.Argument(metavar="IN", help="Photos, clips, and folders of them.")
]
_METHOD = (
    "How faces are made; see docs/methods.md. If not given: nobody (natural), furthest (strict)."
)
_REGION = "What is replaced: the face alone (natural, the default) or the whole head (strict)."
_DONORS = "What new faces are made of: model (nobody's), people, or reference (their faces)."
_FAILURE = "What becomes of faces that cannot be replaced: fill, blackout, or withhold (the photo)."


def deidentify(
    inputs: Inputs,
    out: Annotated[
        Path,
        typer.Option("-o", "--out", help=NEW_FOLDER),
    ],
    k: Annotated[int, typer.Option("-k", help="How many people share each face, at least.")] = 5,
    method: Annotated[str, typer.Option(help=_METHOD, show_default=False)] = "",
    grouping: Annotated[
        str | None, typer.Option(help="Another grouping: closest, mdav, furthest, blocks, apart.")
    ] = None,
    persons: Annotated[
        str, typer.Option(help="Who is who: auto, folder, a people.csv or a corrected ledger.")
    ] = "auto",
    select: Annotated[
        str | None,
        typer.Option(
            help="Group people inside classes only, as in gender,expression; none for no classes."
        ),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            help="People who count towards k and are not released: a folder, demo or nobody."
        ),
    ] = None,
    donors: Annotated[str, typer.Option(help=_DONORS, show_default=False)] = "",
    composite: Annotated[str, typer.Option(help=_REGION, show_default=False)] = "",
    on_failure: Annotated[str, typer.Option(help=_FAILURE)] = "fill",
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Replace whole heads (strict) also where they will not fit the scene."
        ),
    ] = False,
    allow_faceless: Annotated[
        bool, typer.Option("--allow-faceless", help="Release photos without a face too.")
    ] = False,
    keep_names: Annotated[
        bool, typer.Option("--keep-names", help="Keep file names; they may tell who is shown.")
    ] = False,
    per_person: Annotated[
        int | None,
        typer.Option(help="Release at most this many photos of a person, and withhold the others."),
    ] = None,
    with_originals: Annotated[
        bool, typer.Option("--with-originals", help="Also write a private before/after report.")
    ] = False,
    attack: Annotated[
        bool | None,
        typer.Option(
            "--attack", help="Attack the release with every recogniser that is installed."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Number for a repeatable release; keep it private.")
    ] = None,
    detector: Annotated[
        str,
        typer.Option(help="A detector that looks besides YuNet: a name or package.module:name."),
    ] = "yunet",
    audio: Annotated[
        str, typer.Option(help="Sound of clips: drop, keep, or mask (a changed voice).")
    ] = "drop",
    keep_audio: Annotated[
        bool, typer.Option("--keep-audio", help="Short for --audio keep.")
    ] = False,
    video_codec: Annotated[str, typer.Option(help="How clips are encoded: h264 or hevc.")] = "h264",
    max_pixels: Annotated[
        int, typer.Option(help="Largest photo or frame that is read.")
    ] = 100_000_000,
    jobs: Jobs = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Work on a cluster: a Dask scheduler (tcp://host:8786, local) or a named runner."
        ),
    ] = None,
    continues: Annotated[
        Path | None,
        typer.Option(
            "--continue",
            metavar="OLD.ledger.json",
            help="Go on from an earlier release: its people keep their faces.",
        ),
    ] = None,
    vault: Annotated[
        str | None,
        typer.Option(
            metavar="KEY|passphrase",
            help="Seal originals and ledger into OUT.vault, for the holders of these public keys "
            "or of a passphrase, which is asked for; no plain ledger is written.",
        ),
    ] = None,
    key: Key = None,
    review: Annotated[
        bool,
        typer.Option(
            "--review",
            help="Look at what was found, and correct it, before the release: see ksame review.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Release photos and clips in which every face is shared by at least k people.

    Writes OUT with certificate.json and report.html, and the private OUT.ledger.json beside it, or
    OUT.vault instead.
    Exit code 3 if some inputs were withheld, 4 if there are too few people.
    """
    from ksame.cli.review import look_first
    from ksame.release import Plan, run
    from ksame.release.options import usual_jobs
    from ksame.vault import find_locks

    with console.speaking_options(), holding_key(key):
        plan = Plan(
            inputs=tuple(inputs),
            out=out,
            k=k,
            method=method,
            grouping=grouping,
            persons=persons,
            select=_names(select),
            reference=reference,
            donors=donors,
            composite=composite,
            on_failure=on_failure,
            force=force,
            allow_faceless=allow_faceless,
            keep_names=keep_names,
            per_person=per_person,
            with_originals=with_originals,
            attack=attack,
            seed=seed,
            detector=detector,
            audio=_sound(audio, keep_audio),
            video_codec=video_codec,
            max_pixels=max_pixels,
            jobs=usual_jobs() if jobs is None else jobs,
            cluster=cluster,
            continues=continues,
            vault=() if vault is None else find_locks(vault, ask_new),
        )
        release = look_first(plan) if review else run(plan, console.progress)
    if as_json:
        console.print_json(summary(release))
    else:
        print_release(release)
    if not release.complete:
        raise typer.Exit(3)


def _sound(audio: str, keep: bool) -> str:
    """What becomes of sound; ``--keep-audio`` is the older way to say ``--audio keep``."""
    if keep and audio not in ("drop", "keep"):
        raise InputError(
            f"--keep-audio and --audio {audio} contradict each other; leave one of them out"
        )
    return "keep" if keep else audio


def _names(select: str | None) -> tuple[str, ...] | None:
    """The classes of ``--select``; None leaves the choice to the method."""
    if select is None:
        return None
    return tuple(n.strip() for n in select.split(",") if n.strip() not in ("", "none"))


def summary(release: Any) -> dict[str, Any]:
    """What a machine wants to know of a release."""
    told = ("method", "k", "guarantee", "photos", "people", "faces", "hidden", "measured")
    return {
        "out": str(release.out),
        "certificate": str(release.out / "certificate.json"),
        "report": str(release.report),
        "ledger": str(release.ledger),
        **{name: release.certificate[name] for name in told},
        "groups": len(release.certificate["groups"]),
        "withheld": [{"file": file, "reason": why} for file, why in release.withheld],
    }


def print_release(release: Any) -> None:
    """What a person wants to know of a release."""
    c = release.certificate
    sizes = [group["people"] for group in c["groups"]]
    shared = "each head" if c["composite"] == "strict" else "the identity of each face"
    promise = f"at least {min(sizes)} people share {shared}" if sizes else "no guarantee"
    rows: list[tuple[str, ...]] = [
        ("photos released", str(c["photos"])),
        ("people", str(c["people"])),
        ("faces replaced", str(c["faces"])),
        ("faces hidden", f"{c['hidden']} ({c['on_failure']})"),
        ("doubtful detections left as they are", str(c["doubtful"])),
        ("photos withheld", str(len(release.withheld))),
        ("groups", str(len(sizes))),
        ("guarantee", promise),
    ]
    if clips := c.get("clips"):
        told = f"{clips['clips']} ({clips['frames']} frames, {clips['seconds']:.0f} s)"
        rows.insert(1, ("of these, clips", told))
        rows.insert(2, ("frames with something filled", str(clips["filled_frames"])))
    for found in c["measured"].get("attacks", []):
        if found.get("rank1"):
            name = f"rank-1 by {found['recogniser']}"
            rows.append((name, f"{found['rank1']['rate']:.3f} (1/k = {1 / c['k']:.3f})"))
    if (guessed := c["measured"].get("counts", {}).get("rate", 0.0)) > 1 / c["k"]:
        unseen = c["people_not_shown"]  # whoever knows that they are in no photo rules them out
        remedy = "add people who are shown" if unseen else "--per-person N lowers it"
        told = f"{guessed:.3f} (1/k = {1 / c['k']:.3f}); {remedy}"
        rows.append(("guessed by numbers of photos", told))
    console.table(("release", ""), rows)
    for file, why in release.withheld:
        told = f"withheld: {console.plain(file)}: {console.in_options(why)}"
        console.out.print(told, markup=False)
    kind = "vault" if release.ledger.suffix == ".vault" else "ledger"
    console.out.print(f"{kind}: {release.ledger}", markup=False)
    console.out.print(str(release.report), markup=False)

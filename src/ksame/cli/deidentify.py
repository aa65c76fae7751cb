"""``ksame deidentify``: photos in, certified photos out."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ksame.cli import console
from ksame.cli.keys import Key, ask_new, holding_key
from ksame.errors import InputError

Inputs = Annotated[
    list[Path], typer.Argument(metavar="IN", help="Photos, clips, and folders of them.")
]
_METHOD = "How faces are made; see docs/methods.md. Left out: nobody (natural), furthest (strict)."
_REGION = "What is replaced: the face alone (natural, the default) or the whole head (strict)."
_DONORS = "What faces are made of: the face model, the people, or the reference people."
_FAILURE = "Faces that cannot be replaced: fill, blackout, or withhold the photo."


def deidentify(
    inputs: Inputs,
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder of the release; new.")],
    k: Annotated[int, typer.Option("-k", help="People who share each face, at least.")] = 5,
    method: Annotated[str, typer.Option(help=_METHOD, show_default=False)] = "",
    grouping: Annotated[
        str | None, typer.Option(help="Another grouping: closest, mdav, furthest, blocks, apart.")
    ] = None,
    persons: Annotated[
        str, typer.Option(help="Who is who: auto, folder, a people.csv or a corrected ledger.")
    ] = "auto",
    select: Annotated[
        str | None,
        typer.Option(help="Group inside classes, as in gender,expression; none for no classes."),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(help="More people for the groups, not released: a folder, demo or nobody."),
    ] = None,
    donors: Annotated[str, typer.Option(help=_DONORS, show_default=False)] = "",
    composite: Annotated[str, typer.Option(help=_REGION, show_default=False)] = "",
    on_failure: Annotated[str, typer.Option(help=_FAILURE)] = "fill",
    force: Annotated[
        bool, typer.Option("--force", help="Place heads (strict) where a scene cannot carry them.")
    ] = False,
    allow_faceless: Annotated[
        bool, typer.Option("--allow-faceless", help="Release photos without a face too.")
    ] = False,
    keep_names: Annotated[
        bool, typer.Option("--keep-names", help="Keep file names; they may tell who is shown.")
    ] = False,
    per_person: Annotated[
        int | None, typer.Option(help="Withhold photos beyond so many of a person.")
    ] = None,
    with_originals: Annotated[
        bool, typer.Option("--with-originals", help="Also write a private before/after report.")
    ] = False,
    attack: Annotated[
        bool | None, typer.Option("--attack", help="Measure every recogniser that is installed.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="For a repeatable release; keep it private.")
    ] = None,
    detector: Annotated[
        str, typer.Option(help="Another detector that looks too: a name or package.module:name.")
    ] = "yunet",
    audio: Annotated[
        str, typer.Option(help="Sound of clips: drop, keep, or mask (a changed voice).")
    ] = "drop",
    keep_audio: Annotated[
        bool, typer.Option("--keep-audio", help="Short for --audio keep.")
    ] = False,
    video_codec: Annotated[str, typer.Option(help="How clips are encoded: h264 or hevc.")] = "h264",
    max_pixels: Annotated[int, typer.Option(help="Refuse larger photos.")] = 100_000_000,
    jobs: Annotated[
        int | None,
        typer.Option(help="Worker processes; one a processor, at most 8, if not given."),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Who works instead: a Dask scheduler (tcp://host:8786, local) or a runner by name."
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
        bool, typer.Option("--review", help="Look at what was found first: ksame review.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
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

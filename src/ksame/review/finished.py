"""A finished release that is to be reviewed: what was asked then, on the photos of then."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from ksame.errors import InputError
from ksame.release.certificate import read_certificate
from ksame.release.ledger import read_ledger
from ksame.release.options import NOBODY
from ksame.release.plan import Plan
from ksame.release.publish import Release
from ksame.vault.container import is_vault

_ASKED: Final = (
    "method", "k", "composite", "on_failure", "detector", "allow_faceless", "keep_names",
    "per_person",
)  # fmt: skip


def finished_plan(out: Path, ledger: Path, new: Path, **further: Any) -> Plan:
    """The plan that makes a finished release again, into another folder.

    The photos, the people, the options and the secret are those of the ledger: what nobody
    corrects comes out as it was. ``further`` are options that a ledger does not tell.

    Raises
    ------
    InputError
        The ledger is not that of the release, or an original is gone or was changed.
    """
    book, certificate = read_ledger(ledger), read_certificate(out)
    if book.get("certificate") != certificate.get("digest"):
        raise InputError("the ledger is not that of this release; name the one that lay beside it")
    if is_vault(ledger) and not further.get("vault"):
        raise InputError(
            "the release has a vault, and the corrected one would have a plain ledger; name who "
            "may open its vault with vault="
        )
    told: Mapping[str, Any] = {"detector": "yunet", "per_person": None, **book["options"]}
    if book.get("continues") and not further.get("continues"):
        # made without it, its people would get other faces than in the releases before
        raise InputError(
            "the release continues an earlier one; name that one's ledger with continues="
        )
    reference = further.pop("reference", None)
    if told["reference"] == "folder" and reference is None:
        raise InputError(
            "the release counts reference people whose folder the ledger does not tell; name it "
            "with reference="
        )
    if reference is None and told["reference"] in ("demo", NOBODY):
        reference = told["reference"]
    further = {**_of_clips(out, book), **further}
    plan = Plan(
        inputs=_originals(book),
        out=new,
        persons=str(ledger),
        select=_selected(told),
        donors="" if told["donors"] == "none" else told["donors"],
        grouping=None,
        seed=int(book["seed"]),
        reference=reference,
        **{name: told[name] for name in _ASKED},
        **further,
    )
    if plan.recipe is not None and plan.recipe.grouping.name != told["grouping"]:
        plan = replace(plan, grouping=told["grouping"])
    return plan


def _of_clips(out: Path, book: Mapping[str, Any]) -> dict[str, Any]:
    """How the clips were written, which the options do not tell."""
    clips: Mapping[str, Any] = book.get("clips", {})
    if not clips:
        return {}
    import av

    heard = {str(clip["audio"]) for clip in clips.values()} - {"none"}
    try:
        with av.open(str(out / min(clips)), metadata_errors="ignore") as container:
            codec = container.streams.video[0].codec_context.name
    except (av.error.FFmpegError, IndexError, OSError):
        raise InputError("a clip of the release cannot be read; restore it from a copy") from None
    return {"audio": min(heard, default="drop"), "video_codec": codec}


def _selected(told: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The classes that were asked for; None where the release chose them itself."""
    classes = tuple(told["select"])
    usual = Plan(
        inputs=(Path(),), out=Path("out"), method=told["method"], composite=told["composite"]
    ).classes
    return None if classes == usual else classes


def _originals(book: Mapping[str, Any]) -> tuple[Path, ...]:
    """The photos of then, those that were withheld too: the secret depends on all of them."""
    listed = [*book["files"].values(), *(entry["file"] for entry in book.get("withheld", ()))]
    photos = tuple(sorted(map(Path, set(listed))))  # in the order in which a folder is read
    if missing := sum(not photo.is_file() for photo in photos):
        raise InputError(
            f"{missing} of {len(photos)} originals are not where the ledger says; put them back"
        )
    return photos


def put_in_place(release: Release, out: Path, ledger: Path) -> Release:
    """Let a corrected release take the place of an earlier one, which is moved aside whole.

    Nothing is deleted: what was handed out before must stay verifiable.
    """
    mark = str(read_certificate(out).get("digest", "old"))[:8]
    before = out.with_name(f"{out.name}.before-{mark}")
    ending = ".vault" if is_vault(ledger) else ".ledger.json"
    ledger.replace(before.with_name(f"{before.name}{ending}"))
    out.replace(before)
    ending = ".vault" if is_vault(release.ledger) else ".ledger.json"
    kept = out.with_name(f"{out.name}{ending}")
    release.ledger.replace(kept)
    release.out.replace(out)
    return replace(release, out=out, ledger=kept, report=out / release.report.name)

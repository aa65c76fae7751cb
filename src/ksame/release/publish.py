"""The last stage: report, certificate and ledger, verified, and a folder that appears at once."""

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from ksame.errors import GuaranteeError, InputError
from ksame.files import HIDDEN, read_json, sha256_of, write_json, write_text
from ksame.release.certificate import CERTIFICATE, FORMAT, REPORT, certify
from ksame.release.find import Album
from ksame.release.job import Job
from ksame.release.ledger import Ledger, bound_to, gather
from ksame.release.measure import measure_release
from ksame.release.name import People
from ksame.release.plan import Plan
from ksame.release.private import private_file, put_private_file, withheld_before
from ksame.release.report import render_report
from ksame.release.secret import job_digest
from ksame.release.share import Shared
from ksame.release.track_ranks import track_ranks
from ksame.release.write import WrittenPhotos

log = logging.getLogger(__name__)

UNVERIFIED: Final = "the written photo did not pass verification"
_ROUNDS: Final = 3  # photos that do not pass are withheld, and the rest is verified again


@dataclass(frozen=True, slots=True)
class Release:
    """What a finished run hands back. The repr gives no paths of inputs: they may hold names.

    ``ledger`` is the private file: the ledger, or the vault that holds it. ``book`` is what it
    holds, for whoever has just made the release; a release that was there before tells none.
    """

    out: Path
    ledger: Path
    report: Path
    certificate: Mapping[str, Any] = field(repr=False)
    withheld: Sequence[tuple[str, str]] = field(default=(), repr=False)
    book: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def complete(self) -> bool:
        """Whether every input was released."""
        return not self.withheld


def check_out(plan: Plan) -> bool:
    """Whether OUT holds a finished release of ours; refuses an OUT that is anything else.

    Raises
    ------
    InputError
        OUT is a file, or a folder with something else in it.
    """
    out = plan.out
    if not out.exists() and not out.is_symlink():
        return False
    if out.is_symlink() or os.path.ismount(out):
        raise InputError(
            f"OUT {out} is a link or the root of a disk, which a finished folder cannot take the "
            "place of; name a new folder"
        )
    if not out.is_dir():
        raise InputError(f"OUT {out} exists and is no folder; choose another name")
    if not any(out.iterdir()):
        return False
    try:
        ours = read_json(out / CERTIFICATE)["format"] == FORMAT
    except (OSError, ValueError, KeyError, TypeError):
        ours = False
    if not ours:
        raise InputError(
            f"OUT {out} exists and is no release of this version; choose another folder or empty it"
        )
    return True


def finished(plan: Plan, digest: str) -> Release:
    """The release that an earlier run of the same job left in OUT.

    Raises
    ------
    InputError
        OUT holds the release of another job, which is not overwritten.
    """
    certificate = read_json(plan.out / CERTIFICATE)
    withheld = withheld_before(plan, digest, certificate)
    if withheld is None:
        raise InputError(
            f"OUT {plan.out} holds another release (other photos or options); choose another "
            f"folder, or move it away together with its {'vault' if plan.vault else 'ledger'}"
        )
    return _release(plan, certificate, withheld)


def _release(
    plan: Plan, certificate: Mapping[str, Any], withheld: Sequence[tuple[str, str]]
) -> Release:
    return Release(plan.out, private_file(plan), plan.out / REPORT, certificate, withheld)


def publish(
    job: Job, album: Album, people: People, shared: Shared, written: WrittenPhotos
) -> Release:
    """Let OUT appear, complete and verified, or not at all.

    Guarantee: `ksame.verification` found every claim of the folder true, with the ledger, before
    it was renamed to OUT. A photo that did not pass is withheld. The ledger, or the vault that
    holds it, is in place before OUT is, so that no release exists without what can verify it.

    Raises
    ------
    GuaranteeError
        A claim does not hold that is not about a single photo: nothing is released.
    """
    digest = job_digest(job.plan, [(p.path, p.sha256) for p in album.pictures])
    for _ in range(_ROUNDS):
        ledger = gather(job, album, people, shared, written, digest)
        certificate, book = _documents(job, album, people, shared, written, ledger)
        broken = _verify(job, book)
        if not broken:
            put_private_file(job, book)
            job.runner.finish()
            if job.plan.with_originals:
                _show_originals(job, certificate, book, track_ranks(job, album, written, ledger))
            return _appear(job, certificate, book)
        photos = {where: UNVERIFIED for where in broken if where in certificate["files"]}
        log.warning("%d photos did not pass verification", len(photos))
        if len(photos) < len(broken):
            break
        written = written.without(photos)
    what = next(iter(broken.values()))
    raise GuaranteeError(
        f"the finished release does not pass its verification ({what}); nothing is released. "
        "Please report it; leaving out such photos is a way around it"
    )


def _documents(
    job: Job,
    album: Album,
    people: People,
    shared: Shared,
    written: WrittenPhotos,
    ledger: Ledger,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Write report and certificate into the folder that becomes OUT; the ledger is returned."""
    plan, folder = job.plan, job.folder
    files = {photo.name: photo.sha256 for photo in written.released().values()}
    measured = measure_release(job, album, shared, written, ledger)
    draft = certify(plan, ledger, files, measured, "")
    page = render_report(draft, folder, uncertain=len(people.uncertain))
    write_text(folder / REPORT, page, 0o644)
    certificate = certify(plan, ledger, files, measured, sha256_of(folder / REPORT))
    write_json(folder / CERTIFICATE, certificate, 0o644)
    _sweep(folder, {CERTIFICATE, REPORT, *files})
    return certificate, bound_to(ledger.as_json(), certificate["digest"])


def _verify(job: Job, book: Mapping[str, Any]) -> dict[str, str]:
    """What the verifier finds broken: where, and what.

    It need not search for faces: every finished picture was searched when it was written.
    """
    from ksame.verification import verify

    verdict = verify(
        job.folder, book, spread=lambda check, photos: job.runner.run("verify", check, photos)
    )
    return {finding.where: finding.what for finding in verdict.findings}


def _show_originals(
    job: Job,
    certificate: Mapping[str, Any],
    book: Mapping[str, Any],
    tracks: Sequence[Mapping[str, Any]],
) -> None:
    """Write what shows originals, beside OUT: the private report, and clips before and after."""
    plan, folder = job.plan, job.folder
    page = render_report(certificate, folder, book, originals=True, tracks=tracks)
    write_text(plan.private_report, page)
    if book.get("clips"):
        from ksame.release.clips.beside import folder_beside, write_before_after

        write_before_after(folder, book, folder_beside(plan.out), plan.max_pixels)


def _appear(job: Job, certificate: Mapping[str, Any], book: Mapping[str, Any]) -> Release:
    """Put OUT in place by one rename; its private file is there."""
    plan, folder = job.plan, job.folder
    folder.chmod(0o755)
    try:
        folder.replace(plan.out)
    except OSError as error:
        raise InputError(
            f"OUT {plan.out} cannot be put in place ({error.strerror}); choose a folder on the "
            "same disk as its parent folder and run the same command again"
        ) from None
    withheld = [(entry["file"], entry["reason"]) for entry in book["withheld"]]
    return replace(_release(plan, certificate, withheld), book=book)


def _sweep(folder: Path, expected: set[str]) -> None:
    """Remove what a killed run left unfinished or no longer belongs to the release."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.name.startswith(HIDDEN) or path.relative_to(folder).as_posix() not in expected:
            path.unlink()

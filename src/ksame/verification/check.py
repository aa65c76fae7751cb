"""The whole check on one screen: which claims there are, and what looks at each."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ksame.verification.agreement import (
    check_commitments,
    check_counts,
    check_digest,
    check_published,
    check_same,
)
from ksame.verification.continued import check_continued
from ksame.verification.decisions import check_decisions, check_stated
from ksame.verification.documents import (
    CERTIFICATE,
    Certificate,
    Ledger,
    read_certificate,
    read_ledger,
)
from ksame.verification.files import check_files, check_metadata, check_names, check_report
from ksame.verification.people import (
    check_lenders,
    check_one_surrogate,
    check_people,
    check_photo_counts,
    check_unseen_people,
)
from ksame.verification.photos import Detector, PhotoFound, Spread, check_photos, tasks
from ksame.verification.places import check_places
from ksame.verification.signed import check_signatures, read_signatures, read_signers
from ksame.verification.verdict import Finding, Verdict

Checks = dict[str, Iterable[Finding]]
Photos = Mapping[str, PhotoFound]


def verify(
    out: str | Path,
    ledger: str | Path | Mapping[str, Any] | None = None,
    *,
    detector: Detector | None = None,
    spread: Spread = map,
    signed_by: str | Path | None = None,
) -> Verdict:
    """Recompute every claim of a release from its files.

    Nothing that a release or a ledger holds makes this raise: what cannot be read is a finding.

    Parameters
    ----------
    out : str or Path
        The release's folder, with its ``certificate.json``.
    ledger : str, Path or mapping, optional
        The private ledger: its file, or what was read from a vault. With it the people of each
        surrogate are counted as well, and the pixels of each face are compared: with the head that
        was certified, or with the model face that its group's code and its numbers give. A ledger
        from which people were erased is no longer the one that the certificate commits to; where
        it comes from a vault, which proves who wrote it, everything else is checked.
    detector : callable, optional
        Finds the boxes (xyxy) of the faces of an RGB picture. With it and the ledger, a face where
        the ledger lists none is a finding.
    spread : callable
        Applies a function to a list of tasks and yields the results in their order. ``map`` does
        so here and now; give one that uses several processes for many photos.
    signed_by : str or Path, optional
        A PEM file of public keys, one of which must have signed the certificate. Signatures that
        are there are checked in any case.
    """
    out = Path(out)
    certificate = read_certificate(out / CERTIFICATE)
    if isinstance(certificate, Finding):
        return Verdict((), (certificate,))
    private = None if ledger is None else read_ledger(ledger)
    if isinstance(private, Finding):
        return Verdict((), (private,))
    found = check_photos(tasks(out, certificate, private, detector), spread)
    checks = _public_checks(out, certificate, found) | _signature_checks(out, signed_by)
    if private is not None:
        checks |= _private_checks(certificate, private, found)
        if detector is not None and certificate.promises:
            checks["a detector finds no face that the ledger does not list"] = _strangers(found)
    findings = [(name, tuple(broken)) for name, broken in checks.items()]
    return Verdict(
        tuple(name for name, _ in findings),
        tuple(finding for _, broken in findings for finding in broken),
    )


def _public_checks(out: Path, certificate: Certificate, found: Photos) -> Checks:
    """What anybody can check who has the release alone."""
    shared = "every surrogate has at least k people"
    digests = {name: photo.sha256 for name, photo in found.items()}
    extras = {name: photo.extras for name, photo in found.items()}
    return {
        "the certificate agrees with its own digest": check_digest(certificate),
        "every file is the one that was certified": check_files(out, certificate, digests),
        "no file carries metadata": check_metadata(extras),
        "names of files tell nothing, or are said to be kept": check_names(certificate),
        "the report holds nothing that runs or loads": check_report(out, certificate),
        shared if certificate.promises else "nothing is claimed": check_published(certificate),
        "people shown as they are are listed, and nothing else is": check_stated(certificate),
    }


def _signature_checks(out: Path, signed_by: str | Path | None) -> Checks:
    """Who stands for the release, where somebody does or is asked for."""
    found = read_signatures(out)
    if not found and signed_by is None:
        return {}
    wanted = None if signed_by is None else read_signers(signed_by)
    name = "the certificate is signed"
    if isinstance(found, tuple) and found:
        name += f" by key {', '.join(one.signer for one in found)}"
    if signed_by is not None:
        name += ", as was asked for"
    return {name: check_signatures(out, found, wanted)}


def _private_checks(certificate: Certificate, ledger: Ledger, found: Photos) -> Checks:
    """What the holder of the ledger can check besides."""
    same = "ledger and certificate speak of one release"
    if ledger.erased:
        same += f", as far as can be told: {ledger.erased} people were erased from the ledger"
    checks: Checks = {
        same: check_same(certificate, ledger),
        "the certificate counts what the ledger lists": check_counts(certificate, ledger),
        "the certificate states every decision of a person": check_decisions(certificate, ledger),
    }
    if not certificate.promises:
        return checks
    return (
        checks
        | {
            "every group's digest covers the looks of its surrogate": check_commitments(ledger),
            "the people counted in the ledger are at least k a surrogate": check_people(
                certificate, ledger
            ),
            "every person has one surrogate": check_one_surrogate(ledger),
            "nobody lends hair to the own group": check_lenders(ledger),
            "who counts towards k is shown, or the first claim says otherwise": check_unseen_people(
                certificate, ledger
            ),
            "guesses by numbers of photos are right as often as told": check_photo_counts(
                certificate, ledger
            ),
            _pixels(certificate): _check_pixels(certificate, ledger, found),
        }
        | _place_checks(certificate, found)
        | _continued(certificate, ledger)
    )


def _place_checks(certificate: Certificate, found: Photos) -> Checks:
    """Where whole heads lie."""
    if not certificate.strict:
        return {}
    laid = [head for photo in found.values() for head in photo.laid]
    return {"heads lie on coarse steps, in common as counted": check_places(certificate, laid)}


def _continued(certificate: Certificate, ledger: Ledger) -> Checks:
    """What is promised to people of earlier releases, where there are any."""
    if certificate.raw.get("continues") is None and ledger.raw.get("continues") is None:
        return {}
    return {
        "people of earlier releases keep surrogate and group": check_continued(certificate, ledger)
    }


def _pixels(certificate: Certificate) -> str:
    """What is said of the pixels."""
    hidden = "are their surroundings" if certificate.filled else "are black"
    if certificate.by_model:
        shown = "every face is the one that its group's code and its numbers give"
    elif certificate.strict:
        shown = "every face shows the look that its group shares, as far as it is visible"
    else:  # natural heads claim no common pixels: what is hidden can be recomputed alone
        return f"hidden faces {hidden}"
    return f"{shown}; hidden ones {hidden}"


def _check_pixels(certificate: Certificate, ledger: Ledger, found: Photos) -> Iterator[Finding]:
    # numpy and the model are needed for pixels alone
    if certificate.by_model:
        from ksame.verification.models import check_codes

        yield from check_codes(certificate, ledger)
    else:
        from ksame.verification.pixels import check_looks

        yield from check_looks(certificate, ledger)
    listed = {face.file for face in ledger.faces}
    for name in sorted(listed - set(found)):
        yield Finding(name, "cannot be read as a picture")
    for name, photo in sorted(found.items()):
        for what in photo.pixels:
            yield Finding(name, what)


def _strangers(found: Photos) -> Iterator[Finding]:
    for name, photo in sorted(found.items()):
        if photo.strangers:
            yield Finding(name, f"shows {photo.strangers} faces that the ledger does not list")

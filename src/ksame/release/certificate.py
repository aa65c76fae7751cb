"""The certificate of a release: what was done, what is claimed and what is not.

It is safe to publish: it names no person, links no two photos of a person and does not say which
photo belongs to which group.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ksame._version import __version__
from ksame.errors import InputError
from ksame.release.claims import claims, consents, decided, not_claimed
from ksame.release.clip_counts import clip_counts
from ksame.release.ledger import Ledger
from ksame.release.plan import Plan

FORMAT: Final = "ksame-certificate-2"
CERTIFICATE: Final = "certificate.json"
REPORT: Final = "report.html"


def certify(
    plan: Plan, ledger: Ledger, files: Mapping[str, str], measured: Mapping[str, Any], report: str
) -> dict[str, Any]:
    """Build the certificate of a release.

    Parameters
    ----------
    ledger : Ledger
        What happened; only counts and digests of it are told.
    files : mapping
        sha256 of every released file.
    report : str
        sha256 of ``report.html``.

    The groups are ordered by digest and the files by their neutral names, so the order tells
    nothing. There is no date: equal inputs and seeds give equal bytes.
    """
    faces = Counter(face.group for face in ledger.faces if face.group is not None)
    groups = [
        {
            "people": len({*group.people, *group.others}),
            "faces": faces[group.group],
            "surrogate": group.surrogate,
        }
        for group in ledger.groups
    ]
    body: dict[str, Any] = {
        "format": FORMAT,
        "guarantee": "k-anonymity" if plan.guarantees else "none",
        **plan.public(),
        "people": len({face.person for face in ledger.faces if face.group is not None}),
        "people_not_shown": len({p for group in ledger.groups for p in group.others}),
        "photos": len(files),
        "faces": sum(faces.values()) if plan.guarantees else len(ledger.faces),
        "hidden": sum(face.hidden is not None for face in ledger.faces),
        **clip_counts(ledger),
        # doubtful detections left as they are: a detector's faces that other models deny
        "doubtful": sum(len(boxes) for boxes in ledger.ignored.values()),
        "decisions": decided(ledger),
        # whoever is shown as is can be seen by everybody: to say where links nothing
        "kept": kept_faces(ledger),
        "withheld": dict(sorted(Counter(kind_of(w["reason"]) for w in ledger.withheld).items())),
        "claims": [*claims(plan, ledger), *consents(ledger)] if plan.guarantees else [],
        "not_claimed": not_claimed(plan),
        "groups": sorted(groups, key=lambda g: (g["surrogate"], g["people"], g["faces"])),
        "files": dict(sorted(files.items())),
        "report": {"file": REPORT, "sha256": report},
        "measured": dict(measured),
        "seed_commitment": commit(ledger.seed, ledger.nonce),
        # the ledger holds the nonce: nobody can guess it from this, and nobody can change it later
        "ledger_commitment": digest(ledger.as_json()),
        "versions": versions(plan),
    }
    if ledger.continues is not None:
        body["continues"] = _what_changed(ledger, ledger.continues)
    body["digest"] = digest(body)
    return body


def _what_changed(ledger: Ledger, continues: Mapping[str, Any]) -> dict[str, Any]:
    """What a release adds to those that it continues, in numbers that name nobody."""
    before = {person for group in continues["groups"] for person in group["people"]}
    shown = {face.person for face in ledger.faces if face.group is not None}
    kept = [group for group in ledger.groups if before & {*group.people, *group.others}]
    return {
        "certificate": continues["certificate"],
        "groups_before": len(continues["groups"]),
        "groups_kept": len(kept),
        "groups_new": len(ledger.groups) - len(kept),
        "people_before": len(before),
        "people_known": len(shown & before),
        "people_new": len(shown - before),
    }


def kept_faces(ledger: Ledger) -> dict[str, list[list[float]]]:
    """The boxes (xyxy) of the faces that are shown as they are, by file."""
    found: dict[str, list[list[float]]] = {}
    for face in ledger.faces:
        if face.kept:
            found.setdefault(face.file, []).append(list(face.box))
    return {file: sorted(boxes) for file, boxes in sorted(found.items())}


def kind_of(reason: str) -> str:
    """A reason without its particulars, for documents that are published."""
    return reason.split(":")[0].split(" (")[0]


def read_certificate(out: Path) -> dict[str, Any]:
    """The certificate in the folder of a release.

    Raises
    ------
    InputError
        The folder holds none, or one of another format.
    """
    try:
        value = json.loads((out / CERTIFICATE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        value = None
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InputError(f"{out} holds no certificate of this version; name a folder of a release")
    return value


def digest(certificate: Mapping[str, Any]) -> str:
    """sha256 of the certificate without its own digest, in one fixed JSON form."""
    body = {name: value for name, value in certificate.items() if name != "digest"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def commit(seed: int, nonce: str) -> str:
    """The published commitment to a seed.

    Whoever holds the ledger can show later that the seed was fixed before the release was made;
    nobody can read the seed from it.
    """
    return hashlib.sha256(f"{seed}:{nonce}".encode()).hexdigest()


def versions(plan: Plan) -> dict[str, str]:
    """The versions that decide about the bytes of a release."""
    import cv2
    import numpy as np
    import PIL

    from ksame.weights.session import runtime_of

    told = {
        "ksame": __version__,
        "numpy": np.__version__,
        "opencv": cv2.__version__,
        "pillow": PIL.__version__,
        "landmarks": runtime_of("landmarks"),
        "detector": runtime_of("yunet"),
    }
    if plan.style == "model":
        from ksame.codecs.face.pinned import SHA256

        told["face_model"] = SHA256
    return told

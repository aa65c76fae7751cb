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
from ksame.release.claims import claims
from ksame.release.ledger import Ledger
from ksame.release.plan import Plan

FORMAT: Final = "ksame-certificate-2"
CERTIFICATE: Final = "certificate.json"
REPORT: Final = "report.html"

NOT_CLAIMED: Final = (
    "hair, clothes, body, tattoos and everything else outside of the replaced region",
    "the scene: place, time, objects, writing and other people's context",
    "voice, gait and the way in which a face moves",
    "faces that the detector does not see",
    "how many photos a person has: who knows that guesses right as often as measured.counts says",
    "who is in the collection as a whole: a group discloses that one of its people is shown",
    "further releases of the same people with other groups: intersecting them can single out",
)


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

    Notes
    -----
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
        **_clips(ledger),
        # doubtful detections left as they are: a detector's faces that other models deny
        "doubtful": sum(len(boxes) for boxes in ledger.ignored.values()),
        "decisions": decided(ledger),
        # whoever is shown as is can be seen by everybody: to say where links nothing
        "kept": kept_faces(ledger),
        "withheld": dict(sorted(Counter(kind_of(w["reason"]) for w in ledger.withheld).items())),
        "claims": [*claims(plan, ledger), *_consents(ledger)] if plan.guarantees else [],
        "not_claimed": list(NOT_CLAIMED),
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


def _clips(ledger: Ledger) -> dict[str, Any]:
    """Counts over all clips: frames, tracks, seconds, and frames in which something was filled."""
    told = ledger.clips.values()
    if not told:
        return {}
    counts = {
        "clips": len(ledger.clips),
        "frames": sum(clip["frames"] for clip in told),
        "seconds": round(sum(clip["seconds"] for clip in told), 3),
        "tracks": sum(face.file in ledger.clips for face in ledger.faces),
        "filled_frames": sum(clip["filled_frames"] for clip in told),
        "audio": dict(sorted(Counter(clip["audio"] for clip in told).items())),
    }
    return {"clips": counts}


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


def decided(ledger: Ledger) -> dict[str, int]:
    """How often a person decided instead of the models, by kind."""
    kept = [face for face in ledger.faces if face.kept]
    return {
        "faces_drawn": sum(face.drawn for face in ledger.faces),
        "faces_dismissed": sum(len(boxes) for boxes in ledger.dismissed.values()),
        "people_with_corrected_looks": len({face.person for face in ledger.faces if face.looks}),
        "people_kept": len({face.person for face in kept}),
        "faces_kept": len(kept),
    }


def kept_faces(ledger: Ledger) -> dict[str, list[list[float]]]:
    """The boxes (xyxy) of the faces that are shown as they are, by file."""
    found: dict[str, list[list[float]]] = {}
    for face in ledger.faces:
        if face.kept:
            found.setdefault(face.file, []).append(list(face.box))
    return {file: sorted(boxes) for file, boxes in sorted(found.items())}


def _consents(ledger: Ledger) -> list[str]:
    """What a person's decisions take away from the claims."""
    told, sentences = decided(ledger), []
    if told["faces_kept"]:
        sentences.append(
            f"nothing is claimed for {told['faces_kept']} faces of {told['people_kept']} people, "
            "listed under kept, who by a person's decision are shown as they are"
        )
    if told["faces_dismissed"]:
        sentences.append(
            f"nothing is claimed for {told['faces_dismissed']} places that a detector takes for "
            "faces and a person who looked does not"
        )
    return sentences


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

    from ksame.vision import yunet
    from ksame.weights.session import session

    told = {
        "ksame": __version__,
        "numpy": np.__version__,
        "opencv": cv2.__version__,
        "pillow": PIL.__version__,
        "landmarks": session("landmarks").runtime,
        "detector": yunet.runtime(),
    }
    if plan.style == "model":
        from ksame.codecs.face.pinned import SHA256

        told["face_model"] = SHA256
    return told

"""The certificate of a release: what was done, what is claimed and what is not.

It is safe to publish: it names no person, links no two photos of a person and does not say which
photo belongs to which group.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ksame._version import __version__
from ksame.errors import InputError
from ksame.release.plan import Plan

FORMAT = "ksame-certificate-1"

NOT_CLAIMED = (
    "hair, clothes, body, tattoos and everything else outside of the replaced region",
    "the scene: place, time, objects, writing and other people's context",
    "voice, gait and anything that is not a still picture",
    "faces that the detector does not see",
    "who is in the collection as a whole: a group discloses that one of its people is shown",
    "further releases of the same people with other groups: intersecting them can single out",
)


@dataclass(frozen=True, slots=True)
class Group:
    """What the certificate says of one surrogate."""

    people: int
    faces: int
    surrogate: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What happened in a run, in counts and digests."""

    people: int
    people_not_shown: int
    faces: int
    blacked_out: int
    groups: Sequence[Group]
    files: Mapping[str, str]
    withheld: Mapping[str, int] = field(default_factory=dict)
    measured: Mapping[str, Any] = field(default_factory=dict)


def certify(plan: Plan, facts: Facts, commitment: str, report: str) -> dict[str, Any]:
    """Build the certificate of a release.

    Parameters
    ----------
    commitment : str
        ``sha256(seed + nonce)``: whoever holds the ledger can show later that the seed was fixed
        before the release was made; nobody can read the seed from it.
    report : str
        sha256 of ``report.html``.

    Notes
    -----
    The groups are ordered by digest and the files by their neutral names, so the order tells
    nothing. There is no date: equal inputs and seeds give equal bytes.
    """
    body: dict[str, Any] = {
        "format": FORMAT,
        "guarantee": "k-anonymity" if plan.recipe.guarantees else "none",
        **plan.public(),
        "people": facts.people,
        "people_not_shown": facts.people_not_shown,
        "photos": len(facts.files),
        "faces": facts.faces,
        "blacked_out": facts.blacked_out,
        "withheld": dict(sorted(facts.withheld.items())),
        "claims": claims(plan),
        "not_claimed": list(NOT_CLAIMED),
        "groups": [
            {"people": g.people, "faces": g.faces, "surrogate": g.surrogate}
            for g in sorted(facts.groups, key=lambda g: (g.surrogate, g.people, g.faces))
        ],
        "files": dict(sorted(facts.files.items())),
        "report": {"file": "report.html", "sha256": report},
        "measured": dict(facts.measured),
        "seed_commitment": commitment,
        "versions": versions(),
    }
    body["digest"] = digest(body)
    return body


def claims(plan: Plan) -> list[str]:
    """The sentences that the release stands for; none for an ad hoc method."""
    if not plan.recipe.guarantees:
        return []
    k = plan.k
    region = {
        "strict": f"every replaced head region (face, ears, hair line and outline) shows the same "
        f"surrogate for at least k={k} different people, placed by position, scale and in-plane "
        f"rotation only: no recogniser links that region to its person with better than 1/{k}",
        "natural": f"the identity parameters of every replaced face are shared by at least k={k} "
        f"different people; pose, expression, light and hair are the photo's own and are not "
        f"covered. See the measured attack rates",
    }[plan.composite]
    made = {
        "furthest": "the surrogate is made from people of another group, away from its own people",
        "reference": "the surrogate is made from reference people who are not in the release",
    }
    sentences = [region, "all photos of one person show one surrogate"]
    if plan.donors == "reference":
        sentences.append(made["reference"])
    elif plan.recipe.grouping == "furthest":
        sentences.append(made["furthest"])
    sentences.append("a face that could not be replaced is blacked out or its photo withheld")
    sentences.append("the files carry no metadata; their names and times tell nothing")
    if plan.keep_names:
        sentences[-1] = "the files carry no metadata; their names are the originals' (--keep-names)"
    return sentences


def read_certificate(out: Path) -> dict[str, Any]:
    """The certificate in the folder of a release.

    Raises
    ------
    InputError
        The folder holds none, or one of another format.
    """
    try:
        value = json.loads((out / "certificate.json").read_text(encoding="utf-8"))
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
    """The published commitment to a seed."""
    return hashlib.sha256(f"{seed}:{nonce}".encode()).hexdigest()


def versions() -> dict[str, str]:
    """The versions that decide about the bytes of a release."""
    import cv2
    import numpy as np
    import PIL

    from ksame.vision import tflite, yunet

    return {
        "ksame": __version__,
        "numpy": np.__version__,
        "opencv": cv2.__version__,
        "pillow": PIL.__version__,
        "landmarks": tflite.runtime(),
        "detector": yunet.runtime(),
    }

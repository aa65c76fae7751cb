"""Certificate against itself, and certificate against ledger."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ksame.verification.documents import CERTIFICATE, Certificate, Ledger
from ksame.verification.verdict import Finding


def canonical(value: Any) -> bytes:
    """One byte form for one JSON value: what digests are taken of."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return text.encode()


def digest_without(value: dict[str, Any], name: str) -> str:
    """Sha256 of a document without one of its entries."""
    body = {other: item for other, item in value.items() if other != name}
    return hashlib.sha256(canonical(body)).hexdigest()


def check_digest(certificate: Certificate) -> Iterator[Finding]:
    """The certificate's own digest covers every other line of it."""
    if digest_without(certificate.raw, "digest") != certificate.raw.get("digest"):
        yield Finding(CERTIFICATE, "was altered: its digest does not cover its content")


def check_published(certificate: Certificate) -> Iterator[Finding]:
    """K of the certificate against the people of each of its groups, and its own sums."""
    if certificate.counts["photos"] != len(certificate.files):
        yield Finding(CERTIFICATE, "counts other photos than it lists")
    if not certificate.promises:
        if certificate.claims:
            yield Finding(CERTIFICATE, "claims something for a method that guarantees nothing")
        return
    k = certificate.k
    if k < 2:
        yield Finding(CERTIFICATE, f"k={k} is no number of people above 1")
        return
    for group in certificate.groups:
        if group.people < k:
            short = f"surrogate {group.surrogate[:12]}"
            yield Finding(short, f"is shared by {group.people} people, k={k}")
    faces = sum(group.faces for group in certificate.groups)
    if faces != certificate.counts["faces"]:
        yield Finding(
            CERTIFICATE, f"counts {certificate.counts['faces']} faces, its groups {faces}"
        )
    stated = {int(n) for claim in certificate.claims for n in re.findall(r"(?:k=|1/)(\d+)", claim)}
    if stated != {k}:
        yield Finding(CERTIFICATE, f"its claims are not those of k={k}")


def check_same(certificate: Certificate, ledger: Ledger) -> Iterator[Finding]:
    """Each document commits to the other; options, seed, files and surrogates are the same."""
    if ledger.raw.get("certificate") != certificate.raw.get("digest"):
        yield Finding("ledger", "belongs to a certificate with another digest")
    commitment = certificate.raw.get("ledger_commitment")
    if not ledger.erased and digest_without(ledger.raw, "certificate") != commitment:
        yield Finding("ledger", "is not the one that the certificate was made with")
    for name, value in sorted(ledger.options.items()):
        if certificate.raw.get(name) != value:
            stated = f"{name}={certificate.raw.get(name)}"
            yield Finding(CERTIFICATE, f"says {stated}, the ledger {name}={value}")
    if "k" not in ledger.options:
        yield Finding("ledger", "does not say k")
    if not certificate.promises and ledger.groups:
        yield Finding(CERTIFICATE, "guarantees nothing, though the ledger lists groups")
    commitment = f"{ledger.raw.get('seed')}:{ledger.raw.get('nonce')}"
    if hashlib.sha256(commitment.encode("utf-8", "replace")).hexdigest() != certificate.raw.get(
        "seed_commitment"
    ):
        yield Finding("ledger", "holds another seed than the one that was committed to")
    for name in sorted(set(ledger.files) ^ set(certificate.files)):
        yield Finding(name, "is not in both the ledger and the certificate")
    published = Counter(group.surrogate for group in certificate.groups)
    private = Counter(group.surrogate for group in ledger.groups)
    for surrogate in sorted((published - private) + (private - published)):
        yield Finding(f"surrogate {surrogate[:12]}", "is not in both ledger and certificate")


def check_counts(certificate: Certificate, ledger: Ledger) -> Iterator[Finding]:
    """Every number of the certificate, counted anew."""
    replaced = [face for face in ledger.faces if face.group is not None]
    counted = {
        "people": len({face.person for face in replaced}),
        "people_not_shown": len({person for group in ledger.groups for person in group.others}),
        "photos": len(ledger.files),
        "faces": len(replaced) if certificate.promises else len(ledger.faces),
        "hidden": sum(face.hidden is not None for face in ledger.faces),
        "doubtful": sum(len(boxes) for boxes in ledger.ignored.values()),
    }
    for name, value in counted.items():
        if certificate.counts[name] != value:
            stated = certificate.counts[name]
            yield Finding(CERTIFICATE, f"says {name}={stated}, the ledger's faces give {value}")
    if sum(certificate.withheld.values()) != ledger.withheld:
        yield Finding(CERTIFICATE, "counts other withheld photos than the ledger lists")
    if not certificate.raw.get("allow_faceless"):
        for name in sorted(set(certificate.files) - {face.file for face in ledger.faces}):
            yield Finding(name, "has no face in the ledger")
    if not {face.file for face in ledger.faces} <= set(certificate.files):
        yield Finding("ledger", "lists a face of a photo that was not released")


def check_commitments(ledger: Ledger) -> Iterator[Finding]:
    """A group's digest covers its face: the code of a model face, or a head's pixels and cells."""
    for group in ledger.groups:
        told: Any = ["model face", list(group.code)]
        if not group.code:
            looks = {state: asdict(look) for state, look in group.looks.items()}
            told = {"pixels": group.pixels, "looks": looks}
        if hashlib.sha256(canonical(told)).hexdigest() != group.surrogate:
            yield Finding(group.short, "its digest is not that of its looks")

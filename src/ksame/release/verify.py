"""Checks a written release against its certificate, from the files on disk alone.

This is a program of its own: it imports nothing of the code that writes releases, only the JSON
that lies in the folder and the pictures themselves, so that a fault of the writer is not repeated
by its judge.

    python -m ksame.release.verify OUT [LEDGER]
"""

import hashlib
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CERTIFICATE = "certificate.json"
# chunks and segments that hold the picture itself; every other one could carry metadata
_PNG_CHUNKS = {b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"sRGB", b"cHRM"}
_JPEG_APP0 = 0xE0


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken claim: where it broke and how. Names no person."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a check: what was checked, and what does not hold."""

    checked: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether every claim that was checked holds."""
        return not self.findings


def verify(out: Path, ledger: Path | None = None) -> Verdict:
    """Recompute every claim of a release from its files.

    Parameters
    ----------
    out : Path
        The release's folder, with its ``certificate.json``.
    ledger : Path, optional
        The private ledger. With it the people of each surrogate are counted as well, and in strict
        mode the pixels of each group's faces are compared with each other.
    """
    certificate, broken = _load(out / CERTIFICATE, "ksame-certificate-1")
    if certificate is None:
        return Verdict((), (broken,))
    checks = {
        "the certificate agrees with its own digest": _check_digest(certificate),
        "every file is the one that was certified": _check_files(out, certificate),
        "no file carries metadata": _check_metadata(out, certificate),
        "every surrogate has at least k people": _check_groups(certificate),
    }
    promised = certificate.get("guarantee") == "k-anonymity"
    if not promised:
        checks["nothing is claimed"] = checks.pop("every surrogate has at least k people")
    if ledger is not None:
        private, broken = _load(ledger, "ksame-ledger-1")
        if private is None:
            return Verdict((), (broken,))
        checks["ledger and certificate speak of one release"] = _check_same(certificate, private)
        if promised:
            checks["the people counted in the ledger are at least k a surrogate"] = _check_people(
                certificate, private
            )
            checks["every person has one surrogate"] = _check_one_surrogate(private)
            from ksame.release.verify_pixels import check_pixels

            strict = certificate.get("composite") == "strict"
            # natural claims no common pixels: there the black boxes alone can be recomputed
            seen = (
                "faces of a group agree in the written pixels"
                if strict
                else "blacked out faces are black"
            )
            checks[seen] = (
                Finding(where, what) for where, what in check_pixels(out, certificate, private)
            )
    findings = [(name, list(found)) for name, found in checks.items()]
    return Verdict(
        tuple(name for name, _ in findings),
        tuple(finding for _, found in findings for finding in found),
    )


def _load(path: Path, form: str) -> tuple[dict[str, Any] | None, Finding]:
    """Read a JSON file of a known format, or say why not."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        return None, Finding(path.name, f"cannot be read ({type(error).__name__})")
    if not isinstance(value, dict) or value.get("format") != form:
        return None, Finding(path.name, f"is not of the format {form}")
    return value, Finding(path.name, "read")


def _check_digest(certificate: dict[str, Any]) -> Iterator[Finding]:
    """The certificate's own digest covers every other line of it."""
    body = {name: value for name, value in certificate.items() if name != "digest"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    if hashlib.sha256(text.encode()).hexdigest() != certificate.get("digest"):
        yield Finding(CERTIFICATE, "was altered: its digest does not cover its content")


def _certified(certificate: dict[str, Any]) -> dict[str, str]:
    """Every file that may lie in the release besides the certificate, with its sha256."""
    report = certificate.get("report") or {}
    named = {str(report["file"]): str(report["sha256"])} if "file" in report else {}
    return {**certificate.get("files", {}), **named}


def _check_files(out: Path, certificate: dict[str, Any]) -> Iterator[Finding]:
    """Nothing altered, swapped, missing or added."""
    expected = _certified(certificate)
    owner = {digest: name for name, digest in expected.items()}
    present = {p.relative_to(out).as_posix() for p in out.rglob("*") if not p.is_dir()}
    for name in sorted(present - set(expected) - {CERTIFICATE}):
        yield Finding(name, "is not in the certificate")
    for name, digest in expected.items():
        if name not in present:
            yield Finding(name, "is in the certificate but missing")
            continue
        path = out / name
        if path.is_symlink():
            yield Finding(name, "is a link; a release holds plain files")
            continue
        with path.open("rb") as file:
            real = hashlib.file_digest(file, "sha256").hexdigest()
        if real == digest:
            continue
        if real in owner:
            yield Finding(name, f"holds the certified content of {owner[real]}: swapped")
        else:
            yield Finding(name, "differs from its certified sha256")


def _check_metadata(out: Path, certificate: dict[str, Any]) -> Iterator[Finding]:
    """Pictures hold pixels and nothing else."""
    for name in certificate.get("files", {}):
        path = out / name
        if path.is_file() and (extra := _metadata(path.read_bytes())):
            yield Finding(name, f"carries metadata: {', '.join(extra)}")


def _metadata(data: bytes) -> list[str]:
    """What a JPEG or PNG holds besides its picture."""
    if data.startswith(b"\xff\xd8"):
        return _jpeg_extras(data)
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return _png_extras(data)
    return ["neither JPEG nor PNG"]


def _jpeg_extras(data: bytes) -> list[str]:
    """Application and comment segments before the scan, and bytes after the end."""
    extras, at = [], 2
    while at + 4 <= len(data) and data[at] == 0xFF and data[at + 1] != 0xDA:
        marker, size = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        # JFIF with a thumbnail is longer than its 16 bytes
        plain = marker == _JPEG_APP0 and data[at + 4 : at + 9] == b"JFIF\0" and size == 16
        if (0xE0 <= marker <= 0xEF and not plain) or marker == 0xFE:
            extras.append("comment" if marker == 0xFE else f"APP{marker - 0xE0}")
        at += 2 + size
    end = data.rfind(b"\xff\xd9")
    if end < 0 or end + 2 != len(data):
        extras.append("bytes after the picture")
    return extras


def _png_extras(data: bytes) -> list[str]:
    """Chunks that are not the picture, and bytes after the end."""
    extras, at = [], 8
    while at + 12 <= len(data):
        size, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        if kind not in _PNG_CHUNKS:
            extras.append(kind.decode("latin-1"))
        at += 12 + size
        if kind == b"IEND":
            break
    if at != len(data):
        extras.append("bytes after the picture")
    return extras


def _check_groups(certificate: dict[str, Any]) -> Iterator[Finding]:
    """k of the certificate against the people of each of its groups."""
    if certificate.get("guarantee") != "k-anonymity":
        if certificate.get("claims"):
            yield Finding(CERTIFICATE, "claims something for a method that guarantees nothing")
        return
    k, groups = certificate.get("k"), certificate.get("groups", [])
    if not isinstance(k, int) or k < 2:
        yield Finding(CERTIFICATE, f"k={k!r} is no number of people above 1")
        return
    for group in groups:
        if group["people"] < k:
            short = str(group["surrogate"])[:12]
            yield Finding(f"surrogate {short}", f"is shared by {group['people']} people, k={k}")
    faces = sum(group["faces"] for group in groups)
    if faces != certificate.get("faces"):
        yield Finding(CERTIFICATE, f"counts {certificate.get('faces')} faces, its groups {faces}")


def _check_same(certificate: dict[str, Any], ledger: dict[str, Any]) -> Iterator[Finding]:
    """k, seed, files and surrogates of the two documents."""
    if ledger.get("certificate") != certificate.get("digest"):
        yield Finding("ledger", "belongs to a certificate with another digest")
    stated = ledger.get("options", {}).get("k")
    if stated != certificate.get("k"):
        yield Finding(CERTIFICATE, f"says k={certificate.get('k')}, the ledger k={stated}")
    commitment = f"{ledger.get('seed')}:{ledger.get('nonce')}"
    if hashlib.sha256(commitment.encode()).hexdigest() != certificate.get("seed_commitment"):
        yield Finding("ledger", "holds another seed than the one that was committed to")
    for name in sorted(set(ledger.get("files", {})) ^ set(certificate.get("files", {}))):
        yield Finding(name, "is not in both the ledger and the certificate")
    published = Counter(group["surrogate"] for group in certificate.get("groups", []))
    private = Counter(group["surrogate"] for group in ledger.get("groups", []))
    for surrogate in sorted((published - private) + (private - published)):
        yield Finding(f"surrogate {surrogate[:12]}", "is not in both ledger and certificate")


def _check_people(certificate: dict[str, Any], ledger: dict[str, Any]) -> Iterator[Finding]:
    """Count the people of each surrogate anew, from the faces."""
    k = certificate["k"]
    shown: dict[int, set[str]] = defaultdict(set)
    faces: Counter[int] = Counter()
    for face in ledger.get("faces", []):
        if face["group"] is not None:
            shown[face["group"]].add(face["person"])
            faces[face["group"]] += 1
    published = Counter(
        (group["surrogate"], group["people"], group["faces"])
        for group in certificate.get("groups", [])
    )
    looks: dict[tuple[int, str], set[str]] = defaultdict(set)
    for face in ledger.get("faces", []):
        if face["group"] is not None and face.get("state"):
            # whether a photo has colour is no matter of the face
            looks[face["group"], str(face["state"]).rsplit(" ", 1)[-1]].add(face["person"])
    for group in ledger.get("groups", []):
        number, short = group["group"], str(group["surrogate"])[:12]
        others = set(group.get("others", []))
        for (owner, state), seen in sorted(looks.items()):
            people = len(seen | others | set(group.get("withheld", {}).get(state, [])))
            if owner == number and people < k:
                yield Finding(f"surrogate {short}", f"{people} people show it as {state}, k={k}")
        if set(group["people"]) != shown.get(number, set()):
            yield Finding(f"surrogate {short}", "its people are not those of its faces")
        people = len(shown.get(number, set()) | set(group.get("others", [])))
        if people < k:
            yield Finding(f"surrogate {short}", f"is shared by {people} people, k={k}")
        if not published[group["surrogate"], people, faces[number]]:
            yield Finding(f"surrogate {short}", "ledger and certificate count it differently")
    unknown = set(shown) - {group["group"] for group in ledger.get("groups", [])}
    if unknown:
        yield Finding("ledger", f"{len(unknown)} groups of its faces are not listed")


def _check_one_surrogate(ledger: dict[str, Any]) -> Iterator[Finding]:
    """A person with two surrogates could be found by intersecting their groups."""
    groups: dict[str, set[int]] = defaultdict(set)
    files: dict[str, str] = {}
    for face in ledger.get("faces", []):
        if face["group"] is not None:
            groups[face["person"]].add(face["group"])
            files[face["person"]] = face["file"]
    for person, found in groups.items():
        if len(found) > 1:
            yield Finding(files[person], f"its person has {len(found)} surrogates instead of one")


if __name__ == "__main__":
    verdict = verify(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
    for line in verdict.findings:
        sys.stdout.write(f"{line}\n")
    sys.exit(0 if verdict.holds else 1)

"""The files of a release: exactly those that were certified, plain, and pixels alone."""

import hashlib
import os
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from ksame.verification.documents import CERTIFICATE, Certificate
from ksame.verification.signed import SIGNATURE
from ksame.verification.verdict import Finding

# what makes a page run code or fetch something from elsewhere
_ACTIVE = re.compile(
    r"<\s*(script|iframe|object|embed|link|base|form|frame|applet)\b"
    r"|<[^>]*\son\w+\s*="
    r"|http-equiv"
    r"|javascript:"
    r"|(src|href|srcset|data|action|poster)\s*=\s*[\"']?\s*(?!data:image/|#)[^\s\"'>]"
    r"|url\(\s*[\"']?(?!data:image/|#)"
    r"|@import",
    re.IGNORECASE,
)

_NUMBERED = re.compile(r"\d{6,}\.(jpg|png|mp4)")  # a neutral name


def check_files(
    out: Path, certificate: Certificate, photos: Mapping[str, str]
) -> Iterator[Finding]:
    """Nothing altered, swapped, missing, added or linked; ``photos`` are the digests found."""
    expected = {**certificate.files, certificate.report[0]: certificate.report[1]}
    owner = {digest: name for name, digest in expected.items()}
    outside = [name for name in expected if not _is_below(name)]
    for name in outside:
        yield Finding(name, "is no name of a file inside the release")
    signature = {SIGNATURE} if (out / SIGNATURE).exists() else set()
    plain = yield from _check_folder(out, {*expected, CERTIFICATE, *signature})
    for name, digest in expected.items():
        if name in outside or name not in plain:
            continue
        real = photos.get(name) or hashlib.sha256((out / name).read_bytes()).hexdigest()
        if real == digest:
            continue
        if real in owner:
            yield Finding(name, f"holds the certified content of {owner[real]}: swapped")
        else:
            yield Finding(name, "differs from its certified sha256")


def _is_below(name: str) -> bool:
    """Whether a name stays inside of the release's folder."""
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


def _check_folder(out: Path, expected: set[str]) -> Generator[Finding, None, set[str]]:
    """Walk the folder without following links; returns the plain files of the certificate."""
    parents = {str(folder) for name in expected for folder in PurePosixPath(name).parents}
    plain: set[str] = set()
    seen: set[str] = set()
    for folder, names, files in os.walk(out):
        for name in sorted([*names, *files]):
            path = Path(folder) / name
            below = path.relative_to(out).as_posix()
            seen.add(below)
            if path.is_symlink():
                yield Finding(below, "is a link; a release holds plain files")
            elif path.is_dir():
                if below not in parents:
                    yield Finding(below, "is a folder without a certified file")
            elif below not in expected:
                yield Finding(below, "is not in the certificate")
            elif not path.is_file():
                yield Finding(below, "is no plain file")
            else:
                plain.add(below)
    for name in sorted(expected - seen):
        yield Finding(name, "is in the certificate but missing")
    return plain


def check_names(certificate: Certificate) -> Iterator[Finding]:
    """Names are numbers, unless the certificate says that they are the originals'."""
    if certificate.raw.get("keep_names") is True:
        return
    for name in certificate.files:
        if not _NUMBERED.fullmatch(name):
            yield Finding(name, "is a name that may tell something, and keep_names is not stated")


def plain_file(out: Path, name: str) -> Path | None:
    """A certified file, if it is a plain file inside of the release."""
    path = out / name
    try:
        if not _is_below(name) or path.is_symlink() or not path.is_file():
            return None
        inside = out.resolve() in path.resolve().parents
    except (OSError, ValueError):  # a name that no file system can hold
        return None
    return path if inside else None


def check_metadata(extras: Mapping[str, Sequence[str]]) -> Iterator[Finding]:
    """Pictures hold pixels and nothing else."""
    for name, found in extras.items():
        if found:
            yield Finding(name, f"carries metadata: {', '.join(found)}")


def check_report(out: Path, certificate: Certificate) -> Iterator[Finding]:
    """The report is a page that shows and does nothing else."""
    name = certificate.report[0]
    path = plain_file(out, name)
    if path is None:
        return
    if _ACTIVE.search(path.read_text(encoding="utf-8", errors="replace")):
        yield Finding(name, "runs code or loads something from elsewhere")

"""What a person decided instead of the models: every decision is stated, and none is hidden.

Somebody who consented is shown as is, and a detection that a person took for no face is left alone.
Both leave pixels of the photo where a face may be, so a ledger alone must not excuse them: the
published certificate has to say so, face by face.
"""

from collections import Counter
from collections.abc import Iterator

from ksame.verification.documents import CERTIFICATE, Box, Certificate, Face, Ledger
from ksame.verification.verdict import Finding

# certificates without these were made before people could decide: they decided nothing
COUNTED = (
    "faces_drawn",
    "faces_dismissed",
    "people_with_corrected_looks",
    "people_kept",
    "faces_kept",
)


def check_stated(certificate: Certificate) -> Iterator[Finding]:
    """The certificate's list of people who are shown as they are agrees with what it says."""
    told = {name: certificate.decisions.get(name, 0) for name in COUNTED}
    faces = sum(len(boxes) for boxes in certificate.kept.values())
    if set(certificate.decisions) - set(COUNTED):
        yield Finding(CERTIFICATE, "states a decision of an unknown kind")
    if set(certificate.kept) - set(certificate.files):
        yield Finding(CERTIFICATE, "lists faces kept as they are in a photo that is not released")
    if faces != told["faces_kept"]:
        yield Finding(
            CERTIFICATE, f"states {told['faces_kept']} faces kept as they are and lists {faces}"
        )
    if bool(told["people_kept"]) != bool(faces) or told["people_kept"] > faces:
        yield Finding(CERTIFICATE, "states faces kept as they are without people, or the opposite")
    if not certificate.promises:
        return
    for name, sentence in (
        ("faces_kept", f"nothing is claimed for {faces} faces of {told['people_kept']} people"),
        ("faces_dismissed", f"nothing is claimed for {told['faces_dismissed']} places"),
    ):
        if told[name] and not any(claim.startswith(sentence) for claim in certificate.claims):
            yield Finding(CERTIFICATE, f"claims too much: {name} is {told[name]}")


def check_decisions(certificate: Certificate, ledger: Ledger) -> Iterator[Finding]:
    """Every decision of the ledger is in the certificate, and nobody is half kept."""
    kept = [face for face in ledger.faces if face.kept]
    counted = {
        "faces_drawn": sum(face.drawn for face in ledger.faces),
        "faces_dismissed": sum(len(boxes) for boxes in ledger.dismissed.values()),
        "people_with_corrected_looks": len({face.person for face in ledger.faces if face.looks}),
        "people_kept": len({face.person for face in kept}),
        "faces_kept": len(kept),
    }
    for name, value in counted.items():
        stated = certificate.decisions.get(name, 0)
        if stated != value:
            yield Finding(CERTIFICATE, f"says {name}={stated}, the ledger's faces give {value}")
    listed = _places(certificate.kept)
    for face in kept:
        if not listed[face.file, face.box]:
            yield Finding(face.file, "a face is kept as it is that the certificate does not list")
        if _is_replaced(face) or face.person is None:
            yield Finding(face.file, "a face is kept as it is and yet replaced, hidden or nobody's")
    people = {face.person for face in kept}
    for face in ledger.faces:
        if not face.kept and face.person is not None and face.person in people:
            yield Finding(face.file, "its person is kept as is in another photo and not in this")
    for group in ledger.groups:
        if people & (group.people | group.others):
            yield Finding(group.short, "counts somebody who is shown as is")
    if set(ledger.dismissed) - set(certificate.files):
        yield Finding("ledger", "dismisses a face of a photo that was not released")


def _is_replaced(face: Face) -> bool:
    told = (face.group, face.hidden, face.numbers, face.placement, face.state)
    return any(value is not None for value in told)


def _places(kept: dict[str, tuple[Box, ...]]) -> Counter[tuple[str, Box]]:
    return Counter((file, box) for file, boxes in kept.items() for box in boxes)

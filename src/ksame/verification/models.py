"""The codes of model faces: of this model, and inside of its range."""

from collections.abc import Iterator

import numpy as np

from ksame.codecs.face import FaceModel
from ksame.codecs.face.pinned import SHA256
from ksame.verification.documents import CERTIFICATE, Certificate, Ledger
from ksame.verification.verdict import Finding


def check_codes(certificate: Certificate, ledger: Ledger) -> Iterator[Finding]:
    """Every group has the code of a face that the model can show."""
    versions = certificate.raw.get("versions")
    told = versions.get("face_model") if isinstance(versions, dict) else None
    if told != SHA256:
        yield Finding(
            CERTIFICATE, "names another face model; verify with the version of ksame that it names"
        )
    model = FaceModel.load()
    for group in ledger.groups:
        code = np.array(group.code, np.float32)
        if code.shape != (model.identity_size,):
            yield Finding(group.short, f"has not the {model.identity_size} numbers of a code")
        elif not np.array_equal(model.checked(code), code):
            yield Finding(group.short, "its code lies out of the model's range")
    for face in ledger.faces:
        if face.group is not None and face.numbers is None:
            yield Finding(face.file, "a replaced face has no numbers to draw it from")

"""The shipped file of the model: read once, and only where its bytes are the pinned ones."""

import hashlib
from importlib import resources

from ksame.arrays import Arrays
from ksame.codecs.face.pinned import SHA256
from ksame.errors import WeightsError

FILE = "nobody.safetensors"


def read_arrays() -> Arrays:
    """The arrays of the shipped file; WeightsError where it is missing or altered."""
    try:
        content = (resources.files("ksame.codecs.face") / FILE).read_bytes()
    except OSError:
        raise WeightsError(
            f"the face model {FILE} is missing from this installation. Install ksame again."
        ) from None
    return parse_arrays(content, SHA256)


def parse_arrays(content: bytes, digest: str) -> Arrays:
    """The arrays of a file's bytes, whose sha256 must be ``digest``."""
    found = hashlib.sha256(content).hexdigest()
    if found != digest:
        raise WeightsError(
            f"the face model {FILE} has been altered: its sha256 begins with {found[:12]} instead "
            f"of {digest[:12]}. Install ksame again."
        )
    # imported here: only whoever shows a face needs it
    from safetensors.numpy import load

    arrays: Arrays = load(content)
    return arrays

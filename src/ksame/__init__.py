"""ksame: face de-identification with a proof.

Every released face is shared by at least k different people, so that no recogniser links it to
its person with better than 1/k probability::

    import ksame

    release = ksame.deidentify("photos", "out", k=5)
    verdict = ksame.verify("out", "out.ledger.json")
    result = ksame.attack("photos", "out")

The names below are imported when they are first used, so that ``import ksame`` stays fast.
"""

from typing import TYPE_CHECKING

from ksame._version import __version__
from ksame.errors import (
    GuaranteeError,
    InputError,
    KsameError,
    KsameWarning,
    MediaError,
    MixedPeopleWarning,
    NoGuaranteeWarning,
    VaultError,
    VerificationError,
    WeightsError,
)
from ksame.lazy import lazy_names

if TYPE_CHECKING:  # what a type checker sees; a test keeps it equal to the table below
    from ksame import datasets
    from ksame.attacks import AttackResult, attack
    from ksame.codecs.aam import ActiveAppearanceModel
    from ksame.faces import Face, Faces
    from ksame.faceset import FaceSet
    from ksame.methods import KSame, KSameEigen, KSameFurthest, KSameM, KSamePixel, KSameSelect
    from ksame.metrics import check_k_anonymity, cmc
    from ksame.recognition import Eigenfaces
    from ksame.release import Plan, Release, deidentify
    from ksame.verification import Verdict, verify

_HOMES = {
    "ActiveAppearanceModel": "ksame.codecs.aam",
    "AttackResult": "ksame.attacks",
    "Eigenfaces": "ksame.recognition",
    "Face": "ksame.faces",
    "FaceSet": "ksame.faceset",
    "Faces": "ksame.faces",
    "KSame": "ksame.methods",
    "KSameEigen": "ksame.methods",
    "KSameFurthest": "ksame.methods",
    "KSameM": "ksame.methods",
    "KSamePixel": "ksame.methods",
    "KSameSelect": "ksame.methods",
    "Plan": "ksame.release",
    "Release": "ksame.release",
    "Verdict": "ksame.verification",
    "attack": "ksame.attacks",
    "check_k_anonymity": "ksame.metrics",
    "cmc": "ksame.metrics",
    "datasets": "ksame",
    "deidentify": "ksame.release",
    "verify": "ksame.verification",
}

__all__ = [
    "ActiveAppearanceModel",
    "AttackResult",
    "Eigenfaces",
    "Face",
    "FaceSet",
    "Faces",
    "GuaranteeError",
    "InputError",
    "KSame",
    "KSameEigen",
    "KSameFurthest",
    "KSameM",
    "KSamePixel",
    "KSameSelect",
    "KsameError",
    "KsameWarning",
    "MediaError",
    "MixedPeopleWarning",
    "NoGuaranteeWarning",
    "Plan",
    "Release",
    "VaultError",
    "Verdict",
    "VerificationError",
    "WeightsError",
    "__version__",
    "attack",
    "check_k_anonymity",
    "cmc",
    "datasets",
    "deidentify",
    "verify",
]


__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)

"""What a release gives away and what it keeps."""

from ksame.metrics.anonymity import AnonymityReport, check_k_anonymity, count_recognised
from ksame.metrics.cmc import cmc
from ksame.metrics.loss import (
    changed_pixels,
    entropy,
    euclid,
    is_effective,
    is_k_same,
    is_preserved,
    loss,
)

__all__ = [
    "AnonymityReport",
    "changed_pixels",
    "check_k_anonymity",
    "cmc",
    "count_recognised",
    "entropy",
    "euclid",
    "is_effective",
    "is_k_same",
    "is_preserved",
    "loss",
]

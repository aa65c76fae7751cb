"""What a release gives away and what it keeps."""

from ksame.metrics.anonymity import AnonymityReport, check_k_anonymity
from ksame.metrics.cmc import cmc

__all__ = ["AnonymityReport", "check_k_anonymity", "cmc"]

"""The attacker's recognisers, behind one small contract."""

from ksame.recognition.contract import Recogniser, rank
from ksame.recognition.eigenfaces import Eigenfaces

__all__ = ["Eigenfaces", "Recogniser", "rank"]

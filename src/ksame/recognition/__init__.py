"""The attacker's recognisers, behind one small contract."""

from ksame.recognition.contract import Recogniser, fitted, rank
from ksame.recognition.eigenfaces import Eigenfaces
from ksame.recognition.spaces import CodeSpace, Trained, Viewed

__all__ = ["CodeSpace", "Eigenfaces", "Recogniser", "Trained", "Viewed", "fitted", "rank"]

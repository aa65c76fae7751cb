"""People to groups: pure functions of one vector per person, k and a random state."""

from ksame.grouping.alike import alike
from ksame.grouping.apart import apart
from ksame.grouping.blocks import blocks
from ksame.grouping.closest import closest
from ksame.grouping.distinct import k_diff_furthest
from ksame.grouping.furthest import View, furthest
from ksame.grouping.groups import Swap, information_loss
from ksame.grouping.labelled import l_diverse, t_close
from ksame.grouping.literal import LiteralSwap, furthest_literal
from ksame.grouping.mdav import mdav
from ksame.grouping.settle import settle
from ksame.grouping.wrong_map import wrong_map

__all__ = [
    "LiteralSwap",
    "Swap",
    "View",
    "alike",
    "apart",
    "blocks",
    "closest",
    "furthest",
    "furthest_literal",
    "information_loss",
    "k_diff_furthest",
    "l_diverse",
    "mdav",
    "settle",
    "t_close",
    "wrong_map",
]

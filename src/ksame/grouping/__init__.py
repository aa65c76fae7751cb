"""People to groups: pure functions of one vector per person, k and a random state."""

from ksame.grouping.closest import closest
from ksame.grouping.furthest import View, furthest
from ksame.grouping.groups import Swap, information_loss
from ksame.grouping.literal import furthest_literal

__all__ = ["Swap", "View", "closest", "furthest", "furthest_literal", "information_loss"]

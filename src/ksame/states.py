"""How a head is shown: expression and pose, cut down to a few states that all people share.

A release that shows every nuance of a person's smile shows the person. A state is a public label;
inside a state every member of a group shows the same pixels.
"""

from enum import StrEnum
from typing import Final


class State(StrEnum):
    """A pose, in colour or without; its text is what stands in ledgers.

    ``LEFT`` and ``RIGHT`` are sides of the picture; the expression of turned heads is not kept.
    """

    NEUTRAL = "neutral"
    SMILE = "smile"
    OPEN = "open"
    LEFT = "left"
    RIGHT = "right"
    GREY_NEUTRAL = "grey neutral"
    GREY_SMILE = "grey smile"
    GREY_OPEN = "grey open"
    GREY_LEFT = "grey left"
    GREY_RIGHT = "grey right"

    @property
    def grey(self) -> bool:
        """Whether the photo has no colour."""
        return self in _IN_COLOUR

    @property
    def pose(self) -> "State":
        """The same state in colour."""
        return _IN_COLOUR.get(self, self)

    @property
    def without_colour(self) -> "State":
        """The same state in a photo without colour."""
        return _WITHOUT_COLOUR.get(self, self)


TURNED: Final = (State.LEFT, State.RIGHT)
POSES: Final = (State.NEUTRAL, State.SMILE, State.OPEN, *TURNED)

_WITHOUT_COLOUR: Final = {pose: State(f"grey {pose}") for pose in POSES}
_IN_COLOUR: Final = {grey: pose for pose, grey in _WITHOUT_COLOUR.items()}

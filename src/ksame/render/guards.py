"""How much less of what lies around a face is shown, where it is known by that: from mild to bare.

What recognisers go by where the face itself is nobody's are, in this order, the line where skin
ends, the hair above it, and what is worn. Of 51 faces of scenes of 40 px and more that needed more
than an evened line, SFace knows 13 with a face that reaches higher by six steps, 10 and 5 with
everybody's hair and a face higher by three and eight, and 3 with nothing else in front: as many as
without that hair, which left a bare head of twice its height. A wider jaw hid nobody.
"""

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Guard:
    """What is shown around a face.

    Attributes
    ----------
    hair : str
        ``kept`` as the photo shows it, or ``everybodys``: in its colour, but drawn, above one
        line for all faces.
    evened, drawn_back : numbers of cells
        Sigma over which the line of the hair is made even, and by how much it is drawn back.
    things : str
        ``own``: a mask may reach further than everybody's; ``everybodys``: it may not, and glasses
        are not drawn; ``none``: hands and masks are drawn over too.
    higher : int
        Steps by which the face reaches higher over the forehead, and further at the sides.
    """

    # of 842 faces of scenes, guarded where they are known, SFace names 3 with a hair line drawn
    # back by three cells and 4 with one, dlib 5 and 6; the more, the higher the foreheads
    hair: Literal["kept", "everybodys"] = "kept"
    evened: float = 5.0
    drawn_back: int = 1
    things: Literal["own", "everybodys", "none"] = "own"
    higher: int = 0


UNGUARDED: Final = Guard()
LADDER: Final = (
    UNGUARDED,
    Guard(things="everybodys"),
    Guard("kept", 12.0, 4, "everybodys"),
    Guard("kept", 12.0, 4, "everybodys", higher=3),
    Guard("kept", 12.0, 4, "everybodys", higher=6),
    Guard("everybodys", things="everybodys", higher=3),
    Guard("everybodys", things="everybodys", higher=8),
    Guard("everybodys", things="none", higher=8),
)
# of small faces: with hair in its own place it hid 105 of 141 of less than 24 px, a bare head 76
OF_SMALL: Final = 6

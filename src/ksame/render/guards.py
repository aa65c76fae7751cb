"""How much less of what lies around a face is shown, where it is known by that: from mild to bare.

What recognisers go by where the face itself is nobody's are, in this order, the line where skin
ends, the hair above it, and what is worn. Of 53 faces of scenes of 40 px and more that SFace knew,
drawing glasses away and a mask in everybody's shape hid 14, a coarser hair line besides 24, a face
that reaches higher by three steps besides 37; higher by six and eight with painted hair 45 and 48.
Nothing in front but the background, which paints foreheads over fringes, hid 33 alone, and 50 with
a face that is wider all around. A wider jaw hid nobody.
"""

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Guard:
    """What is shown around a face.

    Attributes
    ----------
    hair : str
        ``kept`` as the photo shows it, ``painted`` in smooth colours, or ``away``, with everything
        else that lies in front.
    evened, drawn_back : numbers of cells
        Sigma over which the line of the hair is made even, and by how much it is drawn back.
    own_things : bool
        Whether glasses are drawn, and a mask in its own shape instead of everybody's.
    higher : int
        Steps by which the face reaches higher over the forehead, and further at the sides.
    """

    # of 842 faces of scenes, guarded where they are known, SFace names 3 with a hair line drawn
    # back by three cells and 4 with one, dlib 5 and 6; the more, the higher the foreheads
    hair: Literal["kept", "painted", "away"] = "kept"
    evened: float = 5.0
    drawn_back: int = 1
    own_things: bool = True
    higher: int = 0


UNGUARDED: Final = Guard()
LADDER: Final = (
    UNGUARDED,
    Guard(own_things=False),
    Guard(own_things=False, evened=12.0, drawn_back=4),
    Guard(own_things=False, evened=12.0, drawn_back=4, higher=3),
    Guard(own_things=False, evened=12.0, drawn_back=4, higher=6),
    Guard("painted", 12.0, own_things=False, higher=6),
    Guard("painted", 12.0, own_things=False, higher=8),
    Guard("away", own_things=False, higher=8),
)
# of small faces: it hides 105 of 141 of less than 24 px, the last one 76
OF_SMALL: Final = 6

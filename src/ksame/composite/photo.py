"""From a photo, its portraits and their surrogates to the photo that may be released."""

from collections.abc import Sequence
from typing import Final, Literal

from ksame.arrays import Image
from ksame.composite.natural import replace_face
from ksame.composite.necks import Neck
from ksame.composite.place import fitted, lay, remove, tint
from ksame.composite.portrait import Portrait
from ksame.composite.surrogate import Surrogate
from ksame.errors import InputError

Mode = Literal["strict", "natural"]
MODES: Final[tuple[Mode, ...]] = ("strict", "natural")


def composite(
    rgb: Image,
    portraits: Sequence[Portrait],
    surrogates: Sequence[Surrogate],
    mode: str,
    regions: Sequence[Image | None] = (),
    seed: int = 0,
) -> Image:
    """Replace the faces of a photo; the photo itself is not changed.

    ``strict`` takes out every head and lays the group's head in its place, moved by position,
    scale and in-plane rotation only: no pixel of the original head is left, and all people of a
    group show the same pixels. ``natural`` replaces the face alone.

    Parameters
    ----------
    rgb : (h, w, 3) uint8 array
    portraits, surrogates : sequences of equal length
        The faces of this photo and the surrogate of each.
    mode : "strict" or "natural"
    regions : sequence of (320, 304) uint8 arrays, optional
        For each face what its group removes together (scene frame), so that the border of the
        fill is not the person's; ``strict`` alone uses it.
    seed : int
        Decides where the photo's grain goes on what is filled.
    """
    if mode not in MODES:
        raise InputError(f"mode={mode!r} must be one of {', '.join(MODES)}.")
    if len(portraits) != len(surrogates):
        raise InputError(
            f"{len(portraits)} portraits and {len(surrogates)} surrogates: give one for each face."
        )
    photo = rgb.copy()
    # small heads are far heads: near ones are laid over them
    order = sorted(range(len(portraits)), key=lambda i: portraits[i].eyes)
    if mode == "natural":
        for i in order:
            replace_face(photo, portraits[i], surrogates[i].look(portraits[i].state))
        return photo
    looks = [s.look(p.state) for s, p in zip(surrogates, portraits, strict=True)]
    necks = [Neck.of_portrait(portrait) for portrait in portraits]
    for i in order:
        tint(photo, portraits[i], looks[i])
    tinted = photo.copy() if len(order) > 1 else photo  # heads are filled from what is around them
    shared = regions or [None] * len(portraits)
    for place, i in enumerate(order):
        remove(photo, tinted, portraits[i], looks[i], necks[i], shared[i], seed + place)
    for i in order:
        lay(photo, fitted(looks[i], necks[i]), portraits[i].matrix)
    return photo

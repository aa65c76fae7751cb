"""What a ledger says of a photo and the models must agree with."""

from dataclasses import replace

from ksame.arrays import Image
from ksame.release.listed import Listed, in_order
from ksame.release.styles import style_named


def believed(listed: Listed, rgb: Image, style: str, detector: str) -> Listed:
    """The listing, its ``ignored`` boxes only where models take this very box for no face.

    Guarantee: a face that is moved there, by a slip or on purpose, is not left as it is. Whoever
    wants that dismisses it or keeps it by consent, which the certificate states.
    """
    if not listed.ignored:
        return listed
    from ksame.vision import find_faces_by

    told = {tuple(box) for box in listed.ignored}
    found = in_order(find_faces_by(detector, rgb))
    asked = [face for face in found if tuple(face.box.tolist()) in told]
    dropped = style_named(style).keep(rgb, asked, ())[1].get("dropped")
    own = set() if dropped is None else {tuple(box) for box in dropped.tolist()}
    return replace(listed, ignored=[box for box in listed.ignored if tuple(box) in own])

"""A surrogate goes back into its photo.

    portray(rgb, face)                        once a face: Portrait, or NoPortrait (falsy, .reason)
    person_code(portraits)                    once a person: the vector that people are grouped by
    choose_head(donors, candidates)           whose hair a group's mean face wears; not a member's
    synthesise(donors, head)                  once a group: Surrogate, one Look per expression;
                                              with people=, further from those it stands for
    composite(rgb, portraits, surrogates, mode)   once a photo

``strict`` swaps the head: where ``Look.solid`` holds, every photo of a group shows the same pixels
of the head frame, moved by position, scale and in-plane rotation only. Whose hair was taken is a
donor of the surrogate like those of its face, and outside the group that it stands for. ``natural``
replaces the face alone. A face without a portrait has to be blacked out by the caller.

The names below are imported when they are first used: fills alone need few of the modules.
"""

from typing import TYPE_CHECKING

from ksame.lazy import lazy_names

if TYPE_CHECKING:
    from ksame.composite.people import choose_head, person_code
    from ksame.composite.photo import MODES, Mode, composite
    from ksame.composite.portrait import NoPortrait, Portrait, best_portrait, portray
    from ksame.composite.surrogate import Look, Surrogate, synthesise
    from ksame.composite.traits import TRAITS, Traits

_HOMES = {
    "MODES": "ksame.composite.photo",
    "TRAITS": "ksame.composite.traits",
    "Look": "ksame.composite.surrogate",
    "Mode": "ksame.composite.photo",
    "NoPortrait": "ksame.composite.portrait",
    "Portrait": "ksame.composite.portrait",
    "Surrogate": "ksame.composite.surrogate",
    "Traits": "ksame.composite.traits",
    "best_portrait": "ksame.composite.portrait",
    "choose_head": "ksame.composite.people",
    "composite": "ksame.composite.photo",
    "person_code": "ksame.composite.people",
    "portray": "ksame.composite.portrait",
    "synthesise": "ksame.composite.surrogate",
}

__all__ = [
    "MODES",
    "TRAITS",
    "Look",
    "Mode",
    "NoPortrait",
    "Portrait",
    "Surrogate",
    "Traits",
    "best_portrait",
    "choose_head",
    "composite",
    "person_code",
    "portray",
    "synthesise",
]

__getattr__ = lazy_names(__name__, _HOMES)

"""A surrogate goes back into its photo."""

from ksame.composite.people import best_portrait, choose_head, person_code, tone_classes
from ksame.composite.photo import MODES, Mode, composite
from ksame.composite.portrait import NoPortrait, Portrait, portray
from ksame.composite.surrogate import Look, Surrogate, synthesise

__all__ = [
    "MODES",
    "Look",
    "Mode",
    "NoPortrait",
    "Portrait",
    "Surrogate",
    "best_portrait",
    "choose_head",
    "composite",
    "person_code",
    "portray",
    "synthesise",
    "tone_classes",
]

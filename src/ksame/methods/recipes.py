"""One k-Same: every method is a row of one table, for face sets and for photos alike.

A method is told by what people are compared by, who shares a face, how that face is made, how many
people it takes and what may be claimed of it. Whoever needs to know asks the recipe; no other code
asks for a method's name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

from ksame.errors import InputError
from ksame.grouping import (
    alike,
    apart,
    blocks,
    closest,
    furthest,
    furthest_literal,
    l_diverse,
    mdav,
    t_close,
    wrong_map,
)
from ksame.metrics.diversity import check_closeness, check_diversity
from ksame.plugins import resolve

Making = Literal["mean", "drawn", "proxies"]


@dataclass(frozen=True, slots=True)
class Grouping:
    """Who shares a face.

    Attributes
    ----------
    divide : callable
        ``(codes, k, generator)`` of one row per person: a label per person, or a ``Swap``.
    swaps : bool
        A group is shown the face of another group (F figure 2), so that there must be two.
    sees_companions : bool
        ``divide`` also takes ``companions``: pairs of people who are seen together.
    sees_labels : bool
        ``divide`` also takes ``labels``: one value per person that a group must not tell.
    check : callable, optional
        What a grouping promises of its labels, ``(groups, labels) -> None``, counted anew before
        anything is released; it raises `GuaranteeError`.
    """

    name: str
    divide: Callable[..., Any]
    swaps: bool = False
    sees_companions: bool = False
    sees_labels: bool = False
    check: Callable[..., None] | None = None

    def needed(self, k: int) -> int:
        """How many people a class must have."""
        return 2 * k if self.swaps else k


def diverse(l: int) -> Grouping:
    """Closest groups in each of which people have l different labels or more (l-diversity).

    `l_diverse` has the rules; `check_diversity` counts again.
    """

    def divide(codes: Any, k: int, rng: Any, labels: Any) -> Any:
        return l_diverse(codes, k, labels, l, rng)

    check = partial(check_diversity, l=l)
    return Grouping("l-diverse", divide, sees_labels=True, check=check)


def close(t: float) -> Grouping:
    """Closest groups whose labels are distributed as everybody's, within t (t-closeness).

    `t_close` has the rules; `check_closeness` counts again.
    """

    def divide(codes: Any, k: int, rng: Any, labels: Any) -> Any:
        return t_close(codes, k, labels, t, rng)

    check = partial(check_closeness, t=t)
    return Grouping("t-close", divide, sees_labels=True, check=check)


GROUPINGS: Mapping[str, Grouping] = MappingProxyType(
    {
        "closest": Grouping("closest", closest),
        "mdav": Grouping("mdav", mdav),
        "blocks": Grouping("blocks", blocks),
        "furthest": Grouping("furthest", furthest, swaps=True),
        "wrong-map": Grouping("wrong-map", wrong_map, swaps=True),
        "furthest-literal": Grouping("furthest-literal", furthest_literal),
        "alike": Grouping("alike", alike, sees_companions=True),
        "apart": Grouping("apart", apart, sees_companions=True),
        "l-diverse": diverse(2),
        "t-close": close(0.2),
    }
)


def grouping_of(named: str | Grouping | Callable[..., Any]) -> Grouping:
    """The grouping of a name (`ksame.plugins`), a grouping itself, or a function of one's own.

    Raises
    ------
    InputError
        No grouping has that name.
    """
    found = resolve("grouping", named, GROUPINGS) if isinstance(named, str) else named
    if isinstance(found, Grouping):
        return found
    known = (grouping for grouping in GROUPINGS.values() if grouping.divide is found)
    return next(known, Grouping(getattr(found, "__name__", "own"), found))


@dataclass(frozen=True, slots=True)
class Recipe:
    """One method.

    Attributes
    ----------
    codec : str
        What people are compared by: ``pixels``, ``eigenfaces``, ``model`` (the parameters of an
        appearance model) or ``looks`` (sex, age and skin alone).
    grouping : Grouping
    making : "mean", "drawn" or "proxies"
        The face of a group is the mean of the group that lends it; one of nobody, drawn at random;
        or the mean of k faces of nobody that are nearest to the group (k-Same-Net's proxy set).
        ``Grouping.swaps`` tells which group lends.
    aligned : bool
        Faces are brought to one shape before they are averaged, so that there are no ghosts.
    asks_for_classes : bool
        The method is about classes and means nothing without them.
    claim : str
        What may be said of the surrogates beyond k-anonymity; empty for nothing.
    """

    name: str
    codec: str
    grouping: Grouping
    making: Making = "mean"
    aligned: bool = True
    asks_for_classes: bool = False
    claim: str = ""

    def needed(self, k: int) -> int:
        """How many people a class must have."""
        return self.grouping.needed(k)

    @property
    def shows_nobody(self) -> bool:
        """Whether every face is made of people who do not exist."""
        return self.making != "mean"

    def grouped_by(self, grouping: str | None) -> "Recipe":
        """The recipe with another grouping."""
        return self if grouping is None else replace(self, grouping=grouping_of(grouping))


_FAR = "the surrogate is made from people of another group, away from its own people"
_NOBODY = "the surrogate is a person who does not exist, drawn at random and shared by the group"
_PROXIES = (
    "the surrogate is the mean of k people who do not exist, those nearest to the group's mean"
)

RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
        "nobody": Recipe("nobody", "looks", GROUPINGS["alike"], making="drawn", claim=_NOBODY),
        "proxy": Recipe("proxy", "model", GROUPINGS["closest"], making="proxies", claim=_PROXIES),
        "pixel": Recipe("pixel", "pixels", GROUPINGS["closest"], aligned=False),
        "eigen": Recipe("eigen", "eigenfaces", GROUPINGS["closest"], aligned=False),
        "m": Recipe("m", "model", GROUPINGS["closest"]),
        "select": Recipe("select", "model", GROUPINGS["closest"], asks_for_classes=True),
        "mdav": Recipe("mdav", "model", GROUPINGS["mdav"]),
        "furthest": Recipe("furthest", "model", GROUPINGS["furthest"], claim=_FAR),
    }
)

USUAL: Mapping[str, str] = MappingProxyType({"natural": "nobody", "strict": "furthest"})
"""The method of a release that names none, where faces are replaced and where heads are."""


def recipe_of(name: str) -> Recipe:
    """The recipe of a method's name (`ksame.plugins`).

    Raises
    ------
    InputError
        No method has that name, or what has it is no recipe.
    """
    found = resolve("method", name, RECIPES)
    if isinstance(found, Recipe):
        return found
    raise InputError(
        f"method {name!r} is a {type(found).__name__} and must be a ksame.methods.Recipe. "
        "docs/extending.md shows one."
    )

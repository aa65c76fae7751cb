"""The named de-identifiers: the k-Same family, and ad hoc methods to compare them with."""

from typing import TYPE_CHECKING

from ksame.lazy import lazy_names

if TYPE_CHECKING:
    from ksame.methods.adhoc import AD_HOC, conceal, conceal_box
    from ksame.methods.ksame import KSame, KSameEigen, KSameFurthest, KSamePixel
    from ksame.methods.ksame_m import KSameM
    from ksame.methods.recipes import GROUPINGS, RECIPES, Grouping, Recipe, close, diverse
    from ksame.methods.select import KSameSelect

# scikit-learn, OpenCV and the appearance model are imported on first use (PEP 562): a release
# needs the recipes alone.
_HOMES = {
    "AD_HOC": "ksame.methods.adhoc",
    "GROUPINGS": "ksame.methods.recipes",
    "Grouping": "ksame.methods.recipes",
    "KSame": "ksame.methods.ksame",
    "KSameEigen": "ksame.methods.ksame",
    "KSameFurthest": "ksame.methods.ksame",
    "KSameM": "ksame.methods.ksame_m",
    "KSamePixel": "ksame.methods.ksame",
    "KSameSelect": "ksame.methods.select",
    "RECIPES": "ksame.methods.recipes",
    "Recipe": "ksame.methods.recipes",
    "close": "ksame.methods.recipes",
    "conceal": "ksame.methods.adhoc",
    "conceal_box": "ksame.methods.adhoc",
    "diverse": "ksame.methods.recipes",
}

__all__ = [
    "AD_HOC",
    "GROUPINGS",
    "RECIPES",
    "Grouping",
    "KSame",
    "KSameEigen",
    "KSameFurthest",
    "KSameM",
    "KSamePixel",
    "KSameSelect",
    "Recipe",
    "close",
    "conceal",
    "conceal_box",
    "diverse",
]

__getattr__ = lazy_names(__name__, _HOMES)

"""How faces are kept, shared and put into photos: one module a style, all with one contract."""

from importlib import import_module
from typing import cast

from ksame.release.styles.contract import Style

__all__ = ["Style", "style_named"]

_HOMES = {
    "model": "ksame.release.styles.model",  # a face of the model, rendered into the photo
    "heads": "ksame.release.styles.heads",  # a head made from people's own, laid over the photo
    "adhoc": "ksame.release.styles.adhoc",  # a mask that guarantees nothing
}


def style_named(name: str) -> Style:
    """The style of a name; its module is imported when it is first asked for."""
    return cast(Style, import_module(_HOMES[name]))

"""A finished release that is made again from its own ledger, perhaps corrected.

Groups that no correction touches stay as they were, with their faces, and a photo in which nothing
changed is taken over as it is. That saves the work, and it is safer: two releases of the same
people in other groups could be intersected.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ksame.errors import KsameError
from ksame.release.earlier import KnownGroup
from ksame.release.plan import Plan
from ksame.vault.container import is_vault

# what groups do not depend on: how people were named, and what becomes of photos without a face
_APART: Final = ("persons", "allow_faceless")


@dataclass(frozen=True, slots=True)
class Before:
    """What is known of the release that is made again.

    Attributes
    ----------
    groups : who shared which face; empty where groups are to be formed anew
    looks : by person, the looks that a person had corrected then
    book : its ledger
    out : its folder, whose files are taken over where nothing changed
    """

    groups: tuple[KnownGroup, ...] = field(repr=False)
    looks: Mapping[str, Mapping[str, str]] = field(repr=False)
    book: Mapping[str, Any] = field(repr=False)
    out: Path = field(repr=False)


def read_before(plan: Plan, out: Path | None) -> Before | None:
    """The release in ``out``, whose ledger a plan names the people by.

    None where no release is made again, or one of other options or another seed: whoever names
    people by a ledger alone wants their names, and nothing else of it.
    """
    path = Path(plan.persons)
    if out is None or not plan.guarantees or plan.seed is None or not path.is_file():
        return None
    if path.suffix.lower() != ".json" and not is_vault(path):
        return None
    from ksame.vault import open_ledger

    try:
        book = open_ledger(path)
        same = _asked(book["options"]) == _asked(plan.public()) and book["seed"] == plan.seed
        return _before(plan, book, out) if same and "certificate" in book else None
    except (KsameError, LookupError, TypeError, ValueError, AttributeError):
        return None  # whoever reads the people from it says what is wrong with it


def _asked(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in _APART}


def _before(plan: Plan, book: Mapping[str, Any], out: Path) -> Before:
    looks = {
        str(face["person"]): dict(face.get("looks") or {})
        for face in book["faces"]
        if face["person"] is not None
    }
    return Before(_groups(plan, book), looks, book, out)


def _groups(plan: Plan, book: Mapping[str, Any]) -> tuple[KnownGroup, ...]:
    """The groups, where a face is nobody's and so none of its people must stay for it."""
    from ksame.codecs.face.pinned import SHA256

    recipe = plan.recipe
    drawn = recipe is not None and recipe.making == "drawn" and plan.style == "model"
    if not drawn or book["face_model"] != SHA256:
        return ()
    return tuple(map(KnownGroup.of_entry, book["groups"]))

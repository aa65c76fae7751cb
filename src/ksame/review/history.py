"""What a person did, step by step: undone, done again, and kept after every step."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any, Final

from ksame.errors import InputError
from ksame.files import write_text
from ksame.release.corrections import Corrections

FORMAT: Final = "ksame-review-1"
SAVED: Final = "review.json"  # in the private work folder


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a person did, in words, and what it corrects."""

    label: str
    change: Corrections = field(repr=False)


@dataclass(frozen=True, slots=True)
class History:
    """Steps that were done, and steps that were taken back and can be done again; immutable."""

    done: Sequence[Step] = ()
    undone: Sequence[Step] = ()

    @property
    def corrections(self) -> Corrections:
        """Everything that was done, as one value."""
        return reduce(Corrections.after, (step.change for step in self.done), Corrections())

    def with_step(self, step: Step) -> "History":
        """A step more; what was undone before cannot be done again."""
        return History((*self.done, step))

    def undo(self) -> "History":
        """Without the last step; the same where there is none."""
        if not self.done:
            return self
        return History(self.done[:-1], (self.done[-1], *self.undone))

    def redo(self) -> "History":
        """With the step that was undone last; the same where there is none."""
        if not self.undone:
            return self
        return History((*self.done, self.undone[0]), self.undone[1:])

    def as_json(self) -> dict[str, Any]:
        """The history as JSON; private."""

        def told(steps: Sequence[Step]) -> list[dict[str, Any]]:
            return [{"label": step.label, "change": step.change.as_json()} for step in steps]

        return {"format": FORMAT, "done": told(self.done), "undone": told(self.undone)}

    @classmethod
    def from_json(cls, value: Any) -> "History":
        """The inverse of `as_json`.

        Raises
        ------
        InputError
            The value is of another form.
        """

        def read(steps: Any) -> tuple[Step, ...]:
            return tuple(
                Step(str(step["label"]), Corrections.from_json(step["change"])) for step in steps
            )

        try:
            if value["format"] != FORMAT:
                raise ValueError("format")
            return cls(read(value["done"]), read(value["undone"]))
        except (LookupError, TypeError, ValueError) as error:
            raise InputError(
                f"the saved review cannot be read ({type(error).__name__}); delete {SAVED} in the "
                "work folder to begin anew"
            ) from None


def save(folder: Path, history: History) -> None:
    """Keep a history, seen complete or not at all, by its owner alone."""
    write_text(folder / SAVED, json.dumps(history.as_json(), separators=(",", ":")))


def load(folder: Path) -> History:
    """The history that was kept, or an empty one.

    Raises
    ------
    InputError
        There is one, and it cannot be read: nothing that a person did is thrown away unasked.
    """
    try:
        text = (folder / SAVED).read_text(encoding="utf-8")
    except FileNotFoundError:
        return History()
    try:
        return History.from_json(json.loads(text))
    except (json.JSONDecodeError, UnicodeDecodeError):
        return History.from_json(None)

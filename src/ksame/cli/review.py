"""``ksame review``: look at what was found, correct it, then release."""

import inspect
import os
import sys
import webbrowser
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ksame.cli import console
from ksame.cli.deidentify import deidentify, print_release, summary
from ksame.cli.keys import ask_new, holding_key
from ksame.cli.options import NEW_FOLDER

if TYPE_CHECKING:
    from ksame.release import Plan, Release

_LEDGER = (
    "The ledger of a finished release: IN is then its folder, and it is made again, corrected."
)
_CLOSED = 130  # as for any command that a person stops


@dataclass(frozen=True, slots=True)
class _Opening:
    """How the page is opened."""

    port: int = 0
    browser: bool = True


_USUAL = _Opening()
_opening: ContextVar[_Opening] = ContextVar("opening", default=_USUAL)


def look_first(plan: "Plan", made: Path | None = None) -> "Release":
    """Open the page for a plan, and make the release that a person decides on.

    ``made`` is the folder of the finished release that is looked at again.
    """
    from ksame.review import Ended
    from ksame.review import review as look

    how = _opening.get()

    def opened(address: str) -> None:
        console.err.print("the review page is open on this machine alone; its address works once:")
        console.err.print(address, markup=False)
        if how.browser and _has_screen():
            webbrowser.open(address)

    try:
        return look(plan, opened, how.port, made)
    except Ended as ended:
        console.err.print(str(ended))
        raise typer.Exit(_CLOSED) from None


def _has_screen() -> bool:
    """Whether a browser can be seen: in a terminal alone one would take the terminal over."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _finished(out: Path, ledger: Path, new: Path | None, further: dict[str, Any]) -> "Release":
    """Review a finished release; without another folder the new one takes its place."""
    from ksame.review.finished import finished_plan, put_in_place

    with console.speaking_options():
        made = new or out.with_name(f"{out.name}.corrected")
        release = look_first(finished_plan(out, ledger, made, **further), out)
    return put_in_place(release, out, ledger) if new is None else release


def review(**given: Any) -> None:
    """Look at what was found on a page on this machine, correct it, then release.

    The options are those of ``ksame deidentify``. With ``--ledger`` IN is a finished release: its
    photos, options and secret are taken from the ledger, and what is corrected is made again. The
    old release is moved aside, or kept if -o names another folder.
    """
    from ksame.vault import find_locks

    ledger, out = given.pop("ledger"), given.pop("out")
    _opening.set(_Opening(given.pop("port"), not given.pop("no_open")))
    if ledger is None:
        if out is None:
            raise typer.BadParameter("name the new folder of the release", param_hint="-o")
        deidentify(**given, out=out, review=True)
        return
    if len(given["inputs"]) != 1:
        raise typer.BadParameter("with --ledger IN is the folder of one release", param_hint="IN")
    told = {name: given[name] for name in ("jobs", "reference", "continues")}
    further = {name: value for name, value in told.items() if value is not None}
    if given["vault"] is not None:
        further["vault"] = find_locks(given["vault"], ask_new)
    with holding_key(given["key"]):
        release = _finished(given["inputs"][0], ledger, out, further)
    if given["as_json"]:
        console.print_json(summary(release))
    else:
        print_release(release)
    if not release.complete:
        raise typer.Exit(3)


def _signature() -> inspect.Signature:
    """The options of deidentify, so that there is one list of them, and the page's own."""
    own = {
        "ledger": (Path | None, typer.Option("--ledger", help=_LEDGER), None),
        "port": (int, typer.Option("--port", help="Port of the page; 0 for any that is free."), 0),
        "no_open": (
            bool,
            typer.Option("--no-open", help="Print the address, open nothing."),
            False,
        ),
    }
    taken = [p for p in inspect.signature(deidentify).parameters.values() if p.name != "review"]
    folder = typer.Option(
        "-o",
        "--out",
        help=NEW_FOLDER,
        show_default=False,
    )
    taken = [
        p.replace(annotation=Annotated[Path | None, folder], default=None) if p.name == "out" else p
        for p in taken
    ]
    added = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=default,
            annotation=Annotated[kind, option],
        )
        for name, (kind, option, default) in own.items()
    ]
    named = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in taken]
    return inspect.Signature([*named, *added])


review.__signature__ = _signature()  # type: ignore[attr-defined]
review.__annotations__ = {
    p.name: p.annotation for p in inspect.signature(review).parameters.values()
}

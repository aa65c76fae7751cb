"""`ksame.attack`: attack a folder of released photos and clips from Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ksame.attacks.inputs import Sources, from_ledger, from_names, from_pairs
from ksame.attacks.release import ON_PHOTOS, AttackResult, attack_release
from ksame.errors import InputError
from ksame.recognition.contract import Recogniser
from ksame.recognition.named import DEFAULT
from ksame.vault import open_ledger

PathLike = str | os.PathLike[str]


def attack(
    originals: PathLike,
    release: PathLike,
    *,
    ledger: PathLike | None = None,
    key: PathLike | None = None,
    pairs: PathLike | None = None,
    persons: PathLike = "auto",
    recognisers: Sequence[str | Recogniser] = DEFAULT,
    attacks: Sequence[str] = ON_PHOTOS,
    k: int | None = None,
    utility: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> AttackResult:
    """Attack a folder of released photos and clips, of ksame or of any other tool.

    Parameters
    ----------
    originals, release
        Folders of photos and clips.
    ledger
        The ledger of a ksame release, or the vault that holds it; `RELEASE.ledger.json` beside the
        release is found by itself.
    key
        What opens the ledger where that is a vault: the file of a private key.
    pairs
        A CSV of any tool's release, with the columns released, original, person.
    persons
        Who is on the originals where neither is given: "auto", "folder", a people.csv or a ledger.
    recognisers
        Names, `package.module:name`, or recognisers (`ksame.recognition.Recogniser`).
    attacks
        Names of `ksame.attacks.table.ATTACKS`.
    k
        The claim to hold the release against; a ledger tells it by itself.
    utility
        On how many pairs of faces to measure what was kept; 0 measures nothing.
    progress
        Called with the number of photos read so far and of all photos.

    Returns
    -------
    AttackResult
        Rates with intervals for every recogniser and attack. It names no person and no file.
    """
    if ledger is not None and pairs is not None:
        raise InputError("a ledger and a file of pairs exclude each other. Name one of them.")
    book = (
        None
        if ledger is None
        else open_ledger(os.fspath(ledger), None if key is None else os.fspath(key))
    )
    sources = find_sources(Path(originals), Path(release), book, pairs, persons)
    total = len({o.path for o in sources.originals}) + len({r.path for r in sources.released})
    done = 0

    def step(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None:
            progress(done, total)

    return attack_release(
        sources.originals,
        sources.released,
        recognisers,
        attacks,
        k or sources.k,
        utility=utility,
        step=step,
    )


def find_sources(
    originals: Path,
    release: Path,
    ledger: Mapping[str, Any] | None = None,
    pairs: PathLike | None = None,
    persons: PathLike = "auto",
) -> Sources:
    """Both sides of an attack, by whatever says who is who; a ledger is given as it was read."""
    if ledger is not None and pairs is not None:
        raise InputError("a ledger and a file of pairs exclude each other. Name one of them.")
    beside = release.with_name(release.name + ".ledger.json")
    if ledger is None and pairs is None and beside.is_file():
        ledger = open_ledger(beside)
    if ledger is not None:
        return from_ledger(originals, release, ledger)
    if pairs is not None:
        return from_pairs(originals, release, Path(pairs))
    return from_names(originals, release, os.fspath(persons))

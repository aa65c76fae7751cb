"""What this user has seen of each vault, so that an old copy put in its place is noticed.

An old copy of a vault is a good vault: nothing in it tells that there is a newer one, with a longer
log and fewer people. So its number, how often it was written and the digest of its log are noted in
the user's own folder whenever it is opened.
"""

import logging
import os
from pathlib import Path

from ksame.errors import VaultError
from ksame.files import read_json, write_json
from ksame.vault.index import Index
from ksame.vault.log import head_of

_log = logging.getLogger(__name__)


def notes() -> Path:
    """The folder of the notes: ``ksame/vaults`` in ``XDG_STATE_HOME``."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "ksame" / "vaults"


def check_seen(index: Index) -> None:
    """Refuse a vault that is older than one that was seen.

    Raises
    ------
    VaultError
        It was written less often, or its log is another one.
    """
    note = _note(index)
    try:
        seen = read_json(note)
        sequence, head = int(seen["sequence"]), str(seen["head"])
    except (OSError, ValueError, KeyError, TypeError):
        return
    known = {entry.digest for entry in index.log} | {head_of((), index.vault)}
    if index.sequence < sequence or head not in known:
        raise VaultError(
            "an older copy of this vault was put in its place, or its log was written anew: it "
            f"was changed {sequence} times when it was last opened here, and {index.sequence} "
            f"times now. If you restored it on purpose, remove the note {note.name} from {notes()}"
        )


def note_seen(index: Index) -> None:
    """Note the state of a vault; where that cannot be written, it is told and nothing more."""
    note = _note(index)
    try:
        note.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        head = head_of(index.log, index.vault)
        write_json(note, {"sequence": index.sequence, "head": head})
    except OSError as error:
        _log.warning("the state of the vault could not be noted: %s", error.strerror)


def _note(index: Index) -> Path:
    return notes() / f"{index.vault.hex()}.json"

"""Inputs at an address that fsspec opens (s3://, gs://, ...), copied here for one release.

Every photo is read several times, by workers that share a folder, so each object is fetched once,
into a private folder beside OUT that is removed with the release. OUT itself must be a folder: it
appears by one rename, and object stores rename nothing.
"""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any, Final

from ksame.errors import GuaranteeError, InputError, MediaError
from ksame.files import read_json, replacing, write_json
from ksame.release.plan import Plan
from ksame.release.scratch import open_scratch
from ksame.runners import explaining_faults

_ADDRESS: Final = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+):/+(.*)", re.DOTALL)
_LISTED: Final = "fetched.json"
_PIECE: Final = 1 << 22  # bytes held at a time


def address_of(path: Path) -> str | None:
    """The address that a path stands for; None for a plain path.

    Whatever makes paths of texts makes s3:/bucket of s3://bucket.
    """
    found = _ADDRESS.fullmatch(str(path))
    if found is None or path.exists():
        return None
    slashes = ":///" if found[1] in ("file", "local") else "://"
    return f"{found[1]}{slashes}{found[2]}"


@contextmanager
def brought_here(plan: Plan) -> Iterator[Plan]:
    """The plan with inputs that lie on this machine's disks; plain paths stay what they are.

    What was fetched is kept where a run may go on after a fault, and removed otherwise.

    Raises
    ------
    InputError
        OUT is no plain path, an address cannot be opened, or it holds names that are no files.
    MediaError
        Fetching failed.
    """
    for word, place in (("OUT", plan.out), ("the reference set", Path(plan.reference or "."))):
        if (address := address_of(place)) is not None:
            kind = address.split(":")[0]
            raise InputError(
                f"{word} at {kind}:// cannot be used: a release appears by one rename, which only "
                "folders have. Name a folder that all machines see, and copy it from there"
            )
    addresses = [address_of(path) for path in plan.inputs]
    if not any(addresses):
        yield plan
        return
    if find_spec("fsspec") is None:
        raise InputError(
            "inputs at an address need fsspec; install it: pip install 'ksame[remote]'"
        )
    with open_scratch(plan.fetched) as copies:
        try:
            inputs = [
                path if address is None else _fetch(address, copies.root / str(number))
                for number, (path, address) in enumerate(zip(plan.inputs, addresses, strict=True))
            ]
            yield replace(plan, inputs=tuple(inputs))
        except (InputError, GuaranteeError):
            copies.remove()
            raise
        copies.remove()


def _fetch(address: str, folder: Path) -> Path:
    """Copy what lies at an address into a folder; returns the copy of what the address names."""
    import fsspec

    kind = address.split(":")[0]
    try:
        system, root = fsspec.core.url_to_fs(address)
        files = [root] if system.isfile(root) else sorted(system.find(root))
    except ImportError as error:
        raise InputError(f"inputs at {kind}:// need another package: {error}") from None
    except Exception as error:
        raise InputError(
            f"an input at {kind}:// cannot be opened ({type(error).__name__}); check the address "
            "and who may read it"
        ) from None
    if not files:
        raise InputError(f"an input at {kind}:// does not exist or is empty; check the address")
    top = PurePosixPath(root).name or kind
    target = folder / top
    wanted = {target if name == root else target / _below(name, root): name for name in files}
    with explaining_faults():
        try:
            _copy(system, wanted, folder)
        except (OSError, MediaError):
            raise
        except Exception as error:
            raise MediaError(
                f"fetching from {kind}:// failed ({type(error).__name__}); what was fetched is "
                "kept. Run the same command again"
            ) from None
    return target


def _below(name: str, root: str) -> PurePosixPath:
    """Where an object lies below the address, refused where it would leave the folder."""
    parts = PurePosixPath(name.removeprefix(root).lstrip("/"))
    if not parts.parts or ".." in parts.parts or parts.is_absolute():
        raise InputError("an input holds a name that is no file's (empty, or with ..); rename it")
    return parts


def _copy(system: Any, wanted: dict[Path, str], folder: Path) -> None:
    """Fetch what is not here yet or has changed, and remove what is no longer there."""
    folder.mkdir(exist_ok=True)
    listed = folder.with_name(f"{folder.name}-{_LISTED}")
    try:
        here: dict[str, str] = read_json(listed)
    except (OSError, ValueError):
        here = {}
    told = {str(path.relative_to(folder)): str(system.ukey(name)) for path, name in wanted.items()}
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        if str(path.relative_to(folder)) not in told:
            path.unlink()
    try:
        for path, name in wanted.items():
            below = str(path.relative_to(folder))
            if path.is_file() and here.get(below) == told[below]:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            with (
                replacing(path) as hidden,
                system.open(name, "rb") as remote,
                hidden.open("wb") as local,
            ):
                shutil.copyfileobj(remote, local, _PIECE)
            here[below] = told[below]
    finally:
        write_json(listed, here, indent=None)

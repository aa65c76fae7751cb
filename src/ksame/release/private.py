"""The private file beside OUT: the ledger in plain JSON, or a vault that holds it.

A vault is written by a machine that may be unable to open it, so that a later run knows it by what
its header tells everybody.
"""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ksame.errors import KsameError
from ksame.files import read_json, write_json
from ksame.release.job import Job
from ksame.release.plan import Plan

IN_THE_VAULT = "(named in the vault)"


def private_file(plan: Plan) -> Path:
    """Where the private file of a release lies."""
    return plan.vault_file if plan.vault else plan.ledger


def put_private_file(job: Job, book: Mapping[str, Any]) -> None:
    """Write the private file, complete or not at all; that of another release is moved aside."""
    plan = job.plan
    if not plan.vault:
        _keep_other_ledger(plan, str(book["job"]))
        write_json(plan.ledger, book)
        return
    from ksame.vault.make import Contents, make_vault

    _keep_other_vault(plan, str(book["job"]))
    contents = Contents(book, job.folder, job.scratch.root / "sealed", plan.max_pixels)
    make_vault(
        plan.vault_file,
        plan.vault,
        contents,
        lambda keep, tasks: job.runner.run("vault", keep, tasks),
    )


def withheld_before(
    plan: Plan, job: str, certificate: Mapping[str, Any]
) -> Sequence[tuple[str, str]] | None:
    """What an earlier run of the same job withheld; None where the private file is another's.

    A vault does not tell which files they were, only why.
    """
    if not plan.vault:
        try:
            ledger = read_json(plan.ledger)
            if ledger["job"] != job:
                return None
            return [(entry["file"], entry["reason"]) for entry in ledger["withheld"]]
        except (OSError, ValueError, KeyError, TypeError):
            return None
    if not _is_vault_of(plan, job):
        return None
    counts: Mapping[str, int] = certificate["withheld"]
    return [(IN_THE_VAULT, reason) for reason, count in counts.items() for _ in range(count)]


def _is_vault_of(plan: Plan, job: str) -> bool:
    """Whether the vault beside OUT is of this job and locked for the same keys."""
    from ksame.vault.container import read_tail
    from ksame.vault.make import job_mark

    try:
        tail = read_tail(plan.vault_file)
    except KsameError:
        return False
    locked = {(entry["kind"], entry["mark"]) for entry in tail.header["locks"]}
    wanted = {(lock.kind, lock.mark) for lock in plan.vault}
    return locked == wanted and tail.header["job"] == job_mark(tail.vault, job)


def _keep_other_ledger(plan: Plan, job: str) -> None:
    """Move the ledger of another release aside: without it that release can never be verified."""
    try:
        other = read_json(plan.ledger)
    except (OSError, ValueError):
        return
    if isinstance(other, dict) and other.get("job") != job:
        mark = str(other.get("certificate", "old"))[:8]
        shutil.move(plan.ledger, plan.ledger.with_name(f"{plan.out.name}.ledger-{mark}.json"))


def _keep_other_vault(plan: Plan, job: str) -> None:
    """Move the vault of another release aside; nothing else can reveal its people."""
    path = plan.vault_file
    if not path.exists() or _is_vault_of(plan, job):
        return
    from ksame.vault.container import read_tail

    try:
        mark = str(read_tail(path).header["certificate"])[:8]
    except KsameError:
        mark = "old"
    place, copy = path.with_name(f"{path.name}-{mark}"), 2
    while place.exists():
        place, copy = path.with_name(f"{path.name}-{mark}-{copy}"), copy + 1
    shutil.move(path, place)

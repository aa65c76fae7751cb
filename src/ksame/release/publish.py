"""The last step: a run becomes a certificate, a ledger and a folder that appears at once."""

import shutil
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ksame.errors import InputError
from ksame.release.certificate import FORMAT, Facts, Group, certify, commit
from ksame.release.expressions import PLAIN
from ksame.release.groups import SharedFace
from ksame.release.ledger import FaceEntry, GroupEntry, Ledger
from ksame.release.orders import Orders
from ksame.release.people import Spot, Who
from ksame.release.plan import Plan
from ksame.release.report import render_report
from ksame.release.scratch import HIDDEN, Scratch, read_json, sha256_of, write_json, write_text
from ksame.release.secret import Secret
from ksame.release.surrogates import Made
from ksame.release.write import Written

CERTIFICATE, REPORT = "certificate.json", "report.html"


@dataclass(frozen=True, slots=True)
class Release:
    """What a finished run hands back. The repr gives no paths of inputs: they may hold names."""

    out: Path
    ledger: Path
    report: Path
    certificate: Mapping[str, Any] = field(repr=False)
    withheld: Sequence[tuple[str, str]] = field(default=(), repr=False)

    @property
    def complete(self) -> bool:
        """Whether every input was released."""
        return not self.withheld


@dataclass(frozen=True, slots=True)
class Run:
    """Everything that a run decided and did, before it is told to anybody."""

    plan: Plan
    job: str
    secret: Secret
    who: Who
    shared: Sequence[SharedFace] = field(repr=False)
    made: Sequence[Made] = field(repr=False)
    photos: Sequence[Any] = field(repr=False)
    orders: Orders
    written: Mapping[int, Written] = field(repr=False)

    def released(self) -> dict[int, Written]:
        """The photos that passed the last check."""
        return {n: written for n, written in self.written.items() if written.failure is None}

    def withheld(self) -> dict[int, str]:
        """The photos that are not released, with why."""
        late = {n: w.failure for n, w in self.written.items() if w.failure is not None}
        return dict(sorted({**self.orders.withheld, **late}.items()))


def check_out(plan: Plan) -> bool:
    """Whether OUT holds a finished release of ours; refuses an OUT that is anything else.

    Raises
    ------
    InputError
        OUT is a file, or a folder with something else in it.
    """
    out = plan.out
    if not out.exists() and not out.is_symlink():
        return False
    if not out.is_dir():
        raise InputError(f"OUT {out} exists and is no folder; choose another name")
    if not any(out.iterdir()):
        return False
    try:
        ours = read_json(out / CERTIFICATE)["format"] == FORMAT
    except (OSError, ValueError, KeyError, TypeError):
        ours = False
    if not ours:
        raise InputError(
            f"OUT {out} exists and is no release of ksame's; choose another folder or empty it"
        )
    return True


def finished(plan: Plan, job: str) -> Release:
    """The release that an earlier run of the same job left in OUT.

    Raises
    ------
    InputError
        OUT holds the release of another job, which is not overwritten.
    """
    try:
        ledger = read_json(plan.ledger)
        same = ledger["job"] == job
    except (OSError, ValueError, KeyError, TypeError):
        same = False
    if not same:
        raise InputError(
            f"OUT {plan.out} holds another release (other photos or options); "
            "choose another folder, or move it away together with its ledger"
        )
    withheld = [(entry["file"], entry["reason"]) for entry in ledger["withheld"]]
    return Release(
        plan.out, plan.ledger, plan.out / REPORT, read_json(plan.out / CERTIFICATE), withheld
    )


def gather_faces(run: Run) -> list[FaceEntry]:
    """Every face of the released photos as the ledger tells it."""
    entries = []
    for n, written in run.released().items():
        photo = run.photos[n]
        for order, placement, state, hidden in zip(
            run.orders.write[n].faces,
            written.placements,
            written.states,
            written.hidden,
            strict=True,
        ):
            spot = (n, order.number)
            face = photo.faces[order.number]
            why = None if order.group is not None else face.failure or run.who.strangers.get(spot)
            entries.append(
                FaceEntry(
                    written.name,
                    face.box,
                    face.points,
                    run.who.persons.get(spot),
                    order.group,
                    placement,
                    state,
                    hidden,
                    why,
                )
            )
    return sorted(entries, key=lambda entry: (entry.file, entry.box))


def gather_groups(run: Run, faces: Sequence[FaceEntry]) -> list[GroupEntry]:
    """Every group that is seen in the release.

    People of the group who are not shown (reference people, or people whose photos were withheld)
    share the surrogate all the same: they are candidates for everybody who tries to tell who it is.
    """
    shown: dict[int, set[str]] = {}
    for face in faces:
        if face.group is not None and face.person is not None:
            shown.setdefault(face.group, set()).add(face.person)
    late = _looks_withheld(run)
    return [
        GroupEntry(
            g,
            run.made[g].digest,
            sorted(shown[g]),
            sorted(set(group.people) - shown[g]),
            sorted(set(group.donors)),
            run.made[g].regions,
            {state: sorted(people) for state, people in sorted(late[g].items())},
        )
        for g, group in enumerate(run.shared)
        if g in shown
    ]


def _looks_withheld(run: Run) -> dict[int, dict[str, set[str]]]:
    """Per group and expression, whose photo with it was withheld by the last check."""
    late: dict[int, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for n, written in run.written.items():
        for order in run.orders.write[n].faces if written.failure else ():
            person = run.who.persons.get((n, order.number))
            if order.group is None or person is None:
                continue
            pose = run.photos[n].faces[order.number].state.rsplit(" ", 1)[-1]
            shown = {state.rsplit(" ", 1)[-1] for state in run.made[order.group].regions}
            late[order.group][pose if pose in shown else PLAIN].add(person)
    return late


def gather_facts(
    run: Run, faces: Sequence[FaceEntry], groups: Sequence[GroupEntry], measured: Mapping[str, Any]
) -> Facts:
    """What the certificate may tell, in counts and digests."""
    count = Counter(face.group for face in faces if face.group is not None)
    return Facts(
        people=len({face.person for face in faces if face.group is not None}),
        people_not_shown=len({p for g in groups for p in g.others}),
        faces=sum(count.values()) if run.plan.recipe.guarantees else len(faces),
        blacked_out=sum(face.hidden is not None for face in faces),
        groups=[Group(len({*g.people, *g.others}), count[g.group], g.surrogate) for g in groups],
        files={written.name: written.sha256 for written in run.released().values()},
        withheld=Counter(kind_of(why) for why in run.withheld().values()),
        measured=measured,
    )


def kind_of(reason: str) -> str:
    """A reason without its particulars, for documents that are published."""
    return reason.split(":")[0].split(" (")[0]


def publish(
    run: Run,
    facts: Facts,
    faces: Sequence[FaceEntry],
    groups: Sequence[GroupEntry],
    scratch: Scratch,
) -> Release:
    """Write report, certificate and ledger, then let OUT appear by one rename.

    The ledger is in place before OUT is, so that no release exists without the file that can
    verify it. A kill between the two leaves no OUT, and the next run goes on.
    """
    plan, commitment = run.plan, commit(run.secret.seed, run.secret.nonce)
    draft = certify(plan, facts, commitment, "")
    page = render_report(draft, scratch.release, uncertain=len(run.who.uncertain))
    write_text(scratch.release / REPORT, page, 0o644)
    certificate = certify(plan, facts, commitment, sha256_of(scratch.release / REPORT))
    write_json(scratch.release / CERTIFICATE, certificate, 0o644)
    ledger = _ledger(run, certificate["digest"], faces, groups).as_json()
    _sweep(scratch.release, {CERTIFICATE, REPORT, *facts.files})
    _keep_other_ledger(plan, run.job)
    write_json(plan.ledger, ledger)
    if plan.with_originals:
        page = render_report(certificate, scratch.release, ledger, originals=True)
        write_text(plan.private_report, page)
    scratch.release.chmod(0o755)
    try:
        scratch.release.replace(plan.out)
    except OSError as error:
        raise InputError(
            f"OUT {plan.out} cannot be put in place ({error.strerror}); choose a folder on the "
            "same disk as its parent folder and run the same command again"
        ) from None
    withheld = [(entry["file"], entry["reason"]) for entry in ledger["withheld"]]
    return Release(plan.out, plan.ledger, plan.out / REPORT, certificate, withheld)


def _ledger(
    run: Run, digest: str, faces: Sequence[FaceEntry], groups: Sequence[GroupEntry]
) -> Ledger:
    """All that links the release to its originals."""
    released = sorted(run.released().items(), key=lambda item: item[1].name)
    return Ledger(
        digest,
        run.job,
        run.secret.seed,
        run.secret.nonce,
        run.plan.public(),
        {written.name: str(run.photos[n].path) for n, written in released},
        {written.name: run.photos[n].sha256 for n, written in released},
        faces,
        groups,
        [{"file": str(run.photos[n].path), "reason": w} for n, w in run.withheld().items()],
        _uncertain(run),
    )


def _uncertain(run: Run) -> list[dict[str, Any]]:
    """The pairs of faces that a person should look at, told in the ledger alone."""

    def spot(found: Spot) -> dict[str, Any]:
        n, i = found
        name = run.written[n].name if n in run.written else None
        return {"file": name, "face": i, "person": run.who.persons.get(found)}

    return [{"one": spot(a), "other": spot(b)} for a, b in run.who.uncertain]


def _sweep(folder: Path, expected: set[str]) -> None:
    """Remove what a killed run left unfinished or no longer belongs to the release."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.name.startswith(HIDDEN) or path.relative_to(folder).as_posix() not in expected:
            path.unlink()


def _keep_other_ledger(plan: Plan, job: str) -> None:
    """Move the ledger of another release aside: without it that release can never be verified."""
    try:
        other = read_json(plan.ledger)
    except (OSError, ValueError):
        return
    if isinstance(other, dict) and other.get("job") != job:
        mark = str(other.get("certificate", "old"))[:8]
        shutil.move(plan.ledger, plan.ledger.with_name(f"{plan.out.name}.ledger-{mark}.json"))

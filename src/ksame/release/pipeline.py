"""Photos in, certified photos out: the whole flow on one screen.

find      what is in each photo            (worker processes, kept in OUT.work)
people    who is who
share     at least k people get one face
write     faces replaced, checked, named neutrally
publish   measured, reported, certified, and moved to OUT in one step
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from ksame.errors import GuaranteeError, InputError
from ksame.release.adhoc import warn_of
from ksame.release.attributes import to_measure
from ksame.release.classes import class_of_people
from ksame.release.find import Known, Search, SeenPhoto, find_one
from ksame.release.groups import Codes, SharedFace, faces_by_person, group_people, person_codes
from ksame.release.ledger import read_ledger
from ksame.release.measure import measure_release
from ksame.release.orders import order_photos
from ksame.release.people import Who, label_columns, name_people
from ksame.release.plan import Plan, check_places
from ksame.release.publish import (
    Release,
    Run,
    check_out,
    finished,
    gather_faces,
    gather_facts,
    gather_groups,
    publish,
)
from ksame.release.reference import reference_photos, videos_in
from ksame.release.scratch import Scratch, open_scratch, sha256_of
from ksame.release.secret import Secret, draw_secret, job_of
from ksame.release.surrogates import Made, make_surrogate, order_surrogates, with_heads
from ksame.release.workers import Progress, Workers, explained
from ksame.release.write import write_one


def deidentify(plan: Plan, progress: Progress | None = None) -> Release:
    """Make a release of a collection of photos.

    Guarantee (k-anonymous methods): every replaced face in OUT shows a surrogate that at least k
    different people share, and all photos of a person show the same one. A photo whose faces could
    not all be replaced or blacked out is withheld. OUT appears complete or not at all.

    Raises
    ------
    InputError
        A wrong option, or OUT is not a folder that may be written.
    GuaranteeError
        There are too few people for k; nothing is released.
    MediaError
        The disk is full or a worker died; the same call goes on from there.
    """
    from ksame.media import find_photos

    check_places(plan)
    if not plan.recipe.guarantees:
        warn_of(plan.method)
    inputs = [*find_photos(plan.inputs), *videos_in(plan.inputs)]
    reference = reference_photos(plan)
    if not inputs:
        raise InputError("the inputs hold no photo; name photos, or folders that hold some")
    if check_out(plan):
        done = finished(plan, job_of(plan, [(p, sha256_of(p)) for p in (*inputs, *reference)]))
        if plan.work.exists():
            with open_scratch(plan.work) as left_by_a_kill:
                left_by_a_kill.remove()
        return done
    with open_scratch(plan.work) as scratch, Workers(plan.jobs, progress) as workers, explained():
        try:
            photos = _find(plan, [*inputs, *reference], scratch, workers)
            run = _release(plan, photos, len(inputs), scratch, workers)
        except (GuaranteeError, InputError):
            scratch.remove()
            raise
        faces = gather_faces(run)
        groups = gather_groups(run, faces)
        measured = measure_release(run, faces, groups, scratch, workers)
        workers.finish()
        facts = gather_facts(run, faces, groups, measured)
        release = publish(run, facts, faces, groups, scratch)
        scratch.remove()
    return release


def _find(plan: Plan, paths: Sequence[Path], scratch: Scratch, workers: Workers) -> list[SeenPhoto]:
    """Pass 1 over all photos, those of the reference people last."""
    wanted = to_measure(plan.classes, label_columns(plan.persons)) if plan.recipe.guarantees else ()
    embed = plan.recipe.guarantees and (plan.persons == "auto" or plan.reference is not None)
    known = _known_faces(plan)
    tasks = [
        Search(
            path,
            scratch.root,
            plan.max_pixels,
            embed,
            wanted,
            known.get(str(path)),
            plan.recipe.guarantees,
        )
        for path in paths
    ]
    return list(workers.run("find", find_one, tasks))


def _known_faces(plan: Plan) -> Mapping[str, tuple[Known, ...]]:
    """The faces that a corrected ledger gives, by the path of their photo."""
    if not plan.persons.endswith(".json"):
        return {}
    ledger = read_ledger(Path(plan.persons))
    known: dict[str, tuple[Known, ...]] = defaultdict(tuple)
    for face in ledger["faces"]:
        points = tuple((float(x), float(y)) for x, y in face["points"])
        known[ledger["files"].get(face["file"], "")] += (Known(tuple(face["box"]), points),)
    return dict(known)


def _release(
    plan: Plan, photos: Sequence[SeenPhoto], inputs: int, scratch: Scratch, workers: Workers
) -> Run:
    """Passes 2 to 4: people, groups and finished photos, still in the scratch folder."""
    job = job_of(plan, [(photo.path, photo.sha256) for photo in photos])
    secret = draw_secret(plan, [photo.sha256 for photo in photos], scratch)
    scratch.begin(job)
    who, shared = Who({}), list[SharedFace]()
    made: list[Made] = []
    if plan.recipe.guarantees:
        who = name_people(photos, inputs, plan.persons, plan.inputs, scratch)
        shared, made = _share(plan, photos, who, secret, scratch, workers)
    group_of = {person: g for g, group in enumerate(shared) for person in group.people}
    orders = order_photos(plan, photos[:inputs], who, group_of, secret, scratch)
    # group by group, so that a worker finds the surrogate in memory; names are in random order
    numbers = sorted(
        orders.write, key=lambda n: (orders.write[n].first_group, orders.write[n].name)
    )
    results = workers.run("write", write_one, [orders.write[n] for n in numbers])
    written = dict(sorted(zip(numbers, results, strict=True)))
    return Run(plan, job, secret, who, shared, made, photos, orders, written)


def _share(
    plan: Plan,
    photos: Sequence[SeenPhoto],
    who: Who,
    secret: Secret,
    scratch: Scratch,
    workers: Workers,
) -> tuple[list[SharedFace], list[Made]]:
    """Pass 3: the groups, and the surrogate of each."""
    faces = faces_by_person(photos, who)
    if not faces.keys() - who.reference:
        if plan.allow_faceless and not any(photo.faces for photo in photos):
            return [], []
        raise GuaranteeError(
            f"k={plan.k} needs at least {plan.k} people; no face that can be replaced was found. "
            "Add photos that show faces"
        )
    codes = person_codes(plan, faces, photos, scratch)
    classes = class_of_people(plan, photos, who, faces, scratch)
    people = Codes(codes, classes, who.reference)
    shared = group_people(plan, people, secret.number("groups"))
    orders = order_surrogates(plan, shared, faces, photos, people, scratch)
    made = list(workers.run("surrogates", make_surrogate, orders))
    return with_heads(shared, orders, made), made

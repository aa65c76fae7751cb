"""Releases that continue others: nobody gets a second face."""

from promises.mutation import Mutation

MUTATIONS = (
    Mutation(
        "known people keep their groups",
        "release/continuing.py",
        "others = {s: p for s, p in people.persons.items() if p not in group_of}",
        "others = dict(people.persons)",
        "properties/test_continued_people.py"
        "::test_surrogates_never_change_and_no_two_releases_single_anybody_out",
    ),
    Mutation(
        "a face of a continued ledger is the one that was certified",
        "release/continuing.py",
        "if (digest := restore_face(job.store, group.code)) != group.surrogate:",
        'if (digest := restore_face(job.store, group.code)) == "":',
        "release/test_continued_releases.py::test_a_ledger_that_was_altered_is_refused",
    ),
    Mutation(
        "numbers of people of another ledger mean others",
        "release/earlier.py",
        "return earlier.certificate in (book.get",
        "return True or earlier.certificate in (book.get",
        "release/test_continued_releases.py"
        "::test_a_ledger_that_numbers_people_otherwise_is_refused",
    ),
)

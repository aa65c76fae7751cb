"""Vaults: who is erased is gone, what was cut is noticed, and nobody is revealed unlogged."""

from promises.mutation import Mutation

MUTATIONS = (
    Mutation(
        "the parts that show an erased person are written over",
        "vault/erasing.py",
        'if p.kind == "ledger" or numbers & set(p.people)]',
        'if p.kind == "ledger"]',
        "vault/test_erasing.py::test_nothing_that_opens_shows_an_erased_person",
    ),
    Mutation(
        "the template of an erased person goes too",
        "vault/erasing.py",
        'for n, row in book["templates"].items() if n not in erased}',
        'for n, row in book["templates"].items()}',
        "vault/test_erasing.py::test_an_erased_person_leaves_no_template",
    ),
    Mutation(
        "a name is found in a path however its accents are written",
        "vault/erasing.py",
        'return unicodedata.normalize("NFKD", text).casefold()',
        "return text.casefold()",
        "vault/test_erasing.py::test_a_name_is_found_in_a_path_however_its_accents_are_written",
    ),
    Mutation(
        "a stream that was cut lacks its last chunk",
        "vault/sealing.py",
        "data = cipher.encrypt(_nonce(number, last=not following), chunk, context)",
        "data = cipher.encrypt(_nonce(number, last=False), chunk, context)",
        "vault/test_sealing.py::test_what_is_sealed_comes_back_here_and_elsewhere",
    ),
    Mutation(
        "a reveal is logged before anything is read",
        "vault/revealing.py",
        "vault = logged(vault, act, [] if names is None else numbers, len(photos), reason)",
        "pass",
        "vault/test_revealing.py::test_every_reveal_is_in_the_log_before_anything_is_read",
    ),
    Mutation(
        "only the people who are named are laid in",
        "vault/revealing.py",
        "        if face.person not in numbers:\n",
        "        if False:\n",
        "vault/test_revealing.py::test_one_person_comes_back_exactly_and_nobody_else",
    ),
)

"""Documents and mutations name tests as their evidence: these exist, and mutations still apply."""

import re

import pytest

NAMED = re.compile(r"`((?:[a-z_]+/)+test_\w+\.py)(?:::(test_\w+))?`(?:: ((?:`test_\w+`(?:, )?)+))?")


def exists(repository, file, test=None):
    path = repository / "tests" / file.removeprefix("tests/")
    return path.is_file() and (not test or f"def {test}(" in path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", ["reliability", "experiments", "attacks", "vault", "review"])
def test_tests_that_a_page_names_exist(repository, page):
    text = (repository / f"docs/{page}.md").read_text(encoding="utf-8")
    for file, test, more in NAMED.findall(text):
        for name in [test, *re.findall(r"test_\w+", more)]:
            assert exists(repository, file, name), f"{file}::{name}"


def test_mutations_apply_and_their_tests_exist(repository, monkeypatch):
    monkeypatch.syspath_prepend(str(repository / "tools"))
    from promises import MUTATIONS

    assert len({mutation.promise for mutation in MUTATIONS}) == len(MUTATIONS)
    for mutation in MUTATIONS:
        source = (repository / "src/ksame" / mutation.file).read_text(encoding="utf-8")
        assert source.count(mutation.old) == 1, mutation.promise
        file, _, test = mutation.test.partition("::")
        assert exists(repository, file, test), mutation.test

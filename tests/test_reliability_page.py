"""docs/reliability.md names the test that guards each finding: every one of them exists."""

import re


def _named(page):
    """Files of tests, with the test in them where one is named."""
    return re.findall(r"`((?:[\w]+/)*test_\w+\.py)(?:::(\w+))?`", page)


def test_every_test_that_is_named_exists(repository):
    page = (repository / "docs" / "reliability.md").read_text(encoding="utf-8")
    tests = repository / "tests"
    named = _named(page)
    assert len(named) > 30
    for file, test in named:
        (path,) = [tests / file] if "/" in file else list(tests.rglob(file))
        assert path.is_file(), file
        if test:
            assert f"def {test}(" in path.read_text(encoding="utf-8"), test


def test_all_twenty_findings_have_a_row_with_a_guard(repository):
    page = (repository / "docs" / "reliability.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d, ]+) \|.*\| (.*) \|$", page, re.MULTILINE)
    numbers = [int(n) for told, guard in rows if _named(guard) for n in told.split(",")]
    assert sorted(numbers) == list(range(1, 21))

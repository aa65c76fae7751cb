"""docs/reliability.md has a row with a guard for each of the twenty findings."""

import re


def test_all_twenty_findings_have_a_row_with_a_guard(repository):
    page = (repository / "docs" / "reliability.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d, ]+) \|.*\| (.*) \|$", page, re.MULTILINE)
    guarded = [told for told, guard in rows if re.search(r"`(?:\w+/)+test_\w+\.py", guard)]
    numbers = [int(n) for told in guarded for n in told.split(",")]
    assert sorted(numbers) == list(range(1, 21))

"""What the command prints of a finished release."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from ksame.cli.deidentify import print_release


@pytest.mark.parametrize(("rate", "is_told"), [(0.338, True), (0.2, False)])
def test_counts_that_name_people_are_told_with_a_remedy(capsys, rate, is_told):
    """Whoever knows how many photos everybody has guesses right more often than one in k."""
    certificate = {
        "k": 5,
        "photos": 80,
        "people": 40,
        "faces": 80,
        "hidden": 0,
        "doubtful": 0,
        "on_failure": "fill",
        "composite": "natural",
        "groups": [{"people": 5}],
        "measured": {"counts": {"rate": rate, "worst": 0.6, "fair": 0.185}},
    }
    out = Path("out")
    print_release(
        SimpleNamespace(
            certificate=certificate,
            withheld=(),
            ledger=out / "out.ledger.json",
            report=out / "report.html",
        )
    )
    told = capsys.readouterr().out
    assert ("guessed by numbers of photos" in told) is is_told
    assert ("--per-person" in told) is is_told

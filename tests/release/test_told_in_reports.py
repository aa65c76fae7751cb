"""What a report tells of a certificate's figures."""

import pytest
from release_plans import plan_of_nothing

from ksame.release.report import render_report


@pytest.mark.parametrize("composite", ["natural", "strict"])
def test_the_report_tells_what_needs_no_recogniser(tmp_path, composite):
    """Whoever reads the report alone learns how far people of a group can be told apart."""
    plan = plan_of_nothing(composite=composite)
    rate = {"rate": 0.867, "low": 0.722, "high": 0.953, "hits": 78, "trials": 90, "people": 30}
    draft = {
        **plan.public(),
        "guarantee": "k-anonymity",
        "claims": [],
        "not_claimed": [],
        "versions": {"ksame": "0"},
        "seed_commitment": "",
        "photos": 90,
        "people": 30,
        "people_not_shown": 0,
        "faces": 90,
        "hidden": 0,
        "doubtful": 0,
        "withheld": {},
        "files": {},
        "groups": [{"people": 6, "faces": 18, "surrogate": ""}],
        "measured": {
            "faces_still_found": 1.0,
            "changed_pixels": 0.3,
            "counts": {"rate": 0.338, "worst": 0.6, "fair": 0.185},
            "inside_groups": {"parameters": {"very": None, "other": rate, "fair": 0.1333}},
        },
    }
    page = render_report(draft, tmp_path)
    told = page.split("Told apart without a recogniser")[1].split("<h2>")[0]
    for figure in ("33.8%", "18.5%", "86.7% (72.2–95.3)", "13.3%", "with other photos"):
        assert figure in told
    assert "with this photo" not in told
    assert ("--composite strict" in told) is (composite == "natural")

"""Labels of groups, counted by hand."""

import pytest

from ksame.errors import GuaranteeError, InputError
from ksame.metrics.diversity import (
    check_closeness,
    check_diversity,
    fewest_labels,
    furthest_share,
)

GROUPS = [0, 0, 0, 0, 1, 1, 1, 1]
LABELS = ["ill", "ill", "well", "well", "ill", "ill", "ill", "well"]


def test_by_hand():
    assert fewest_labels(GROUPS, LABELS) == 2
    # everybody: 5 of 8 ill; the groups: 2 of 4 and 3 of 4
    assert furthest_share(GROUPS, LABELS) == pytest.approx(0.125)
    assert fewest_labels([0, 0, 1, 1], ["a", "a", "a", "b"]) == 1
    assert furthest_share([0, 0, 1, 1], ["a", "a", "b", "b"]) == pytest.approx(0.5)


def test_what_is_not_kept_is_refused():
    check_diversity(GROUPS, LABELS, 2)
    check_closeness(GROUPS, LABELS, 0.125)
    with pytest.raises(GuaranteeError, match="2 different labels; l=3 is promised"):
        check_diversity(GROUPS, LABELS, 3)
    with pytest.raises(GuaranteeError, match=r"0\.125 from everybody's; t=0\.1 is"):
        check_closeness(GROUPS, LABELS, 0.1)
    with pytest.raises(InputError, match="2 groups and 1 labels"):
        fewest_labels([0, 1], ["a"])

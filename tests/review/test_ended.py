"""Whoever closes the page early ends the review, however little was found by then."""

import pytest

from ksame.release import run
from ksame.review.session import Ended, Session


def test_a_page_that_was_closed_before_the_faces_were_found(plan):
    session = Session(plan)
    session.end()
    with pytest.raises(Ended, match="nothing is released"):
        run(plan, session.progress, session)
    assert not plan.out.exists()

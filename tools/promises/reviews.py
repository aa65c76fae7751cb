"""Reviews and corrections: nobody else reads the page, no decision leaves anybody unprotected."""

from promises.mutation import Mutation

MUTATIONS = (
    Mutation(
        "the review page answers to its own cookie alone",
        "review/guard.py",
        "        if not self._knows(headers):\n",
        "        if False:\n",
        "review/test_hostile_requests.py::test_without_the_cookie_there_is_nothing",
    ),
    Mutation(
        "a token opens the review page once",
        "review/guard.py",
        "        self._token = None\n",
        "",
        "review/test_hostile_requests.py::test_an_old_token_is_worth_nothing",
    ),
    Mutation(
        "another web site cannot change a review",
        "review/guard.py",
        'origin is not None and origin != f"http://{host}"',
        "False",
        "review/test_hostile_requests.py::test_another_origin_is_refused",
    ),
    Mutation(
        "a face that is somebody else's after all has no consent",
        "release/listing.py",
        'bool(entry.get("kept")) and place not in corrections.persons',
        'bool(entry.get("kept"))',
        "release/test_corrections.py::test_a_face_that_is_somebody_elses_after_all_is_not_kept",
    ),
    Mutation(
        "a review of a continued release still continues it",
        "review/finished.py",
        'if book.get("continues") and not further.get("continues"):',
        "if False:",
        "review/test_finished_plans.py::test_what_continues_a_release_still_does",
    ),
    Mutation(
        "a photo of a killed run is not taken over after another decision",
        "release/orders.py",
        "asked += [self.others, self.untouched]",
        "asked += [self.others]",
        "release/test_release_parts.py"
        "::test_a_photo_is_written_anew_once_a_person_decided_otherwise",
    ),
    Mutation(
        "a large box that a person dismissed excuses nobody in it",
        "release/last_look.py",
        "share_inside(box, boxes) > _FILLED",
        "share_inside(box, boxes) > 0 * _FILLED",
        "release/test_promises.py::test_a_large_box_that_a_person_dismissed_excuses_nobody_in_it",
    ),
)

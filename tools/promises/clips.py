"""Clips: no frame of a face is left out, and what a finished frame still shows is filled."""

from promises.mutation import Mutation

MUTATIONS = (
    Mutation(
        "a track covers frames before its first detection",
        "tracking/covering.py",
        "max(first - before, start)",
        "max(first, start)",
        "tracking/test_tracking.py::test_frames_around_a_track_are_covered_up_to_a_cut",
    ),
    Mutation(
        "a track does not go on over a cut",
        "tracking/covering.py",
        "min(last + 1 + after, end)",
        "last + 1 + after",
        "tracking/test_tracking.py",
    ),
    Mutation(
        "who is seen soon after a cut is covered from the cut on",
        "tracking/covering.py",
        "to_cut if first - start <= to_cut else beyond",
        "beyond",
        "tracking/test_tracking.py::test_who_is_seen_soon_after_a_cut_was_there_at_once",
    ),
    Mutation(
        "a track that is known is written again with more guard",
        "release/clips/guarding.py",
        "order = guarded(order, (number,), guard + 1)",
        "pass",
        "release/clips/test_track_guarding.py::test_a_known_track_is_guarded_more_each_time_and_the_others_are_not",
    ),
    Mutation(
        "a guarded track is drawn higher in every frame",
        "release/clips/guarding.py",
        "further = steps[:, _OUTLINE] + FINE",
        "further = steps[:, _OUTLINE] + 0",
        "release/clips/test_track_guarding.py::test_a_guard_raises_the_forehead_of_every_frame_and_nothing_else",
    ),
    Mutation(
        "what a finished frame still shows is filled",
        "release/clips/looking.py",
        "if not is_safe]\n",
        "if not is_safe][:0]\n",
        "release/clips/test_last_look.py"
        "::test_among_several_faces_only_the_unprotected_one_is_filled",
    ),
    Mutation(
        "a point of a drawn profile may be bare only where a face was drawn",
        "release/clips/looking.py",
        "self.before, self.result, self.faces)",
        "self.before, self.result, [face.box])",
        "release/clips/test_last_look.py"
        "::test_points_before_a_drawn_profile_may_be_bare_and_no_others",
    ),
    Mutation(
        "a face turns no further than it covers what was found",
        "release/clips/turning.py",
        "found, _COVERED):",
        "found, 0.0):",
        "release/clips/test_turning.py::test_a_face_turns_no_further_than_it_covers_what_was_found",
    ),
    Mutation(
        "whom the first look saw beside what was changed is judged in the finished frame",
        "vision/near.py",
        "Faces.merge([self.faces, away])",
        "self.faces",
        "vision/test_near.py::test_a_part_and_what_was_seen_elsewhere_are_a_whole_look",
    ),
    Mutation(
        "somebody who lies beside somebody upright is looked for in clips",
        "release/clips/watching.py",
        "return with_lying_and_veiled(rgb, found)",
        "return found",
        "release/clips/test_lying_heads_in_clips.py"
        "::test_somebody_who_lies_beside_somebody_upright_is_followed",
    ),
    Mutation(
        "what was changed in a frame is searched again",
        "release/clips/watching.py",
        "find_faces_near(rgb, changed, SURE, finest=finest).with_rest(sure)",
        "sure",
        "release/clips/test_watching.py"
        "::test_between_complete_looks_what_was_changed_is_searched_and_the_rest_is_known",
    ),
    Mutation(
        "where a face was missed by quick looks all of every frame is searched",
        "release/clips/watching.py",
        "or place >= len(self._levels)",
        "",
        "release/clips/test_watching.py::test_careful_looks_are_at_all_of_a_frame",
    ),
    Mutation(
        "frames in which nobody's track is filled are counted",
        "release/clips/finishing.py",
        '{one["frame"] for one in late} | _frames_hidden(faces)',
        '{one["frame"] for one in late}',
        "release/clips/test_slips_of_ledgers_of_clips.py"
        "::test_frames_in_which_nobodys_track_is_filled_are_counted",
    ),
)

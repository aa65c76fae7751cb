"""Clips: no frame of a face is left out, and what a finished frame still shows is filled."""

from promises.mutation import Mutation

MUTATIONS = (
    Mutation(
        "a track covers frames before its first detection",
        "tracking/covering.py",
        "max(first - beyond, start)",
        "max(first, start)",
        "tracking/test_tracking.py::test_frames_around_a_track_are_covered_up_to_a_cut",
    ),
    Mutation(
        "a track does not go on over a cut",
        "tracking/covering.py",
        "min(last + 1 + beyond, end)",
        "last + 1 + beyond",
        "tracking/test_tracking.py",
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
        "frames in which nobody's track is filled are counted",
        "release/clips/finishing.py",
        '{one["frame"] for one in late} | _frames_hidden(faces)',
        '{one["frame"] for one in late}',
        "release/clips/test_slips_of_ledgers_of_clips.py"
        "::test_frames_in_which_nobodys_track_is_filled_are_counted",
    ),
)

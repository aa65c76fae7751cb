"""Rendered faces and fills: nothing of the photo passes into them."""

from promises.mutation import Mutation

MUTATIONS = (
    Mutation(
        "a model face lets nothing of the photo through",
        "render/blend.py",
        "share = rendered.alpha.astype(np.float32) * np.float32(1 / 255)",
        "share = rendered.alpha.astype(np.float32) * np.float32(0.85 / 255)",
        "verification/test_forged_model_faces.py::test_the_release_holds",
    ),
    Mutation(
        "nothing in front of brows, eyes, nose and mouth is kept",
        "render/cells.py",
        "return ~grown(self.core > 0, FREE_FROM)",
        "return grown(self.core >= 0, FREE_FROM)",
        "verification/test_drawn_again.py::test_a_board_over_an_eye_is_no_window",
    ),
    Mutation(
        "a fill uses no pixel of its region",
        "render/filling.py",
        "known = (reach > 1)",
        "known = (reach > 0.6)",
        "render/test_face_filling.py::test_no_pixel_of_the_region_is_used",
    ),
    Mutation(
        "the numbers of a face are whole steps",
        "render/numbers.py",
        "return tuple(int(value) for value in np.floor(exact + shift))",
        "return tuple(float(value) for value in exact + 0 * shift)",
        "verification/test_forged_model_faces.py::test_the_release_holds",
    ),
    Mutation(
        "a face's own relief and redness are at rest",
        "render/resting.py",
        "off = beyond_rest(logs + half, 0.0, slack)",
        "off = logs + half",
        "render/test_resting.py::test_relief_and_redness_are_at_rest_and_the_face_stays_as_bright",
    ),
    Mutation(
        "a studio's even light tells no relief",
        "render/resting.py",
        "slack += np.abs(half)",
        "half *= 0",
        "render/test_everyday_light.py::test_from_everyday_to_even_light_all_faces_rest",
    ),
    Mutation(
        "fair hair is no haze",
        "render/measure.py",
        "return steps(rested_black(",
        "return steps((",
        "render/test_resting.py::test_fair_hair_in_a_photo_is_no_haze",
    ),
)

"""Heads laid over photos: nothing of a person stays around them."""

from promises.mutation import Mutation

MUTATIONS = (
    Mutation(
        "heads of a group lie at one place",
        "composite/placing.py",
        "return [common if own else",
        "return [stepped(row, rng) if own else",
        "composite/test_placing.py",
    ),
    Mutation(
        "who cannot take the common place falls on a step by a secret chance",
        "composite/placing.py",
        "(0.5 if rng is None else rng.random())",
        "0.5",
        "composite/test_placing.py",
    ),
    Mutation(
        "above the chin the border of a fill is the group's",
        "composite/behind.py",
        "shared = (region > 0) & (body == 0)",
        "shared = (region > 255) & (body == 0)",
        "composite/test_shared_regions.py",
    ),
    Mutation(
        "grain comes from what stays alone",
        "composite/grain.py",
        "cv2.erode(stays.view(np.uint8),",
        "cv2.erode(np.ones(stays.shape, np.uint8),",
        "composite/test_shared_regions.py",
    ),
    Mutation(
        "strict removes the hair too",
        "composite/behind.py",
        "np.maximum(head.astype(np.float32), hull(points, _WIDER, SCENE))",
        "hull(points, _WIDER, SCENE)",
        "composite/test_true_heads.py::test_nothing_of_a_true_head_passes_into_the_photo",
    ),
)

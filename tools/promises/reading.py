"""Photos are read as people see them."""

from promises.mutation import Mutation

MUTATIONS = (
    Mutation(
        "media: a photo is turned upright before faces are sought",
        "media/photos.py",
        "if orientation >= 5:",
        "if orientation >= 9:",
        "media/test_photos.py::test_orientation_is_applied",
    ),
    Mutation(
        "media: what lies under transparency is not released",
        "media/colour.py",
        'Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer).convert("RGB")',
        'layer.convert("RGB")',
        "media/test_photos.py::test_what_lies_under_transparency_is_not_read",
    ),
)

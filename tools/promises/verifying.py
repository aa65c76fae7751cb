"""The verifier refuses what is not as it is told."""

from promises.mutation import Mutation

MUTATIONS = (
    Mutation(
        "a head between two steps is refused",
        "verification/places.py",
        "return found if max(apart) <= WHOLE else None",
        "return found",
        "verification/test_places.py",
    ),
    Mutation(
        "a face kept as it is must be listed at its place",
        "verification/decisions.py",
        "if not listed[face.file, face.box]:",
        "if not any(file == face.file for file, _ in listed):",
        "verification/test_decisions.py",
    ),
    Mutation(
        "decisions are counted from the ledger's faces",
        "verification/decisions.py",
        "if stated != value:",
        "if stated > value:",
        "verification/test_decisions.py",
    ),
    Mutation(
        "what is kept or dismissed is claimed for nobody",
        "verification/decisions.py",
        "if told[name] and not any(claim.startswith(sentence)",
        "if False and not any(claim.startswith(sentence)",
        "verification/test_decisions.py",
    ),
    Mutation(
        "bitmaps before a face are too coarse for a picture",
        "verification/veils.py",
        "all(0 < side <= MOST_CELLS for side in sides)",
        "all(0 < side for side in sides)",
        "verification/test_forged_model_faces.py",
    ),
    Mutation(
        "verify wants k people for each look",
        "verification/people.py",
        "people_of_look < certificate.k",
        "people_of_look < 1",
        "verification/test_counts_and_looks.py::test_a_look_that_fewer_than_k_people_show",
    ),
    Mutation(
        "verify's tolerance in the mean",
        "verification/pixels.py",
        "MEAN_TOLERANCE, MEAN_OF_SMALL = 1.5",
        "MEAN_TOLERANCE, MEAN_OF_SMALL = 6.0",
        "verification/test_forged_pixels.py::test_all_pixels_a_little_brighter",
    ),
    Mutation(
        "verify's tolerance in one place",
        "verification/pixels.py",
        "CELL_TOLERANCE, CELL_OF_SMALL = 10.0",
        "CELL_TOLERANCE, CELL_OF_SMALL = 57.0",
        "verification/test_forged_pixels.py::test_one_original_eye",
    ),
    Mutation(
        "verify compares a model face in the mean",
        "verification/rendered.py",
        "MEAN_TOLERANCE, MEAN_OF_SMALL = 0.35",
        "MEAN_TOLERANCE, MEAN_OF_SMALL = 4.0",
        "verification/test_forged_model_faces.py::test_all_pixels_a_little_brighter",
    ),
    Mutation(
        "verify compares a model face in one place",
        "verification/rendered.py",
        "WORST_TOLERANCE, WORST_OF_SMALL = 8.0",
        "WORST_TOLERANCE, WORST_OF_SMALL = 80.0",
        "verification/test_forged_model_faces.py::test_a_mark_on_the_cheek",
    ),
    Mutation(
        "verify lets no front open the core",
        "verification/rendered.py",
        "if (shown.front.kept & core).any():",
        "if False:",
        "verification/test_forged_model_faces.py::test_a_front_over_an_eye",
    ),
    Mutation(
        "verify knows a face in a filled oval",
        "verification/filled.py",
        "        if found > most:",
        "        if found > 20 * most:",
        "verification/test_forged_fills.py::test_the_original_put_back",
    ),
    Mutation(
        "verify: a larger head hides a smaller one",
        "verification/placed.py",
        "above = other.scale <= head.scale",
        "above = other.scale > head.scale",
        "verification/test_visible_cells.py"
        "::test_a_cell_that_counts_as_visible_shows_its_own_head_alone",
    ),
    Mutation(
        "verify: a comment between two scans is metadata",
        "verification/jpeg.py",
        "at = _end_of_scan(data, at)",
        'at = data.rfind(b"\\xff\\xd9")',
        "verification/test_metadata.py::test_what_a_jpeg_carries",
    ),
    Mutation(
        "verify: who shares a face unseen lends it no hair",
        "verification/people.py",
        "group.head in group.people | group.others",
        "group.head in group.people",
        "verification/test_counts_and_looks.py",
    ),
)

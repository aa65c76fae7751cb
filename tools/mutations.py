"""Breaks the program on purpose, one promise at a time, and looks whether a test notices.

    python tools/mutations.py [WORD...]

Each mutation is made in a temporary copy of the repository, where the test that must fail is run;
with words only those are tried whose file or promise contains one. Exit code 1 if a mutation lives
or if its text is no longer found: then adapt the table below.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
FAILED = 1  # pytest's exit code if tests failed; higher ones say that it could not run them


@dataclass(frozen=True)
class Mutation:
    """One change to one file, and the test that must fail because of it."""

    promise: str
    file: str
    old: str
    new: str
    test: str


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
        "a head between two steps is refused",
        "verification/places.py",
        "return found if max(apart) <= WHOLE else None",
        "return found",
        "verification/test_places.py",
    ),
    Mutation(
        "per_person is kept",
        "release/counts.py",
        "if all(shown[person] < most for person in inside[n]):",
        "if True:",
        "release/test_counts.py",
    ),
    Mutation(
        "links make one person of two names",
        "people/sources.py",
        "*spelt, *links])",
        "*spelt])",
        "people/test_one_person_one_name.py",
    ),
    Mutation(
        "spellings make one person of two names",
        "people/sources.py",
        "*spelt, *links])",
        "*links])",
        "people/test_one_person_one_name.py",
    ),
    # what a person decides is stated
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
    # faults of the machine
    Mutation(
        "workers end with the run that gives up",
        "runners/processes.py",
        "            self._lifeline[1].close()\n",
        "            pass\n",
        "runners/test_processes.py",
    ),
    Mutation(
        "a photo that comes back is written after all",
        "release/write.py",
        "if written.failure != CHANGED:",
        "if True:",
        "release/test_real_faults.py::test_an_input_folder_that_goes_away_and_comes_back",
    ),
    Mutation(
        "a folder of inputs that goes away stops the release",
        "release/places.py",
        "if not all(map(_holds_something, folders)):",
        "if False:",
        "release/test_real_faults.py::test_an_input_folder_that_goes_away_and_comes_back",
    ),
    # privacy promises that once could be broken without a test noticing
    Mutation(
        "strict removes the hair too",
        "composite/behind.py",
        "np.maximum(head.astype(np.float32), hull(points, _WIDER, SCENE))",
        "hull(points, _WIDER, SCENE)",
        "composite/test_true_heads.py::test_nothing_of_a_true_head_passes_into_the_photo",
    ),
    Mutation(
        "nobody of the group lends the hair",
        "release/share.py",
        "== looks and p not in inside",
        "== looks",
        "release/test_promises.py::test_nobody_lends_hair_to_the_own_group",
    ),
    Mutation(
        "the last look wants a face to be covered",
        "release/last_look.py",
        "_COVERED: Final = 0.5",
        "_COVERED: Final = 0.01",
        "release/test_promises.py::test_the_last_look_refuses_a_face_that_is_hardly_covered",
    ),
    Mutation(
        "OUT appears after its ledger",
        "release/publish.py",
        "            put_private_file(job, book)\n",
        "            job.folder.replace(job.plan.out); job.plan.out.replace(job.folder)\n"
        "            put_private_file(job, book)\n",
        "release/test_promises.py::test_the_ledger_is_there_when_out_appears",
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
    # faces of the model, from listed numbers alone
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
        "beside: Bools = self.core == 0",
        "beside: Bools = self.core >= 0",
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
        "a doubtful detection is listed",
        "release/write.py",
        "ignored=protected.ignored,",
        "ignored=(),",
        "release/test_doubtful_detections.py::test_what_is_left_alone_is_listed_and_counted",
    ),
    Mutation(
        "a person's embedding is that of the own face",
        "release/find.py",
        "_embeddings(photo.rgb, faces)",
        "_embeddings(photo.rgb, found)",
        "release/test_doubtful_detections.py::test_the_others_keep_their_own_embeddings",
    ),
    Mutation(
        "landmarks beside their face are not taken",
        "release/styles/poses.py",
        "return both >= _LEAST_ON_FACE",
        "return both >= 0 * _LEAST_ON_FACE",
        "release/test_doubtful_detections.py::test_landmarks_beside_their_face_are_not_taken",
    ),
    Mutation(
        "the numbers of a face are whole steps",
        "render/numbers.py",
        "return tuple(int(value) for value in np.floor(exact + shift))",
        "return tuple(float(value) for value in exact + 0 * shift)",
        "verification/test_forged_model_faces.py::test_the_release_holds",
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
    # one in every part of the way of a photo
    Mutation(
        "find: every face of a photo counts",
        "release/find.py",
        "found = in_order(find_faces_by(search.detector, photo.rgb))\n",
        "found = in_order(find_faces_by(search.detector, photo.rgb))[:1]\n",
        "release/test_release_faults.py"
        "::test_a_face_that_cannot_be_replaced_is_black_or_its_photo_withheld",
    ),
    Mutation(
        "share: a look has k people",
        "release/expressions.py",
        "count.get(look, 0) < k]",
        "count.get(look, 0) < 1]",
        "properties/test_expressions_are_shared.py::test_every_look_that_is_shown_has_k_people",
    ),
    Mutation(
        "share: the certificate's digest covers the cells",
        "release/cells.py",
        '{"pixels": pixels, "looks": cells}',
        '{"pixels": pixels, "looks": {}}',
        "verification/test_every_release_verifies.py::test_black_boxes_beside_and_under_heads",
    ),
    Mutation(
        "write: a black box covers the hair",
        "release/hiding.py",
        "y0 - 0.6 * side",
        "y0 - 0.0 * side",
        "release/test_promises.py::test_a_black_box_covers_the_true_head",
    ),
    Mutation(
        "write: black boxes are drawn over the heads",
        "release/hiding.py",
        "photo[y0:y1, x0:x1] = 0",
        "photo[y0:y1, x0:x1] //= 3",
        "verification/test_every_release_verifies.py::test_black_boxes_beside_and_under_heads",
    ),
    Mutation(
        "publish: the verifier judges before OUT appears",
        "release/publish.py",
        "        if not broken:",
        "        if True:",
        "verification/test_every_release_verifies.py"
        "::test_nothing_appears_that_the_verifier_refuses",
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
        "attack: rank-1 without the very photo leaves it out",
        "attacks/measure.py",
        "t.own[rows]] = np.inf",
        "t.own[rows]] += 0",
        "attacks/test_counted_by_hand.py::test_rank_1_without_the_very_photo",
    ),
    Mutation(
        "attack: an accept is a match with the own person",
        "attacks/measure.py",
        "own = nearest[np.arange(len(nearest)), np.searchsorted(people, trial.probes)]",
        "own = nearest.min(axis=1)",
        "attacks/test_counted_by_hand.py::test_accepts_at_the_threshold_of_different_people",
    ),
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


def survives(mutation: Mutation, folder: Path) -> str | None:
    """Why a mutation counts as alive, or None if its test fails as it should."""
    source = folder / "src/ksame" / mutation.file
    text = source.read_text(encoding="utf-8")
    if text.count(mutation.old) != 1:
        return f"its text occurs {text.count(mutation.old)} times in {mutation.file}"
    source.write_text(text.replace(mutation.old, mutation.new), encoding="utf-8")
    try:
        ended = run([mutation.test], folder)
    finally:
        source.write_text(text, encoding="utf-8")
    if ended == FAILED:
        return None
    return "the test passes" if ended == 0 else f"pytest ended with {ended}"


def run(tests: list[str], folder: Path) -> int:
    """Run tests on a copy of the repository; pytest's exit code."""
    paths = [f"tests/{test}" for test in tests]
    command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", *paths]
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=False
    ).returncode


def main() -> int:
    """Try the mutations and say which tests killed them."""
    words = sys.argv[1:] or [""]
    chosen = [m for m in MUTATIONS if any(w in m.promise or w in m.file for w in words)]
    alive = 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "ksame"
        leave = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "build")
        shutil.copytree(ROOT, folder, ignore=leave)
        if run(sorted({mutation.test for mutation in chosen}), folder):
            sys.stdout.write("a test fails without any mutation: mend that first\n")
            return 1
        for mutation in chosen:
            why = survives(mutation, folder)
            alive += why is not None
            result = "killed by" if why is None else f"ALIVE, {why}:"
            sys.stdout.write(f"{mutation.promise}\n    {result} {mutation.test}\n")
            sys.stdout.flush()
    return 1 if alive or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())

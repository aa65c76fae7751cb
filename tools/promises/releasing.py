"""The stages of a release: found, shared, written, published."""

from promises.mutation import Mutation

MUTATIONS = (
    Mutation(
        "per_person is kept",
        "release/counts.py",
        "if all(shown[person] < most for person in inside[n]):",
        "if True:",
        "release/test_counts.py",
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
        "a doubtful detection is listed",
        "release/write.py",
        "ignored=made.protected.ignored,",
        "ignored=(),",
        "release/test_doubtful_detections.py::test_what_is_left_alone_is_listed_and_counted",
    ),
    Mutation(
        "a person's embedding is that of the own face",
        "release/find.py",
        "embed_sface(photo.rgb, face) for i, face in enumerate(faces)",
        "embed_sface(photo.rgb, face) for i, face in enumerate(found)",
        "release/test_doubtful_detections.py::test_the_others_keep_their_own_embeddings",
    ),
    Mutation(
        "landmarks beside their face are not taken",
        "release/styles/poses.py",
        "return both >= least",
        "return both >= 0 * least",
        "release/test_doubtful_detections.py::test_landmarks_beside_their_face_are_not_taken",
    ),
    Mutation(
        "find: every face of a photo counts",
        "release/find.py",
        "found = in_order(found)\n",
        "found = in_order(found)[:1]\n",
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
        "share: what a style makes is counted anew",
        "release/share.py",
        "    _check_groups(job.plan, shared, grouped.faces.keys() - people.reference)\n",
        "",
        "release/test_groups.py::test_what_a_style_makes_is_counted_anew",
    ),
    Mutation(
        "a guess at the seed is slow",
        "release/secret.py",
        "n=_COST",
        "n=2",
        "release/test_release_parts.py::test_a_guess_at_the_seed_is_slow",
    ),
    Mutation(
        "nothing that a killed run left is in OUT",
        "release/publish.py",
        "    _sweep(folder, {CERTIFICATE, REPORT, *files})\n",
        "",
        "release/test_promises.py::test_nothing_that_a_killed_run_left_is_in_out",
    ),
    Mutation(
        "like numbers of photos come before age and tone",
        "release/counts.py",
        "of_sex = {person: label[:1] for person, label in classes.items()}",
        "of_sex = dict(classes)",
        "release/test_counts.py::test_like_counts_come_before_age_and_tone_and_after_sex",
    ),
)

"""Faults, damage and slips: nothing unprotected, and nothing sent."""

from promises.mutation import Mutation

MUTATIONS = (
    Mutation(
        "soak: the networks' library sends nothing",
        "weights/runtimes.py",
        '    os.environ["ORT_DISABLE_TELEMETRY"] = "1"\n',
        "",
        "weights/test_silence.py",
    ),
    Mutation(
        "soak: what the disk refused is not kept as a fault of the photo",
        "release/find.py",
        "_PASSING: Final = (CHANGED, UNOPENED)",
        "_PASSING: Final = (CHANGED,)",
        "release/test_failing_reads.py::test_a_photo_that_fails_once_is_read_by_the_next_run",
    ),
    Mutation(
        "soak: a ledger's doubtful boxes are the models' own",
        "release/believed.py",
        "for box in listed.ignored if tuple(box) in own])",
        "for box in listed.ignored])",
        "release/test_slips_of_ledgers.py",
    ),
    Mutation(
        "soak: a listed box is no proof that a face was changed",
        "release/last_look.py",
        "    return middle < _CHANGED or sum(bare) > most\n",
        "    return False\n",
        "release/test_slips_of_ledgers.py",
    ),
    Mutation(
        "soak: half a face is a face",
        "release/last_look.py",
        "    return middle < _CHANGED or sum(bare) > most\n",
        "    return middle < _CHANGED\n",
        "release/test_slips_of_ledgers.py",
    ),
    Mutation(
        "looks: a face is excused as drawn only where its middle is changed",
        "release/last_look.py",
        "    is_drawn = middle >= _ALL_CHANGED and any(",
        "    is_drawn = any(",
        "release/test_late_things.py",
    ),
    Mutation(
        "looks: a known face that is seen again is not asked about",
        "release/leftovers.py",
        "        is_sure = is_known or face.score >= SURE",
        "        is_sure = face.score >= SURE",
        "release/test_late_things.py",
    ),
    Mutation(
        "guard: whoever is nearly the first is guarded",
        "release/guarding.py",
        "alike.max() - _NEARLY",
        "alike.max()",
        "release/test_guarding.py",
    ),
    Mutation(
        "soak: the store notices damage",
        "store.py",
        "            if not _is_whole(key, path.read_bytes()):\n",
        "            if False:\n",
        "test_store.py",
    ),
    Mutation(
        "soak: a planted journal writes nothing outside of its vault",
        "vault/container.py",
        "        if outside or not tail.endswith(_END_MAGIC):\n",
        "        if not tail.endswith(_END_MAGIC):\n",
        "vault/test_changes.py::test_a_planted_journal_whose_sum_fits_touches_nothing",
    ),
    Mutation(
        "soak: names of files cannot steer a terminal",
        "cli/app.py",
        "    return escape(console.plain(text))\n",
        "    return escape(text)\n",
        "cli/test_hostile_names.py",
    ),
    Mutation(
        "soak: a faint face that two networks see is one",
        "vision/faint.py",
        "_AGREED: Final = 0.5",
        "_AGREED: Final = 1.5",
        "vision/test_faint_faces.py",
    ),
    Mutation(
        "a word is no consent",
        "people/ledgers.py",
        "if not isinstance(entry.get(name, False), bool):",
        "if False:",
        "people/test_one_person_one_name.py::test_a_slip_of_the_hand_is_told_with_its_place",
    ),
    Mutation(
        "a box that is no place of its photo withholds it",
        "release/find.py",
        "elif not listed.fits(photo.rgb):",
        "elif False:",
        "release/test_slips_of_ledgers.py::test_a_box_that_is_no_place_of_its_photo_withholds_it",
    ),
)

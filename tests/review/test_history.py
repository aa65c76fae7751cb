"""What a person did: undone, done again, kept."""

import json

import pytest

from ksame.errors import InputError
from ksame.release import Corrections
from ksame.review.history import SAVED, History, Step, load, save

A = ("a", (0.0, 0.0, 9.0, 9.0))


def _steps(*names):
    return [Step(f"named {name}", Corrections(persons={A: name})) for name in names]


def test_undo_and_redo_walk_the_same_steps():
    one, two = _steps("x", "y")
    history = History().with_step(one).with_step(two)
    assert history.corrections.persons == {A: "y"}
    assert history.undo().corrections.persons == {A: "x"}
    assert history.undo().undo().corrections == Corrections()
    assert history.undo().redo() == history
    assert history.undo().undo().undo().redo().redo() == history


def test_a_new_step_forgets_what_was_undone():
    one, two, three = _steps("x", "y", "z")
    history = History().with_step(one).with_step(two).undo().with_step(three)
    assert history.redo() is history
    assert history.corrections.persons == {A: "z"}


def test_what_was_done_is_kept_and_found_again(tmp_path):
    history = History().with_step(_steps("x")[0]).with_step(_steps("y")[0]).undo()
    save(tmp_path, history)
    assert load(tmp_path) == history
    assert (tmp_path / SAVED).stat().st_mode & 0o077 == 0


def test_nothing_kept_is_an_empty_history(tmp_path):
    assert load(tmp_path) == History()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "other"}', json.dumps({"done": 3})])
def test_a_spoiled_file_is_not_thrown_away(tmp_path, text):
    (tmp_path / SAVED).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=SAVED):
        load(tmp_path)
    assert (tmp_path / SAVED).read_text(encoding="utf-8") == text

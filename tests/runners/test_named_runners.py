"""Runners of one's own: found by name, counted, and never short of a result."""

import pytest

from ksame.errors import InputError
from ksame.release.plan import Plan
from ksame.release.scratch import Scratch
from ksame.release.workers import open_runner
from ksame.runners.named import is_named, own_runner

PARTS = """
class InLine:
    def __enter__(self):
        self.entered = True
        return self

    def __exit__(self, *_):
        self.entered = False

    def run(self, label, function, tasks):
        assert self.entered
        yield from map(function, tasks)

    def finish(self):
        pass


class Forgetful(InLine):
    def run(self, label, function, tasks):
        yield from map(function, tasks[1:])


class Doubling(InLine):
    def run(self, label, function, tasks):
        yield from map(function, [*tasks, tasks[0]])


class Idle:
    pass
"""


@pytest.fixture(autouse=True)
def parts(tmp_path, monkeypatch):
    (tmp_path / "some_runners.py").write_text(PARTS)
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("package.module:name", True),
        ("local", False),
        ("tcp://host:8786", False),
        ("host:8786", False),
        ("10.0.0.1:8786", False),
        ("tls://host:8786", False),
    ],
)
def test_addresses_are_no_names(name, named):
    assert is_named(name) == named


def test_a_release_is_given_the_runner_that_it_names(tmp_path):
    plan = Plan(tmp_path, tmp_path / "out", cluster="some_runners:InLine")
    with open_runner(plan, Scratch(tmp_path), None) as runner:
        assert list(runner.run("signs", abs, [-1, 2, -3])) == [1, 2, 3]


@pytest.mark.parametrize("name", ["Forgetful", "Doubling"])
def test_results_that_do_not_fit_their_tasks_stop_the_run(name):
    with (
        own_runner(f"some_runners:{name}") as runner,
        pytest.raises(InputError, match="results for 3 tasks"),
    ):
        list(runner.run("signs", abs, [-1, 2, -3]))


@pytest.mark.parametrize(
    ("name", "said"), [("Idle", "lacks finish, run"), ("None", "cannot be imported")]
)
def test_what_is_no_runner_is_refused(name, said):
    with pytest.raises(InputError, match=said), own_runner(f"some_runners:{name}"):
        pass

"""A small album of synthetic people, a server to look at it with, and a browser to look with."""

import os
import shutil
import threading
from collections import defaultdict
from pathlib import Path
from urllib.parse import urlsplit

import cv2
import numpy as np
import pytest
from filmed import make_album
from review_plans import HOSTILE, clip_plan, plan_of

from ksame.release import Plan
from ksame.release.scratch import MARK

CHROMIUM = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
REQUIRED = "KSAME_BROWSER"  # set where a missing browser is a failure: in continuous integration


@pytest.fixture(scope="session")
def album(tmp_path_factory) -> Path:
    """Seven synthetic people in folders, one of a hostile name; one photo shows a bare wall."""
    from ksame.datasets.demo_people import demo_people

    folder = tmp_path_factory.mktemp("review") / "album"
    demo = demo_people()
    paths = defaultdict(list)
    for path, person in zip(demo.paths, demo.persons, strict=True):
        paths[person].append(path)
    for number, person in enumerate(sorted(paths)[:7]):
        home = folder / (HOSTILE if number == 6 else person)
        home.mkdir(parents=True)
        for path in paths[person][: 2 if number < 2 else 1]:
            name = f"{HOSTILE}.jpg" if number == 6 else path.name
            shutil.copyfile(path, home / name)
    wall = np.full((300, 400, 3), (90, 120, 140), np.uint8)
    wall[:, 250:] = (70, 100, 120)
    (folder / "wall").mkdir()
    cv2.imwrite(str(folder / "wall" / "wall.png"), wall)
    return folder


@pytest.fixture(scope="session")
def found(album, tmp_path_factory) -> Path:
    """What the first stage finds, so that no test looks again."""
    from dataclasses import replace

    from ksame.people.sources import FOLDERS
    from ksame.release.find import find_one, search_for
    from ksame.release.job import Job
    from ksame.release.scratch import Scratch
    from ksame.runners import Processes

    work = tmp_path_factory.mktemp("found") / "work"
    (work / "store").mkdir(parents=True)
    plan = plan_of(album, work.with_name("out"))
    search = search_for(Job(plan, Scratch(work), Processes(1)), FOLDERS, False)
    for path in sorted(p for p in album.rglob("*") if p.is_file()):
        find_one(replace(search, path=path))
    return work


@pytest.fixture
def plan(album, found, tmp_path) -> Plan:
    """A plan whose faces are known, as after a server that was killed."""
    made = plan_of(album, tmp_path / "out", allow_faceless=True)
    shutil.copytree(found, made.work)
    (made.work / MARK).touch()
    return made


class Opened:
    """A review that runs in a thread, and what came of it."""

    def __init__(self, plan: Plan, made: Path | None = None) -> None:
        self.plan, self.made, self.address = plan, made, ""
        self.release = self.error = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        from ksame.review import review

        try:
            self.release = review(self.plan, self._opened, made=self.made)
        except Exception as error:
            self.error = error
            self._ready.set()

    def _opened(self, address: str) -> None:
        self.address = address
        self._ready.set()

    def start(self) -> "Opened":
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def join(self, seconds: float = 60) -> "Opened":
        self._thread.join(seconds)
        assert not self._thread.is_alive()
        return self


@pytest.fixture
def start(monkeypatch):
    """Start reviews; whatever a test leaves open ends quickly."""
    from ksame.review import server

    monkeypatch.setattr(server, "GONE", 2.0)
    begun: list[Opened] = []

    def begin(plan: Plan, made: Path | None = None) -> Opened:
        begun.append(Opened(plan, made).start())
        return begun[-1]

    return begin


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium; without one the tests skip, except where one is required."""
    path = next((path for path in CHROMIUM if Path(path).exists()), None)
    if path is None:
        if os.environ.get(REQUIRED):
            pytest.fail(f"no Chromium is installed, and {REQUIRED} says that there must be one")
        pytest.skip("no Chromium is installed (Debian: apt-get install chromium)")
    if os.environ.get(REQUIRED):
        import playwright.sync_api as api
    else:
        api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser):
    """A tab that fails the test on any error of the page's script, and on any request elsewhere."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    context.set_default_timeout(60_000)  # ms: on a busy machine, too
    tab = context.new_page()
    errors: list[str] = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.on("dialog", lambda dialog: dialog.accept())
    asked: set[str] = set()
    context.on("request", lambda request: asked.add(urlsplit(request.url).netloc))
    yield tab
    context.close()
    assert errors == []
    assert {place.partition(":")[0] for place in asked} <= {"127.0.0.1", ""}


@pytest.fixture(scope="session")
def filmed(tmp_path_factory) -> Path:
    """An album with a clip."""
    return make_album(tmp_path_factory.mktemp("filmed") / "album")


@pytest.fixture(scope="session")
def found_in_clip(filmed, tmp_path_factory) -> Path:
    """What the first stage finds in that album, so that no test looks again."""
    from ksame.release.find import find
    from ksame.release.job import Job
    from ksame.release.scratch import Scratch
    from ksame.runners import Processes

    work = tmp_path_factory.mktemp("found in clip") / "work"
    (work / "store").mkdir(parents=True)
    find(Job(clip_plan(filmed, work.with_name("out")), Scratch(work), Processes(1)))
    return work


@pytest.fixture
def with_clip(filmed, found_in_clip, tmp_path) -> Plan:
    """A plan for the album with the clip, whose faces are known."""
    made = clip_plan(filmed, tmp_path / "out")
    shutil.copytree(found_in_clip, made.work)
    (made.work / MARK).touch()
    return made

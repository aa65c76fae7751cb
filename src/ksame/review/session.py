"""One review from the first look to the release: what is true now, for every tab and thread."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from ksame.errors import InputError, KsameError
from ksame.release.before import read_before
from ksame.release.corrections import Corrections
from ksame.release.earlier import read_earlier
from ksame.release.find import Album
from ksame.release.job import Job
from ksame.release.listed import LOOKS
from ksame.release.name import People
from ksame.release.plan import Plan
from ksame.release.publish import Release
from ksame.release.scratch import Scratch
from ksame.release.secret import draw_secret
from ksame.review.actions import Scene, step_for
from ksame.review.desk import Desk, remembering
from ksame.review.effect import Effect, effect_of
from ksame.review.events import Events
from ksame.review.footage import CHUNK, Shot
from ksame.review.history import History, load, save
from ksame.review.outcome import Outcome
from ksame.review.table import Numbers, lay_out
from ksame.runners import Processes

FINDING, REVIEWING, RELEASING, DONE, FAILED = (
    "finding", "reviewing", "releasing", "done", "failed",
)  # fmt: skip
_OFTEN: Final = 0.1  # seconds between two messages about progress


class Ended(KsameError):
    """The page was closed before anything was released; what was done on it is kept."""


class Session:
    """The state of a review. Every method may be called from any thread.

    It is the `Review` and the `Progress` of a release: `__call__` waits until a person presses
    release, and returns that person's corrections.
    """

    def __init__(self, plan: Plan, made: Path | None = None) -> None:
        """``made`` is the folder of the finished release that is looked at again."""
        self.plan, self._made = plan, made
        self.events = Events()
        self.phase = FINDING
        self.outcome: Outcome | None = None
        self._lock = threading.RLock()
        self._decided = threading.Event()
        self._ended = False
        self._progress: dict[str, Any] = {}
        self._error = ""
        self._history = History()
        self._numbers = Numbers()
        self._scene: Scene | None = None
        self._effect: Effect | None = None
        self._version = 0
        self._counting = ThreadPoolExecutor(1, "effect")

    def __call__(self, album: Album, people: People) -> Corrections:
        """Lay out what was found, and wait until a person has decided.

        Raises
        ------
        Ended
            Nobody looks any more.
        """
        scratch = Scratch(self.plan.work)
        secret = draw_secret(self.plan.seed, album.digests(), scratch)
        # groups of an earlier release, or of this one before it was corrected, stay
        kept = read_earlier(self.plan), read_before(self.plan, self._made)
        job = remembering(Job(self.plan, scratch, Processes(1), secret, *kept))
        desk = Desk(job, album, people)
        with self._lock:
            self._history = load(self.plan.work)
            self._lay_out(desk, self._history)
            self._set_phase(REVIEWING)
        self._decided.wait()
        with self._lock:
            if self._ended:
                raise Ended(
                    "the page was closed; nothing is released. What was done on it is kept: run "
                    "the same command again to go on"
                )
            return self._history.corrections

    def _lay_out(self, desk: Desk, history: History) -> None:
        now = desk.after(history.corrections)
        table = lay_out(now, self._numbers, desk.clips(now))
        self._scene = Scene(desk, now, table, self._numbers, history.corrections)
        self._history = history
        self._version += 1
        self._effect = None
        if not self._ended:  # or nobody would see it, and nobody counts any more
            self._counting.submit(self._count, self._scene, self._version)

    def _count(self, scene: Scene, version: int) -> None:
        """Find out, beside everything else, what the corrections mean for k."""
        with self._lock:
            if version != self._version:  # a later step is counted instead
                return
        effect = effect_of(scene.desk.job, scene.now)
        with self._lock:
            if version == self._version:
                self._effect = effect
                self.events.send("effect", {"version": version, "effect": effect.as_json()})

    def act(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Do what a tab asks for, keep it, and tell every tab.

        Raises
        ------
        InputError
            It cannot be done; nothing changed.
        """
        with self._lock:
            scene = self._reviewed()
            kind = request.get("do")
            if kind == "undo":
                history = self._history.undo()
            elif kind == "redo":
                history = self._history.redo()
            else:
                history = self._history.with_step(step_for(scene, request))
            if history is self._history:
                raise InputError(f"there is nothing to {kind}")
            save(self.plan.work, history)
            self._lay_out(scene.desk, history)
            assert self._scene is not None
            news = {**self._state(), "since": self._version - 1,
                    "table": self._scene.table.since(scene.table)}  # fmt: skip
            self.events.send("change", news)
            return news

    def release(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Go on with what was decided; nothing more is asked.

        Raises
        ------
        InputError
            k cannot be met: the page goes on.
        """
        with self._lock:
            scene = self._reviewed()
            effect = self._effect or effect_of(scene.desk.job, scene.now)
            if not effect.possible:
                raise InputError(effect.why)
            self._set_phase(RELEASING)
            self._decided.set()
            return {}

    def _reviewed(self) -> Scene:
        if self.phase != REVIEWING or self._scene is None:
            raise InputError("nothing can be changed now; reload the page")
        return self._scene

    def snapshot(self) -> dict[str, Any]:
        """Everything that a tab needs to draw the page."""
        with self._lock:
            table = None if self._scene is None else self._scene.table.as_json()
            return {**self._state(), "table": table, "options": self._options()}

    def _state(self) -> dict[str, Any]:
        done, undone = self._history.done, self._history.undone
        return {
            "version": self._version,
            "phase": self.phase,
            "progress": self._progress,
            "error": self._error,
            "undo": done[-1].label if done else None,
            "redo": undone[0].label if undone else None,
            "steps": len(done),
            "effect": None if self._effect is None else self._effect.as_json(),
            "outcome": None if self.outcome is None else self.outcome.as_json(),
        }

    def _options(self) -> dict[str, Any]:
        plan = self.plan
        looks = {name: list(words) for name, words in LOOKS.items() if name in plan.classes}
        if plan.style != "model":
            looks.pop("tone", None)  # heads are compared by their pixels
        return {
            "k": plan.k, "method": plan.method, "composite": plan.composite,
            "on_failure": plan.on_failure, "out": plan.out.name, "looks": looks,
            "allow_faceless": plan.allow_faceless,
        }  # fmt: skip

    def shot_at(self, number: int, frame: int | None = None) -> Shot:
        """A photo on the page, or a frame of a clip; LookupError where there is none.

        Of a clip without a frame the one is taken in which its first track is seen best.
        """
        scene = self._scene
        if scene is None or not 0 <= number < scene.now.album.shown:
            raise LookupError(number)
        facts = scene.desk.clips(scene.now).facts(number)
        if facts is None:
            return Shot(scene.now.album.pictures[number].path)
        if frame is None:
            spans = (row[8] for row in scene.table.faces.values() if row[0] == number)
            frame = next((span[2] for span in spans if span), facts.frames // 2)
        if not 0 <= frame < facts.frames:
            raise LookupError(frame)
        return Shot(scene.now.album.pictures[number].path, facts, frame)

    def face_at(self, number: int) -> tuple[Shot, tuple[float, ...]]:
        """The picture and box of a face on the page; LookupError where there is none."""
        scene = self._scene
        if scene is None or not 0 <= number < len(self._numbers.faces):
            raise LookupError(number)
        photo, box = self._numbers.faces[number]
        span = scene.desk.clips(scene.now).span(photo, box)
        return self.shot_at(photo, None if span is None else span.best), box

    def boxes_of(self, number: int, chunk: int) -> dict[int, list[list[int] | None]]:
        """Where the faces of a clip are in a stretch of its frames, by their numbers."""
        with self._lock:
            scene = self._scene
        if scene is None or not 0 <= number < scene.now.album.shown:
            raise LookupError(number)
        clips = scene.desk.clips(scene.now)
        facts = clips.facts(number)
        low = chunk * CHUNK
        if facts is None or not 0 <= low < facts.frames:
            raise LookupError(chunk)
        high = min(low + CHUNK, facts.frames)
        return {
            face: clips.boxes(number, row[1:5], low, high)
            for face, row in scene.table.faces.items()
            if row[0] == number and row[8][0] < high and low < row[8][1]
        }

    @contextmanager
    def progress(self, label: str, total: int) -> Iterator[Callable[[int], None]]:
        """Tell every tab how far a pass has come."""
        count, told = 0, 0.0

        def step(steps: int) -> None:
            nonlocal count, told
            count += steps
            if (now := time.monotonic()) - told > _OFTEN or count >= total:
                told = now
                self._tell(label, count, total)

        self._tell(label, 0, total)
        yield step

    def _tell(self, label: str, count: int, total: int) -> None:
        with self._lock:
            self._progress = {"label": label, "count": count, "total": total}
            self.events.send("progress", {"phase": self.phase, **self._progress})

    def finish(self, release: Release) -> None:
        """The release is made."""
        with self._lock:
            self.outcome = Outcome.of(release)
            self._set_phase(DONE)

    def fail(self, error: str) -> None:
        """There will be no release; what was done on the page is kept."""
        with self._lock:
            self._error = error
            if self._history.done:
                _keep(self.plan.work, self._history)
            self._set_phase(FAILED)

    def end(self) -> None:
        """Nobody looks any more: a release that is being made is made, nothing else is."""
        with self._lock:
            if self.phase in (FINDING, REVIEWING):
                self._ended = True
                self._decided.set()
        self._counting.shutdown(wait=False, cancel_futures=True)

    @property
    def ended(self) -> bool:
        """Whether nobody looked any more before anything was released."""
        return self._ended

    def _set_phase(self, phase: str) -> None:
        self.phase = phase
        self.events.send("phase", self._state())


def _keep(work: Path, history: History) -> None:
    """Keep a history where the work folder was removed with the release that failed."""
    from ksame.release.scratch import MARK

    if not work.exists():
        work.mkdir(mode=0o700)
        (work / MARK).touch(mode=0o600)
    save(work, history)

"""Releases from spoiled ledgers and spoiled scratch folders: none may show a face as it was.

What a person decides is believed and stated: a face that a mutated ledger dismisses or keeps by
consent may be shown if the certificate counts it, and not more faces than that.
"""

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image
from tools.fuzz.bare_faces import Known, bare_faces, make_pair
from tools.fuzz.mutate import mutate_bytes, mutate_json

from ksame.errors import KsameError, MediaError

_PAIRS = ((0, 3), (6, 9), (12, 15))
_PRIVATE = ("faces", "ignored", "dismissed", "withheld", "originals", "labels", "uncertain")


class BareFace(Exception):
    """A release shows a face as it was, and its certificate does not say so."""


class Releases:
    """An album of known people, a ledger of it, and the scratch folder of a killed release."""

    def __init__(self, root: Path) -> None:
        self.root, self.album = root / "pairs", root / "pairs" / "album"
        self.album.mkdir(parents=True)
        self.known: list[Known] = [make_pair(numbers) for numbers in _PAIRS]
        for number, pair in enumerate(self.known):
            Image.fromarray(pair.rgb).save(self.album / f"{number}.png")
        self.book = self._first_ledger()
        self.work = self._killed()

    def ledger(self, data: bytes) -> None:
        """Release with a corrected ledger."""
        path = self.root / "case.json"
        path.write_bytes(data)
        self._release(persons=path)

    def scratch(self, spoil: Callable[[Path], None]) -> None:
        """Go on in a scratch folder of a run that was killed before it published."""
        shutil.copytree(self.work, self.root / "out.work")
        spoil(self.root / "out.work")
        self._release(persons=self.root / "people.json")

    def _first_ledger(self) -> bytes:
        """The ledger of a plain release, every face a person of its own."""
        made = self._run("first", persons="auto", reference="nobody")
        book = json.loads(made.ledger.read_text())
        faces = sorted(book["faces"], key=lambda face: (face["file"], face["box"][0]))
        for number, face in enumerate(faces):
            face["person"] = f"p{number}"
        assert len(faces) == 2 * len(_PAIRS), len(faces)
        data = json.dumps(book).encode()
        (self.root / "people.json").write_bytes(data)
        return data

    def _killed(self) -> Path:
        """The scratch folder of a run that came as far as publishing."""
        from ksame.release import pipeline

        real, work = pipeline.publish, self.root / "killed.work"

        def killed(*_: object) -> None:
            shutil.copytree(self.root / "whole.work", work)
            raise MediaError("killed")

        pipeline.publish = killed  # type: ignore[assignment]
        try:
            self._run("whole", persons=self.root / "people.json")
        except MediaError:
            return work
        finally:
            pipeline.publish = real
        raise AssertionError("the run was not stopped")

    def _run(self, name: str, **options: Any) -> Any:
        from ksame.release import Plan, run

        return run(Plan(self.album, self.root / name, k=2, jobs=1, **options))

    def _release(self, **options: Any) -> None:
        """Release, and judge what appears; whatever happens, nothing is left for the next case."""
        out = self.root / "out"
        try:
            made = self._run("out", **options)
            told = made.certificate["decisions"]
            allowed = told.get("faces_dismissed", 0) + told.get("faces_kept", 0)
            if (shown := bare_faces(out, self.known)) > allowed:
                raise BareFace(f"{shown} faces are shown, {allowed} are stated")
        except KsameError:
            if out.exists() and bare_faces(out, self.known):
                raise BareFace("a refused release is there") from None
            raise
        finally:
            for path in self.root.glob("out*"):
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink()


def mutate_ledger(data: bytes, dice: random.Random) -> bytes:
    """Slips of a hand that corrects a ledger, and now and then odd values anywhere in it."""
    book = json.loads(data)
    if dice.random() < 0.3:
        part = dice.choice([name for name in _PRIVATE if name in book])
        odd = json.loads(mutate_json(json.dumps({part: book[part]}).encode(), random.Random(1)))
        return json.dumps({**book, **odd}).encode()
    for _ in range(dice.randint(1, 3)):
        faces: list[Any] = book["faces"]
        if len(faces) < 2:
            break
        one, other = dice.sample(faces, 2)
        what = dice.randrange(9)
        if what == 0:
            faces.remove(one)
        elif what == 1:
            faces.remove(one)
            book.setdefault("ignored", {}).setdefault(one["file"], []).append(one["box"])
        elif what == 2:
            low, high = [], []
            for a, b in zip(one["box"][:2], other["box"][:2], strict=True):
                low.append(min(a, b))
            for a, b in zip(one["box"][2:], other["box"][2:], strict=True):
                high.append(max(a, b))
            one["box"] = [*low, *high]
            faces.remove(other)
        elif what == 3:
            one["box"], other["box"] = other["box"], one["box"]
        elif what == 4:
            one["points"] = [[x + dice.uniform(-150, 150), y] for x, y in one["points"]]
        elif what == 5:
            one["person"] = dice.choice((None, other["person"], ""))
        elif what == 6:
            one["file"] = other["file"]
        elif what == 7:
            shift = dice.uniform(-200, 200)
            one["box"] = [one["box"][0] + shift, *one["box"][1:2], one["box"][2] + shift,
                          one["box"][3]]  # fmt: skip
        else:
            one["score"] = dice.choice((0, -1, 0.61, 5))
    return json.dumps(book).encode()


def spoiler(dice: random.Random, album: Path) -> Callable[[Path], None]:
    """What happens to a scratch folder between a kill and the next run."""

    def spoil(work: Path) -> None:
        files = sorted(path for path in work.rglob("*") if path.is_file())
        for _ in range(dice.randint(1, 3)):
            path, other = dice.choice(files), dice.choice(files)
            what = dice.randrange(6)
            if what <= 1:
                path.write_bytes(mutate_bytes(path.read_bytes(), dice))
            elif what == 2:
                path.unlink(missing_ok=True)
                path.touch()
            elif what == 3 and path.suffix == other.suffix:
                one = path.read_bytes()
                path.write_bytes(other.read_bytes())
                other.write_bytes(one)
            elif what == 4:
                pictures = sorted((work / "release").glob("*.png"))
                original = dice.choice(sorted(album.iterdir()))
                if pictures:
                    dice.choice(pictures).write_bytes(original.read_bytes())
            else:
                shutil.copyfile(dice.choice(sorted(album.iterdir())), work / "release" / "x.png")

    return spoil

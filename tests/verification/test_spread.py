"""Photos can be checked by whoever is given; each is read once."""

from collections import Counter
from pathlib import Path

from ksame.runners import Processes
from ksame.verification import verify


def test_several_processes_find_what_one_finds(modelled):
    _, ledger = modelled.read()
    name = next(face["file"] for face in ledger["faces"] if face["numbers"])
    modelled.repaint(name, modelled.pixels(name)[1])
    alone = verify(modelled.out, modelled.ledger)
    with Processes(2) as runner:
        shared = verify(
            modelled.out, modelled.ledger, spread=lambda task, photos: runner.run("", task, photos)
        )
    assert alone == shared
    assert not alone.holds


def test_every_photo_is_read_once(model_release, monkeypatch):
    read, real = Counter(), Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read.update([path.name]) or real(path))
    assert verify(model_release.out, model_release.ledger).holds
    photos = {name: read[name] for name in model_release.certificate["files"]}
    assert set(photos.values()) == {1}

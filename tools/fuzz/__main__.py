"""``python -m tools.fuzz --minutes 5``: mutated inputs to every reader; what is not an error of
ksame's own is a fault and its input is kept.

A case is a fault if it raises anything but `KsameError`, takes longer than 30 seconds, or more than
a gigabyte of memory; and if a release shows a face as it was (`bare_faces`).
"""

import argparse
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from PIL import Image
from tools.fuzz.mutate import mutate_bytes, mutate_csv, mutate_json
from tools.fuzz.releases import Releases, mutate_ledger, spoiler
from tools.fuzz.vaults import (
    journal_finisher,
    make_journal,
    make_small_vault,
    mutate_journal,
    opener,
)

from ksame.errors import KsameError

SECONDS, GIGABYTES = 30, 1
RELEASE_SECONDS = 120  # of a whole release, which takes some on a quiet machine
FORMATS = ("JPEG", "PNG", "TIFF", "WEBP", "BMP", "GIF", "PPM", "MPO", "AVIF", "JPEG2000")
PHONES = Path(__file__).parents[2] / "tests" / "media"


class Slow(Exception):
    """A case took too long."""


def seeds(root: Path) -> dict[str, list[bytes]]:
    """Whole inputs of every kind, made from synthetic people."""
    from ksame.codecs.face import storage
    from ksame.datasets.demo_people import demo_people
    from ksame.release import Plan, run

    demo, pictures = demo_people(), []
    small = Image.fromarray(demo.image(0)).resize((160, 200))
    pictures += [path.read_bytes() for path in PHONES.glob("*.heic")]  # nobody here writes them
    for name in FORMATS:
        buffer = BytesIO()
        try:
            small.save(buffer, name, exif=Image.Exif())
        except (OSError, KeyError, ValueError, TypeError):
            continue
        pictures.append(buffer.getvalue())
    album = root / "album"
    for n in range(3):
        (album / f"p{n}").mkdir(parents=True)
        shutil.copyfile(demo.paths[3 * n], album / f"p{n}" / "a.jpg")
    made = run(Plan(album, root / "out", k=3, persons="folder", seed=1, jobs=1))
    table = "image,person,gender\n" + "".join(f"p{n}/a.jpg,p{n},female\n" for n in range(3))
    model = Path(storage.__file__).parent
    vault, _ = make_small_vault(root)
    weights = [path.read_bytes()[:200_000] for path in sorted(model.glob("*.safetensors"))]
    return {
        "picture": pictures,
        "table": [table.encode()],
        "ledger": [made.ledger.read_bytes()],
        "certificate": [(made.out / "certificate.json").read_bytes()],
        "verifier's ledger": [made.ledger.read_bytes()],
        "vault": [vault.read_bytes()],
        "vault's journal": [make_journal(vault)],
        "model file": weights or [b"\x08\x00\x00\x00\x00\x00\x00\x00{}      "],
    }


def cases(
    root: Path,
    releases: Releases,
) -> dict[str, tuple[Callable[[bytes, random.Random], bytes], Callable[[bytes], None]]]:
    """How each kind is mutated, and who reads it."""
    from safetensors import SafetensorError, safe_open

    from ksame.media import read_photo
    from ksame.people import find_source
    from ksame.verification import verify
    from ksame.verification.metadata import metadata

    album, out, ledger = root / "album", root / "out", root / "out.ledger.json"
    photos = sorted(album.rglob("*.jpg"))

    def picture(data: bytes) -> None:
        metadata(data)
        path = root / "case.jpg"
        path.write_bytes(data)
        read_photo(path, max_pixels=5_000_000)

    def people(suffix: str) -> Callable[[bytes], None]:
        def read(data: bytes) -> None:
            path = root / f"case{suffix}"
            path.write_bytes(data)
            source = find_source(path)
            if source is not None:
                source.people_of(photos, [album])
                source.known_faces()

        return read

    def certificate(data: bytes) -> None:
        kept = (out / "certificate.json").read_bytes()
        (out / "certificate.json").write_bytes(data)
        try:
            verify(out)
        finally:
            (out / "certificate.json").write_bytes(kept)

    def private(data: bytes) -> None:
        path = root / "case.ledger.json"
        path.write_bytes(data)
        verify(out, path)

    def model(data: bytes) -> None:
        path = root / "case.safetensors"
        path.write_bytes(data)
        try:
            with safe_open(path, "np") as file:
                for name in file.keys():  # noqa: SIM118 (the handle is no mapping)
                    file.get_tensor(name)
        except (SafetensorError, OSError, ValueError):
            return

    assert ledger.is_file()
    return {
        "picture": (mutate_bytes, picture),
        "table": (mutate_csv, people(".csv")),
        "ledger": (mutate_json, people(".json")),
        "certificate": (mutate_json, certificate),
        "verifier's ledger": (mutate_json, private),
        "vault": (mutate_bytes, opener(root, root / "key")),
        "vault's journal": (
            mutate_journal,
            journal_finisher(root, root / "small.vault", root / "key"),
        ),
        "model file": (mutate_bytes, model),
        "release by a ledger": (mutate_ledger, releases.ledger),
        "release from a scratch folder": (
            lambda data, dice: dice.randbytes(8),
            lambda data: releases.scratch(spoiler(random.Random(data), releases.album)),
        ),
    }


def main() -> int:
    """Run until the time is over; the exit code is 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="kinds whose name holds this")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-faults"))
    asked = parser.parse_args()
    dice, done, faults = random.Random(asked.seed), Counter[str](), Counter[str]()

    def ring(*_: object) -> None:
        raise Slow

    signal.signal(signal.SIGALRM, ring)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        whole, releases = seeds(root), Releases(root)
        whole |= {"release by a ledger": [releases.book], "release from a scratch folder": [b""]}
        readers = {
            kind: how
            for kind, how in sorted(cases(root, releases).items())
            if not asked.only or asked.only in kind
        }
        # a release takes as long as a hundred others: half of the time for each
        often = [1 if kind.startswith("release") and not asked.only else 100 for kind in readers]
        end = time.monotonic() + 60 * asked.minutes
        while time.monotonic() < end:
            (kind,) = dice.choices(list(readers), often)
            mutate, read = readers[kind]
            data = mutate(dice.choice(whole[kind]), dice)
            done[kind] += 1
            signal.alarm(RELEASE_SECONDS if kind.startswith("release") else SECONDS)
            try:
                read(data)
            except KsameError:
                pass
            except Exception as error:
                told = traceback.extract_tb(error.__traceback__)[-1]
                name = f"{kind}: {type(error).__name__} at {Path(told.filename).name}:{told.lineno}"
                if not faults[name]:
                    asked.keep.mkdir(exist_ok=True)
                    (asked.keep / f"{len(faults):03d}").write_bytes(data)
                    sys.stdout.write(f"{name}\n{traceback.format_exc()}\n")
                faults[name] += 1
            finally:
                signal.alarm(0)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    if used > GIGABYTES:
        faults["memory"] += 1
    cases_run = ", ".join(f"{count} {kind}" for kind, count in sorted(done.items()))
    sys.stdout.write(f"{done.total()} cases ({cases_run}); at most {used:.2f} GB\n")
    for name, count in faults.most_common():
        sys.stdout.write(f"fault: {name}: {count} times\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

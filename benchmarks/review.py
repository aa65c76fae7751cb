"""The review page in a real browser: how soon it is there, and how smoothly it scrolls.

python benchmarks/review.py --json FILE [--quick]

The album is made of the built-in synthetic people, each photo and face listed many times over, so
that no time goes into finding faces: what is measured is the server and the page.
"""

import argparse
import json
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

from ksame.datasets.demo_people import demo_people
from ksame.faces import Faces
from ksame.files import write_json
from ksame.release import Plan
from ksame.release.find import FOUND, Album, Picture
from ksame.release.name import People
from ksame.review.server import PageServer
from ksame.review.session import Ended, Session
from ksame.store import Store

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
SIDE = 512  # pixels of the built-in photos, about
LONG = 50.0  # milliseconds: a frame over this is felt
STEP = 150  # pixels scrolled a frame: ten screens a second, faster than a hand does it for long
FRAMES = 700  # at most: about twelve seconds
# scrolls down the list and tells how long each frame took, and how long scripts held it up
SCROLL = """async ([step, most]) => {
  const list = document.querySelector(".scroller"), frames = [], busy = [];
  const note = (found) => busy.push(...found.getEntries().map((one) => one.duration));
  const watcher = new PerformanceObserver(note);
  watcher.observe({ entryTypes: ["longtask"] });
  let last = performance.now();
  for (let i = 0; i < most && list.scrollTop + list.clientHeight < list.scrollHeight - 2; i++) {
    list.scrollTop += step;
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    frames.push(now - last);
    last = now;
  }
  await new Promise((done) => setTimeout(done, 300));
  watcher.disconnect();
  return { frames, busy, faces: document.querySelectorAll(".face").length };
}"""


# whether the first faces of the screen are there
SEEN = """[...document.querySelectorAll(".face img")].slice(0, 20)
  .every((image) => image.naturalWidth > 0)"""


def _album(store: Store, photos: int, faces: int, people: int) -> tuple[Album, People]:
    """Photos whose faces are known, with what counting people needs of them."""
    paths = demo_people().paths
    rng = np.random.default_rng(0)
    pictures, persons = [], {}
    for n in range(photos):
        low = rng.uniform(20, SIDE / 2, (faces, 2)).round(2)
        boxes = np.hstack([low, low + 150]).round(2)
        key = f"{n:064x}"
        rows: dict[str, Any] = {}
        for i in range(faces):
            look = [rng.choice([0.02, 0.98]), rng.uniform(15, 75), rng.uniform(-50, 60), 1.0]
            rows[f"{i}/looks"] = np.array(look)
            rows[f"{i}/sface"] = rng.normal(size=128).astype(np.float32)
            persons[n, i] = f"person-{rng.integers(people):05d}"
        rows["dropped"] = np.zeros((0, 4))
        store.save(FOUND, key, rows, {})
        told = {"gender": ["female"] * faces, "age_band": ["young"] * faces}
        found = Faces(
            boxes,
            np.repeat(boxes[:, None, :2], 5, axis=1),
            np.ones(faces),
            failure=[""] * faces,
            data=told,
        )
        path = paths[n % len(paths)]
        pictures.append(Picture(path, key, key, None, found, "jpeg", (SIDE, SIDE)))
    return Album(tuple(pictures), photos), People(persons)


def _measure(browser: Any, photos: int, faces: int, people: int, folder: Path) -> dict[str, float]:
    """Seconds to the first screen and to the effect on k, and the frames of a long scroll."""
    plan = Plan(folder, folder / "out", k=5, seed=1, jobs=1)
    (plan.work / "store").mkdir(parents=True)
    session = Session(plan)
    album, named = _album(Store(plan.work / "store"), photos, faces, people)

    def look() -> None:
        with suppress(Ended):
            session(album, named)

    with PageServer(session) as server:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        began = time.perf_counter()
        running = threading.Thread(target=look)
        running.start()
        page.goto(server.address)
        page.wait_for_selector(".face img[src]")
        while not page.evaluate(SEEN):
            page.wait_for_timeout(10)
        first = time.perf_counter() - began
        page.wait_for_selector("#release:not([disabled])", timeout=120_000)
        effect = time.perf_counter() - began
        found = page.evaluate(SCROLL, [STEP, FRAMES])
        page.close()
    running.join()
    frames = np.array(found["frames"])
    return {
        "first_screen_seconds": first,
        "effect_seconds": effect,
        "frames": float(len(frames)),
        "frame_median_ms": float(np.median(frames)),
        "frame_worst_ms": float(frames.max()),
        "frames_over_50_ms": float((frames > LONG).sum()),
        "tasks_over_50_ms": float(len(found["busy"])),
        "faces_in_the_page": float(found["faces"]),
    }


def main() -> None:
    """Measure 1,000 photos, and 5,000 with 20,000 faces."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", type=Path, help="not needed: the album is built in")
    asked = parser.parse_args()
    sizes = {"1000": (1000, 2, 400), "20000": (5000, 4, 2000)}
    if asked.quick:
        sizes = {"200": (200, 2, 80)}
    results: dict[str, float] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for name, size in sizes.items():
            with tempfile.TemporaryDirectory() as folder:
                for what, value in _measure(browser, *size, Path(folder)).items():
                    results[f"{what}_{name}"] = round(value, 3)
        browser.close()
    for name, value in results.items():
        print(f"{name:32} {value:10.3f}")
    if asked.json:
        write_json(asked.json, results, 0o644)
    else:
        print(json.dumps(results))


if __name__ == "__main__":
    main()

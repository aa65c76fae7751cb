"""Releases on a cluster: the bytes of one machine, and workers that say what they lack."""

import hashlib
import os
import signal
import threading
import time

import psutil
import pytest

from ksame.errors import InputError
from ksame.release import Plan, deidentify
from ksame.release import workers as choosing
from ksame.release.job import open_job
from ksame.release.workers import worker_facts


def digests(release):
    files = [*sorted(p for p in release.out.rglob("*") if p.is_file()), release.ledger]
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def test_a_worker_without_weights_says_so(tmp_path, monkeypatch):
    worker_facts.cache_clear()
    full = dict(worker_facts())
    worker_facts.cache_clear()
    monkeypatch.setenv("KSAME_HOME", str(tmp_path))
    lacking = dict(worker_facts())
    worker_facts.cache_clear()
    assert full["weight file yunet"] == "the pinned one"
    assert lacking["weight file yunet"] == ("one that is missing (run there: ksame models install)")
    assert lacking["ksame"] == full["ksame"]


def test_a_cluster_without_its_package_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(choosing, "find_spec", lambda name: None)
    plan = Plan((tmp_path,), tmp_path / "out", cluster="local")
    with pytest.raises(InputError, match=r"pip install 'ksame\[cluster\]'"), open_job(plan, None):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_clusters_write_the_bytes_of_one_machine(album, tmp_path):
    options = {"k": 3, "persons": "folder", "seed": 7}
    alone = digests(deidentify(album, tmp_path / "a" / "out", jobs=1, **options))
    for workers in (1, 3):
        out = tmp_path / str(workers) / "out"
        assert digests(deidentify(album, out, jobs=workers, cluster="local", **options)) == alone


@pytest.mark.slow
def test_a_killed_worker_changes_no_byte(album, tmp_path):
    options = {"k": 3, "persons": "folder", "seed": 7}
    alone = digests(deidentify(album, tmp_path / "a" / "out", jobs=1, **options))
    out = tmp_path / "b" / "out"
    killed = []

    def kill_one():
        found = out.with_name("out.work") / "store" / "found"
        end = time.monotonic() + 120
        while not found.exists() and time.monotonic() < end:
            time.sleep(0.05)
        for child in psutil.Process().children(recursive=True):
            if "spawn_main" in " ".join(child.cmdline()):
                os.kill(child.pid, signal.SIGKILL)
                killed.append(child.pid)
                return

    threading.Thread(target=kill_one, daemon=True).start()
    assert digests(deidentify(album, out, jobs=2, cluster="local", **options)) == alone
    assert killed

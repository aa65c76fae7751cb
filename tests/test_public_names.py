"""What ``import ksame`` offers: fast, on every system, and with real types."""

import ast
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import ksame

USER = """
import ksame

release = ksame.deidentify("photos", "out", k=5)
reveal_type(release)
reveal_type(ksame.verify("out"))
reveal_type(ksame.attack("photos", "out"))
reveal_type(ksame.FaceSet([[1.0, 2.0]]).n_people)
reveal_type(ksame.KSamePixel(k=5).fit_transform([[1.0], [2.0]]))
reveal_type(ksame.Faces.empty().xyxy)
reveal_type(ksame.check_k_anonymity([[1.0]], [[1.0]], None, 2))
reveal_type(ksame.InputError("x"))
"""


@pytest.mark.parametrize("name", ksame.__all__)
def test_every_public_name_is_there(name):
    assert getattr(ksame, name) is not None
    assert name in dir(ksame)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = ksame.no_such_name


def test_type_checkers_see_the_same_names_from_the_same_homes():
    tree = ast.parse(Path(ksame.__file__).read_text(encoding="utf-8"))
    (typed,) = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {
        alias.name: node.module
        for node in typed.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == ksame._HOMES
    assert set(ksame._HOMES) < set(ksame.__all__)


def test_importing_ksame_is_quick_and_loads_nothing_heavy():
    code = (
        "import sys, time; t = time.process_time(); import ksame; "
        "took = time.process_time() - t; "
        "heavy = {'numpy', 'cv2', 'sklearn', 'numba', 'matplotlib', 'PIL'} & set(sys.modules); "
        "print(took, *heavy)"
    )
    command = [sys.executable, "-c", code]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    took, *heavy = said.stdout.split()
    assert not heavy
    assert float(took) < 0.15


def test_every_module_imports_without_what_windows_lacks():
    """Only modules that Windows has are imported at the top of any file."""
    modules = [found.name for found in pkgutil.walk_packages(ksame.__path__, "ksame.")]
    wanted = [name for name in modules if not name.endswith("__main__")]
    code = (
        "import sys, distributed\n"  # which asks for other modules on Windows
        "for name in ('fcntl', 'resource', 'pwd', 'grp', 'termios', 'syslog', 'posix_ipc'):\n"
        "    sys.modules[name] = None\n"
        "from importlib import import_module\n"
        f"for name in {wanted!r}:\n"
        "    import_module(name)\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-500:]


# what the modules os and signal of Windows lack
LACKING = {
    "os": "chown chroot fchmod fchown fork forkpty geteuid getgid getloadavg getpgid getuid "
    "killpg mkfifo nice O_CLOEXEC O_DIRECTORY O_NOFOLLOW pread pwrite sched_getaffinity setpgid "
    "setsid statvfs sysconf uname wait4",
    "signal": "SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGUSR1 SIGUSR2 "
    "SIG_BLOCK SIG_SETMASK SIG_UNBLOCK alarm pthread_sigmask setitimer sigwait",
}


def test_no_module_needs_names_that_windows_lacks_when_it_is_imported():
    """Functions may use them where they ask for them first; nothing runs on import that does."""
    for file in Path(ksame.__file__).parent.rglob("*.py"):
        for node in _run_on_import(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                lacking = LACKING.get(node.value.id, "").split()
                assert node.attr not in lacking, f"{file.name}: {node.value.id}.{node.attr}"


def _run_on_import(node):
    """All nodes but the bodies of functions."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _run_on_import(child)


@pytest.mark.slow
def test_five_lines_of_a_user_hold_no_any(tmp_path):
    (tmp_path / "user.py").write_text(USER)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "user.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(Path(ksame.__file__).parents[1])},
        timeout=200,
    )
    revealed = [line for line in done.stdout.splitlines() if "Revealed type" in line]
    assert len(revealed) == USER.count("reveal_type"), done.stdout[-800:]
    assert done.returncode == 0, done.stdout[-800:]
    # an array of any shape is written as tuple[Any, ...]; nothing else may be Any
    assert not [line for line in revealed if "Any" in line.replace("tuple[Any, ...]", "")]

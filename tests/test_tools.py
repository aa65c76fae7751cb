"""The project's own commands: each can be imported by whoever runs it."""

from importlib import import_module
from pathlib import Path

import pytest

_TOOLS = Path(__file__).parents[1] / "tools"
_MODULES = sorted(
    ".".join(file.relative_to(_TOOLS.parent).with_suffix("").parts)
    for file in _TOOLS.rglob("*.py")
    if file.stem not in ("__init__", "__main__")
)


@pytest.mark.parametrize("module", _MODULES)
def test_a_command_has_all_that_it_imports(module, monkeypatch):
    """A name that left the package left the training of the model with an ImportError."""
    for folder in (_TOOLS, _TOOLS.parent):  # some are run as files, others as modules
        monkeypatch.syspath_prepend(str(folder))
    import_module(module)

"""Checks a written release against its certificate, from the files on disk alone.

This is a program of its own. It imports nothing of the code that writes releases, only the JSON
that lies in the folder, the private ledger and the pictures, so that a fault of the writer is not
repeated by its judge::

    python -m ksame.verification OUT [LEDGER]

In Python it is ``ksame.verify(out, ledger)``; the package has a name of its own so that the
function can have that one.
"""

from ksame.verification.check import verify
from ksame.verification.verdict import Finding, Verdict

__all__ = ["Finding", "Verdict", "verify"]

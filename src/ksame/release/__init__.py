"""Photos in, certified photos out."""

from ksame.release.pipeline import deidentify
from ksame.release.plan import Plan
from ksame.release.publish import Release
from ksame.release.verify import Finding, Verdict, verify

__all__ = ["Finding", "Plan", "Release", "Verdict", "deidentify", "verify"]

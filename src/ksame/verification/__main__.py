"""``python -m ksame.verification OUT [LEDGER]``: exit code 0 if every claim holds."""

import sys

from ksame.verification.check import verify


def main(arguments: list[str]) -> int:
    """Check a release and say what does not hold."""
    if len(arguments) not in (1, 2):
        sys.stderr.write("usage: python -m ksame.verification OUT [LEDGER]\n")
        return 2
    verdict = verify(*arguments)
    for finding in verdict.findings:
        sys.stdout.write(f"{finding}\n")
    return 0 if verdict.holds else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

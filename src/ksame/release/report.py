"""stub"""

from ksame.release.publish import REPORT


def write_reports(run, facts, scratch):
    from ksame.release.scratch import write_text

    write_text(scratch.release / REPORT, "<html></html>", 0o644)

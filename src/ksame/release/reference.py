"""What lies beside the photos: people for reference."""

from pathlib import Path

from ksame.errors import InputError
from ksame.release.options import NOBODY
from ksame.release.plan import Plan


def reference_photos(plan: Plan) -> list[Path]:
    """The photos of the reference people: a folder's, or the built-in synthetic people's."""
    if plan.reference in (None, NOBODY):
        return []
    assert plan.reference is not None
    if plan.reference == "demo":
        from ksame.datasets.demo_people import demo_people

        return list(demo_people().paths)
    from ksame.media import find_photos

    folder = Path(plan.reference)
    if not folder.is_dir():
        raise InputError(
            f"reference={plan.reference!r} is no folder; name a folder of photos, demo or nobody"
        )
    return find_photos([folder])

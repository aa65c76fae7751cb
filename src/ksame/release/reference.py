"""People who widen the groups, or lend their faces, and are not released."""

from pathlib import Path

from ksame.errors import InputError
from ksame.release.plan import Plan


def reference_photos(plan: Plan) -> list[Path]:
    """The photos of the reference people: a folder's, or the built-in synthetic people's."""
    if plan.reference is None:
        return []
    if plan.reference == "demo":
        from ksame.datasets.demo_people import demo_people

        return list(demo_people().paths)
    from ksame.media import find_photos

    folder = Path(plan.reference)
    if not folder.is_dir():
        raise InputError(
            f"--reference {plan.reference} is no folder; name a folder of photos, or demo"
        )
    return find_photos([folder])

"""Data sets by name: a file or folder, or what an installed package offers."""

from pathlib import Path

from ksame.errors import InputError
from ksame.plugins import names_of, resolve


def data_place(given: str | None) -> Path | None:
    """The people.csv, or the folder with a faces.csv, that a name stands for.

    A path that exists is itself. Else the name is that of a data set: a function without arguments,
    offered by an installed package (``ksame.datasets``) or told as ``package.module:name``, that
    returns the path of its people.csv.

    Raises
    ------
    InputError
        There is neither such a file nor such a data set, or the data set's file is missing.
    """
    if given is None:
        return None
    if Path(given).exists():
        return Path(given)
    offered = names_of("dataset", {})
    if ":" not in given and given not in offered:
        raise InputError(
            "--data names neither a file or folder that exists nor a data set of an installed "
            f"package ({', '.join(offered) or 'there is none'}). Check the path."
        )
    found = resolve("dataset", given, {})
    place = Path(found() if callable(found) else found)
    if not place.exists():
        raise InputError(f"data set {given!r} names a file that does not exist. Install it again.")
    return place

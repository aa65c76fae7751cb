"""Which tracks of a clip are one person, where a folder or a table names one person a clip."""

from typing import Final

KIN: Final = "kin"  # a column of a clip's faces
FIRST: Final = "first"  # its value for tracks of the person who is seen longest

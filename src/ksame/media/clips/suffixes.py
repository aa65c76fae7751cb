"""How the names of clips end."""

_SUFFIXES = """
    .mp4 .m4v .mov .mkv .webm .avi .wmv .asf .gif .mpg .mpeg .ts .mts .m2ts .3gp .flv .ogv
"""
CLIP_SUFFIXES = frozenset(_SUFFIXES.split())
"""Names of files that a folder is searched for."""

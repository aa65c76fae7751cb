"""A person is one person, and counted once."""

from promises.mutation import Mutation

MUTATIONS = (
    Mutation(
        "links make one person of two names",
        "people/sources.py",
        "*spelt, *links])",
        "*spelt])",
        "people/test_one_person_one_name.py",
    ),
    Mutation(
        "spellings make one person of two names",
        "people/sources.py",
        "*spelt, *links])",
        "*links])",
        "people/test_one_person_one_name.py",
    ),
    Mutation(
        "a reference person who is released too does not count twice",
        "release/name.py",
        "if spot[0] >= shown and label not in taken",
        "if spot[0] >= shown",
        "release/test_whose_face.py",
    ),
    Mutation(
        "who is shown as they are is marked on every face",
        "release/name.py",
        "face.person for face in faces if not face.kept and face.person",
        "face.person for face in faces if False and face.person",
        "release/test_whose_face.py",
    ),
)

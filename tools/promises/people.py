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
)

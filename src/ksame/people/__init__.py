"""Who is who: from folders, files or faces; and the classes that people are grouped inside of.

find_source(persons).people_of(photos, roots)   who a user says is on each photo
cluster_people(embeddings, photos)              who is who by the faces alone
merge_names(sets)                               names that turned out to be one person
vote_classes, split_by_tone                     the class of a person, from the person's faces
"""

from ksame.people.classes import split_by_tone, tone_parts, vote_classes
from ksame.people.cluster import People, cluster_people
from ksame.people.names import merge_names
from ksame.people.sources import NamedFace, PeopleSource, PhotoPeople, find_source

__all__ = [
    "NamedFace",
    "People",
    "PeopleSource",
    "PhotoPeople",
    "cluster_people",
    "find_source",
    "merge_names",
    "split_by_tone",
    "tone_parts",
    "vote_classes",
]

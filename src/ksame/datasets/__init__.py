"""The built-in synthetic people, and readers for landmark files, people.csv and known sets."""

from ksame.datasets.demo_people import DemoPeople, demo_people
from ksame.datasets.known_sets import KnownFaces, data_folder, known_faces, listed_faces
from ksame.datasets.landmark_files import read_points, write_points
from ksame.datasets.people_csv import PeopleTable, read_people_csv

__all__ = [
    "DemoPeople",
    "KnownFaces",
    "PeopleTable",
    "data_folder",
    "demo_people",
    "known_faces",
    "listed_faces",
    "read_people_csv",
    "read_points",
    "write_points",
]

"""Who counts towards k, and who is shown as they are: when in doubt, nobody."""

import numpy as np
from release_plans import HERE, job_of, plan_of_nothing

from ksame.faces import Faces
from ksame.people import NamedFace, PhotoPeople
from ksame.release import name as naming
from ksame.release.find import Album, Picture


def _album(count, shown):
    """As many pictures of one face each, of which the first are to be released."""
    face = Faces(np.array([[10.0, 10, 50, 60]]), np.zeros((1, 5, 2)), np.ones(1))
    pictures = [Picture(HERE / f"{n}.jpg", f"{n}", f"{n}", None, face) for n in range(count)]
    return Album(tuple(pictures), shown)


def test_a_reference_person_who_is_released_too_does_not_count_twice(monkeypatch):
    """The last two of five are the reference's, and the fourth shows the first one's person."""
    labels = {(n, 0): label for n, label in enumerate([7, 8, 9, 7, 6])}
    monkeypatch.setattr(naming, "_clusters", lambda *_: (labels, []))
    people = naming.name(job_of(plan_of_nothing(persons="auto")), _album(5, 3))
    assert people.reference == {"reference-00006"}
    assert set(people.persons) == {(0, 0), (1, 0), (2, 0), (4, 0)}


class _Listed:
    """A source in which one of a person's two faces is marked as to be shown."""

    columns = ()

    def people_of(self, photos, roots, digest=None):
        box = (10.0, 10.0, 50.0, 60.0)
        marks = [("ann", True), ("bob", True), ("bob", False)]
        return [
            PhotoPeople((NamedFace(person, box, kept=kept),), all_faces=True)
            for person, kept in marks
        ]


def test_who_is_shown_is_marked_on_every_face():
    assert naming.listed_people(_album(3, 3), _Listed(), [HERE]).kept == {"ann"}

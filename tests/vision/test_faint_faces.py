"""Faces of which the detector is hardly sure: kept where another network sees them too."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from ksame.datasets.demo_people import demo_people
from ksame.faces import Face, Faces
from ksame.vision import centerface, faint, find_faces, find_faces_by
from ksame.vision.faint import CONFIRMED, confirmed, is_apart, sees_too
from ksame.vision.yunet import YuNet
from ksame.weights.session import session

SURE = 0.6


def _face(box, score):
    x0, y0, x1, y1 = box
    points = np.array([[x0, y0], [x1, y0], [x0, y1], [x1, y1], [x0, y1]], float)
    return Face(np.array(box, float), score, points)


def test_a_faint_face_is_kept_and_a_faint_thing_is_not():
    rgb = demo_people().image(0)
    low, high = demo_people().points[0].min(axis=0), demo_people().points[0].max(axis=0)
    there, corner = _face([*low, *high], 0.35), _face([0, 0, 60, 60], 0.5)
    kept = confirmed(rgb, Faces.of([there, corner]), SURE)
    assert kept.xyxy.tolist() == [there.box.tolist()]
    assert kept.score.tolist() == [CONFIRMED]


def test_sure_faces_are_not_asked_about_and_keep_their_score():
    rgb = np.zeros((80, 80, 3), np.uint8)
    kept = confirmed(rgb, Faces.of([_face([0, 0, 60, 60], 0.61)]), SURE)
    assert kept.score.tolist() == [0.61]


def test_nobody_is_asked_about_a_faint_one_that_is_known(monkeypatch):
    asked = []

    def score(rgb, centre, size, wide, others):
        asked.append((float(centre[0]), wide))
        return {30.0: 0.0, 130.0: 0.12, 230.0: 0.3, 330.0: 0.9}[float(centre[0])]

    monkeypatch.setattr(faint, "centre_score", score)
    rgb = np.zeros((80, 400, 3), np.uint8)
    faces = Faces.of([_face([x, 0, x + 60, 60], 0.4) for x in (0, 100, 200, 300)])
    known = confirmed(rgb, faces, SURE, known=lambda face: True)
    assert len(known) == 4
    assert not asked
    kept = confirmed(rgb, faces, SURE)
    assert kept.xyxy[:, 0].tolist() == [300]
    # what the narrow crop does not show at all is not looked for in the wide ones, which cost most
    widths = {x: [wide for at, wide in asked if at == x] for x in (30.0, 130.0, 230.0, 330.0)}
    assert widths == {30.0: [2.0], 130.0: [2.0, 3.0], 230.0: [2.0, 3.0, 4.5], 330.0: [2.0]}


def test_a_crop_is_shown_to_the_network_once(monkeypatch):
    """Beside a surer face and without it the same crop is asked about: one answer serves both."""
    rgb = demo_people().image(1)
    low, high = demo_people().points[1].min(axis=0), demo_people().points[1].max(axis=0)
    shown = []

    def network(*asked):
        real = session(*asked)
        return SimpleNamespace(run=lambda *given: shown.append(1) or real.run(*given))

    monkeypatch.setattr(centerface, "session", network)
    centerface._answers.clear()
    size, middle = float(max(high - low)), (low + high) / 2
    alone = centerface.centre_score(rgb, middle, size, 2.0)
    beside = np.array([[*(middle + size), *(middle + 2 * size)]])
    assert centerface.centre_score(rgb, middle, size, 2.0, beside) == alone > 0.5
    assert len(shown) == 1
    darker = rgb // 2
    centerface.centre_score(darker, middle, size, 2.0)
    assert len(shown) == 2


def test_tiny_ones_are_left():
    """A face of a few pixels tells nobody, and a crowd has hundreds of them."""
    rgb = np.ascontiguousarray(demo_people().image(0)[::16, ::16])
    low, high = demo_people().points[0].min(axis=0), demo_people().points[0].max(axis=0)
    assert not len(confirmed(rgb, Faces.of([_face([*low / 16, *high / 16], 0.5)]), SURE))


def test_the_first_and_the_last_look_find_them(monkeypatch):
    """A detector that is half as sure of everything finds the same face by the other's word."""
    rgb, real = demo_people().image(0), YuNet.detect

    def unsure(self, image, min_score):
        found = real(self, image, min(2 * min_score, 1.0))
        return replace(found, score=found.score / 2)

    plain = find_faces_by("yunet", rgb)
    monkeypatch.setattr(YuNet, "detect", unsure)
    assert not len(find_faces(rgb, turned=False))
    found = find_faces_by("yunet", rgb)
    assert len(found) == len(plain) == 1
    np.testing.assert_allclose(found.xyxy, plain.xyxy, atol=2)


def test_a_face_that_the_border_cuts_is_found_once():
    """Of two boxes the faint one reaches out of the photo; what of it is inside is the sure one."""
    people = demo_people()
    low, high = people.points[0].min(axis=0), people.points[0].max(axis=0)
    middle = int((low[0] + high[0]) / 2)
    rgb = np.ascontiguousarray(people.image(0)[:, :middle])
    sure = _face([low[0] - 20, low[1], middle + 5, high[1]], 0.9)
    faint = _face([low[0], low[1], high[0] + 40, high[1]], 0.4)
    assert len(confirmed(rgb, Faces.of([faint]), SURE)) == 1
    assert confirmed(rgb, Faces.of([sure, faint]), SURE).xyxy.tolist() == [sure.box.tolist()]


def _box_in(people, row, scale=1.0, corner=(0.0, 0.0)):
    """Where a built-in face is, as the detector would box it."""
    points = people.points[row] * scale + corner
    low, high = points.min(axis=0), points.max(axis=0)
    return np.array([*low, *high])


def test_the_middle_of_a_sure_face_confirms_no_faint_one_beside_it():
    """A shifted duplicate has less than half on the sure face; CenterFace sees the same middle."""
    people = demo_people()
    rgb, box = people.image(0), _box_in(people, 0)
    sure = _face(box, 0.9)
    beside = _face(box + 0.3 * np.tile(box[2:] - box[:2], 2), 0.4)
    assert len(confirmed(rgb, Faces.of([beside]), SURE)) == 1  # alone it is all that is found
    assert confirmed(rgb, Faces.of([sure, beside]), SURE).score.tolist() == [0.9]


def test_a_faint_face_beside_a_sure_one_is_a_face_of_its_own():
    """Two people head to head: the boxes meet, and each has a middle."""
    people = demo_people()
    one, two = people.image(0), people.image(3)
    near, far = _box_in(people, 0), _box_in(people, 3)
    seam = int(near[2] - 0.1 * (near[2] - near[0]))
    start = int(far[0])  # what is left of the second face is cut off
    rgb = np.ascontiguousarray(np.hstack([one[:, :seam], two[:, start:]]))
    sure = _face(near, 0.9)
    faint = _face(far + np.array([seam - start, 0, seam - start, 0]), 0.4)
    assert sure.box[2] > faint.box[0]
    assert confirmed(rgb, Faces.of([sure, faint]), SURE).score.tolist() == [0.9, CONFIRMED]
    rgb[:, seam:] = 128  # nobody there
    assert confirmed(rgb, Faces.of([sure, faint]), SURE).score.tolist() == [0.9]


def test_sees_too_asks_for_a_middle_that_no_sure_face_has():
    people = demo_people()
    rgb, box = people.image(0), _box_in(people, 0)
    beside = _face(box + 0.3 * np.tile(box[2:] - box[:2], 2), 0.4)
    assert is_apart(beside, box[None])
    assert sees_too(rgb, beside, np.zeros((0, 4)))
    assert not sees_too(rgb, beside, box[None])


def test_a_face_that_is_found_twice_counts_once():
    """Both detections pass the score, one of them is much surer, and there is one middle."""
    people = demo_people()
    rgb, box = people.image(0), _box_in(people, 0)
    again = _face(box + 0.3 * np.tile(box[2:] - box[:2], 2), 0.65)
    assert len(confirmed(rgb, Faces.of([again]), SURE)) == 1
    both = Faces.of([_face(box, 0.9), again])
    assert confirmed(rgb, both, SURE).score.tolist() == [0.9]
    alike = Faces.of([_face(box, 0.7), again])  # neither can be told to be the right one
    assert len(confirmed(rgb, alike, SURE)) == 2
    rgb = np.full_like(rgb, 128)  # what CenterFace sees nothing of is believed as before
    assert len(confirmed(rgb, both, SURE)) == 2

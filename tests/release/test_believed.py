"""A ledger's doubtful boxes count only where the models doubt what is there themselves."""

import numpy as np

from ksame.datasets.demo_people import demo_people
from ksame.release.believed import believed
from ksame.release.listed import Listed, in_order
from ksame.vision import find_faces


def test_a_plain_face_that_a_ledger_calls_doubtful_is_a_face():
    rgb = demo_people().image(0)
    box = in_order(find_faces(rgb)).xyxy[0].tolist()
    somewhere = [1.0, 1.0, 30.0, 40.0]  # where nothing was detected
    listed = Listed([], ignored=[box, somewhere])
    assert believed(listed, rgb, "model", "yunet").ignored == []


def test_what_the_models_doubt_stays_doubtful(monkeypatch):
    rgb = demo_people().image(0)
    box = in_order(find_faces(rgb)).xyxy[0].tolist()

    class Doubting:
        @staticmethod
        def keep(rgb, found, attributes):
            return None, {"dropped": np.array([face.box for face in found])}

    monkeypatch.setattr("ksame.release.believed.style_named", lambda name: Doubting)
    assert believed(Listed([], ignored=[box]), rgb, "model", "yunet").ignored == [box]

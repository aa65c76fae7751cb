"""Accuracy on hand-marked faces of people whom the model has not seen."""

from dataclasses import replace

import numpy as np
import pytest

from ksame.codecs.aam import ActiveAppearanceModel, Pose
from ksame.codecs.aam.fit import fit_shape
from ksame.datasets.known_sets import known_faces
from ksame.datasets.landmark_files import read_points
from ksame.media import read_photo


def error_of(found, truth):
    eyes = np.linalg.norm(truth[13:21].mean(axis=0) - truth[21:29].mean(axis=0))
    return np.linalg.norm(found - truth, axis=1).mean() / eyes


@pytest.mark.slow
def test_unseen_people_are_fitted_from_rough_starts(data):
    faces = known_faces("imm", root=data).where(lambda f, i: "yaw" not in f.expression[i])
    people = np.array([int(person.removeprefix("imm")) for person in faces.persons])
    shapes = np.stack([read_points(path) for path in faces.landmarks])
    train, test = people <= 30, people > 30
    files = [path for path, kept in zip(faces.images, train, strict=True) if kept]
    model = ActiveAppearanceModel(size=64)
    model.fit((read_photo(path).rgb for path in files), shapes[train])
    rng = np.random.default_rng(5)
    errors, hidden, starts = [], [], []
    for row in np.flatnonzero(test):
        image, truth = read_photo(faces.images[row]).rgb, shapes[row]
        pose = model.shape_.align(truth)[1]
        turn = np.exp(complex(rng.choice([-0.1, 0.1]), rng.choice([-0.12, 0.12])))
        start = Pose(pose.factor * turn, pose.shift + 6 - 5j).apply(model.shape_.mean)
        starts.append(error_of(start, truth))
        errors.append(error_of(model.encode(image, start).shape, truth))
        covered = image.copy()
        x, y = truth.min(axis=0).astype(int)
        width, height = (np.ptp(truth, axis=0) / 2).astype(int)
        covered[y : y + height, x : x + width] = rng.integers(0, 256, (height, width, 3))
        robust = replace(model.fitting, robust=True)
        hidden.append(error_of(fit_shape(model.templates_, robust, covered, start).shape, truth))
    assert 0.12 < np.mean(starts) < 0.2
    assert np.mean(errors) <= 0.07
    assert np.median(errors) <= 0.06
    assert np.mean(hidden) <= 1.5 * np.mean(errors)

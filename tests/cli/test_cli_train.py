import json

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from ksame import ActiveAppearanceModel
from ksame.cli.app import app
from ksame.datasets import write_points
from ksame.errors import InputError


@pytest.fixture
def marked_faces(tmp_path):
    """Six noise pictures with a jittered square of landmarks beside each."""
    rng = np.random.default_rng(0)
    square = np.array([[20, 20], [80, 20], [80, 80], [20, 80], [50, 50], [35, 60], [65, 60]])
    for i in range(6):
        pixels = rng.integers(0, 255, (12, 12, 3), dtype=np.uint8)
        Image.fromarray(pixels).resize((100, 100)).save(tmp_path / f"{i}.png")
        write_points(tmp_path / f"{i}.pts", square + rng.normal(0, 2, square.shape))
    return tmp_path


def test_trains_on_marked_photos_and_writes_a_model(marked_faces, tmp_path):
    file = tmp_path / "model.aam"
    arguments = ["train", str(marked_faces), "-o", str(file), "--marked", "--size", "48", "--json"]
    said = CliRunner().invoke(app, arguments, catch_exceptions=False)
    facts = json.loads(said.stdout)
    assert facts["photos"] == 6
    assert ActiveAppearanceModel.load(file).code_size == facts["code_size"]


def test_a_photo_without_a_face_is_left_out_and_too_few_are_an_error(marked_faces, tmp_path):
    arguments = ["train", str(marked_faces), "-o", str(tmp_path / "model.aam")]
    said = CliRunner().invoke(app, arguments)
    assert isinstance(said.exception, InputError)
    assert "0 of 6 photos" in str(said.exception)
    assert said.stderr.count("no face was found") == 6
    assert not (tmp_path / "model.aam").exists()

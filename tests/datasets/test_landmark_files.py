import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from ksame.datasets import known_faces, read_points, write_points
from ksame.errors import InputError, MediaError

POINTS = np.array([[10.5, 20.0], [30.25, 40.75], [0.0, 1.0]])

PTS = "version: 1\nn_points: 3\n{\n10.5 20\n30.25 40.75\n0 1\n}\n"
TEM = "3\n10.5\t20\n30.25\t40.75\n0\t1\n1\n0\n3\n0 1 2\n"
CSV = "name,x,y\na,10.5,20\nb,30.25,40.75\nc,0,1\n"
BARE = "10.5,20\n30.25,40.75\n0,1\n"
ASF = (
    "# a comment\n3\n0 0 0.105 0.4 0 2 1\n0 0 0.3025 0.815 1 0 2\n0 0 0.0 0.02 2 1 0\n\nface.png\n"
)


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.pts", PTS), ("a.tem", TEM), ("a.csv", CSV), ("b.csv", BARE), ("a.asf", ASF)],
)
def test_reads_every_format(tmp_path, name, text):
    Image.new("L", (100, 50)).save(tmp_path / "face.png")
    (tmp_path / name).write_text(text)
    np.testing.assert_allclose(read_points(tmp_path / name), POINTS)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("short.pts", PTS.replace("3", "4", 1)),
        ("words.pts", PTS.replace("10.5", "ten")),
        ("infinite.pts", PTS.replace("10.5", "inf")),
        ("empty.pts", ""),
        ("short.tem", "9\n1 2\n"),
        ("columns.csv", "u,v,w\n1,2,3\n"),
        ("no_image.asf", ASF.replace("face.png", "gone.png")),
        ("other.xml", PTS),
    ],
)
def test_a_broken_file_is_an_error_that_names_it(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(MediaError, match=name):
        read_points(tmp_path / name)


@given(points=arrays(float, st.tuples(st.integers(1, 30), st.just(2)), elements=st.floats(0, 9999)))
def test_points_survive_a_round_trip(tmp_path_factory, points):
    file = tmp_path_factory.mktemp("pts") / "face.pts"
    write_points(file, points)
    np.testing.assert_allclose(read_points(file), points, atol=1e-4)


def test_known_sets_are_read_by_name(data):
    faces = known_faces("london", root=data)
    assert len(faces) == 204
    assert len(set(faces.persons)) == 102
    smiles = faces.where(lambda f, i: f.expression[i] == "smile")
    assert len(smiles) == 102
    marked = next(file for file in faces.landmarks if file)
    assert read_points(marked).shape == (189, 2)
    with pytest.raises(InputError, match="unknown set 'paris'"):
        known_faces("paris", root=data)


def test_a_folder_without_sets_is_an_error(tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"faces\.csv"):
        known_faces("london", root=tmp_path)
    monkeypatch.delenv("KSAME_DATA", raising=False)
    with pytest.raises(InputError, match="KSAME_DATA"):
        known_faces("london")

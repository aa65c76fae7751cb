import pytest

from ksame.datasets import read_people_csv
from ksame.errors import MediaError


def test_reads_people_and_labels(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text('image,person,gender\na.jpg,"Doe, Jo",f\nsub/b.jpg,Ann,m\n\n', encoding="utf-8")
    table = read_people_csv(file)
    assert table.images == (tmp_path / "a.jpg", tmp_path / "sub/b.jpg")
    assert table.persons == ("Doe, Jo", "Ann")
    assert table.columns == {"gender": ("f", "m")}
    assert "Doe" not in repr(table)


def test_a_byte_order_mark_and_spaces_do_no_harm(tmp_path):
    file = tmp_path / "people.csv"
    file.write_bytes("\ufeffImage , Person\n a.jpg , 佐藤\n".encode())
    assert read_people_csv(file).persons == ("佐藤",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "one column 'image'"),
        ("photo,person\na.jpg,p\n", "one column 'image'"),
        ("image,name\na.jpg,p\n", "one column 'person'"),
        ("image,person,person\na.jpg,p,q\n", "one column 'person'"),
        ("image,person\na.jpg,Doe, Jo\n", "line 2: has 3 cells"),
        ("image,person\na.jpg,\n", "line 2: image and person must not be empty"),
        ("image,person\na.jpg,p\na.jpg,q\n", r"a\.jpg is listed twice"),
    ],
)
def test_a_wrong_table_is_an_error_that_says_where(tmp_path, text, said):
    file = tmp_path / "people.csv"
    file.write_text(text)
    with pytest.raises(MediaError, match=said):
        read_people_csv(file)


def test_a_missing_or_binary_file_is_an_error(tmp_path):
    (tmp_path / "image.csv").write_bytes(b"\x89PNG\xff\xfe\x00")
    for name in ("image.csv", "gone.csv"):
        with pytest.raises(MediaError, match=name):
            read_people_csv(tmp_path / name)

"""A release's folder holds the certified files, as plain files, and nothing else."""

import os

import pytest

from ksame.verification import verify


def said(forged):
    return " | ".join(map(str, verify(forged.out).findings))


def test_a_link_to_a_folder(forged, tmp_path):
    originals = tmp_path / "originals"
    originals.mkdir()
    (originals / "somebody.jpg").write_bytes(b"...")
    (forged.out / "more").symlink_to(originals)
    assert said(forged) == "more: is a link; a release holds plain files"


def test_a_link_to_a_file_and_a_dangling_one(forged):
    name = sorted(forged.read()[0]["files"])[0]
    (forged.out / "again.jpg").symlink_to(forged.out / name)
    (forged.out / "nowhere.jpg").symlink_to(forged.out / "absent.jpg")
    assert "again.jpg: is a link" in said(forged)
    assert "nowhere.jpg: is a link" in said(forged)


def test_the_certificate_itself_may_be_no_link(forged, tmp_path):
    real = (forged.out / "certificate.json").rename(tmp_path / "elsewhere.json")
    (forged.out / "certificate.json").symlink_to(real)
    assert said(forged) == "certificate.json: is a link; a release holds plain files"


def test_empty_folders(forged):
    (forged.out / "Ada" / "Lovelace").mkdir(parents=True)
    assert "Ada: is a folder without a certified file" in said(forged)
    assert "Ada/Lovelace: is a folder without a certified file" in said(forged)


def test_a_pipe_is_not_opened(forged):
    name = sorted(forged.read()[0]["files"])[0]
    (forged.out / name).unlink()
    os.mkfifo(forged.out / name)
    assert said(forged) == f"{name}: is no plain file"


@pytest.mark.parametrize("name", ["../secret.jpg", "/etc/hostname", "a/../../b.jpg", ""])
def test_names_that_lead_out_of_the_folder(forged, name):
    (forged.out.parent / "secret.jpg").write_bytes(b"\xff\xd8")
    forged.edit(lambda certificate, ledger: certificate["files"].update({name: "0" * 64}))
    assert f"{name}: is no name of a file inside the release" in said(forged)
    assert "metadata" not in said(forged)


def test_files_in_folders_are_fine_if_they_are_certified(forged):
    (forged.out / "sub").mkdir()

    def move(certificate, ledger):
        name = sorted(certificate["files"])[0]
        (forged.out / name).rename(forged.out / "sub" / name)
        for table in (certificate["files"], ledger["files"]):
            table["sub/" + name] = table.pop(name)
        for face in ledger["faces"]:
            if face["file"] == name:
                face["file"] = "sub/" + name
        certificate["keep_names"] = ledger["options"]["keep_names"] = True

    forged.edit(move)
    assert verify(forged.out, forged.ledger).findings == ()


@pytest.mark.parametrize(
    "page",
    [
        "<script>alert(1)</script>",
        "<p onclick='x()'>",
        '<img src="http://somewhere/x.png">',
        "<a href=javascript:x()>",
        "<style>p { background: url(//somewhere/x) }</style>",
        '<meta http-equiv="refresh" content="0">',
        "<iframe srcdoc='x'>",
        "<img src=../other.jpg>",
    ],
)
def test_a_report_that_does_something(forged, page):
    import hashlib

    (forged.out / "report.html").write_text(page)
    sha256 = hashlib.sha256(page.encode()).hexdigest()
    forged.edit(lambda certificate, ledger: certificate["report"].update(sha256=sha256))
    assert said(forged) == "report.html: runs code or loads something from elsewhere"


def test_a_folder_that_is_no_release_is_said_to_be_none(tmp_path):
    (found,) = verify(tmp_path).findings
    assert str(found) == (
        "certificate.json: there is no such file; is this the folder of a release?"
    )


@pytest.mark.parametrize("kept", [False, True])
def test_a_name_that_tells_something_is_stated(forged, kept):
    """The first claims say that names tell nothing: one that does must be said to be kept."""

    def edit(certificate, ledger):
        name = sorted(certificate["files"])[0]
        (forged.out / name).rename(forged.out / "anna.jpg")
        certificate["files"]["anna.jpg"] = certificate["files"].pop(name)
        certificate["keep_names"] = kept

    forged.edit(edit)
    assert ("anna.jpg: is a name that may tell something" in said(forged)) is not kept

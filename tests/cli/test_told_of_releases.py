"""What the command prints of a finished release."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from ksame.cli.app import _show_warning, app
from ksame.cli.deidentify import print_release
from ksame.errors import InputError, NoGuaranteeWarning


@pytest.mark.parametrize(
    ("rate", "unseen", "remedy"),
    [(0.338, 0, "--per-person"), (1.0, 4, "add people who are shown"), (0.2, 0, None)],
)
def test_counts_that_name_people_are_told_with_a_remedy(capsys, rate, unseen, remedy):
    """Whoever knows how many photos everybody has guesses right more often than one in k."""
    certificate = {
        "k": 5,
        "photos": 80,
        "people": 40,
        "people_not_shown": unseen,
        "faces": 80,
        "hidden": 0,
        "doubtful": 0,
        "on_failure": "fill",
        "composite": "natural",
        "groups": [{"people": 5}],
        "measured": {"counts": {"rate": rate, "worst": 0.6, "fair": 0.185}},
    }
    out = Path("out")
    print_release(
        SimpleNamespace(
            certificate=certificate,
            withheld=(),
            ledger=out / "out.ledger.json",
            report=out / "report.html",
        )
    )
    told = capsys.readouterr().out
    assert ("guessed by numbers of photos" in told) is (remedy is not None)
    assert (remedy or "") in told
    assert ("--per-person" in told) is (remedy == "--per-person")


@pytest.mark.parametrize(
    ("said", "sound"),
    [
        ([], "drop"),
        (["--keep-audio"], "keep"),
        (["--audio", "keep", "--keep-audio"], "keep"),
        (["--audio", "mask"], "mask"),
    ],
)
def test_what_becomes_of_sound(monkeypatch, tmp_path, said, sound):
    asked = []

    def note(plan, *_):
        asked.append(plan)
        raise InputError("asked")

    monkeypatch.setattr("ksame.release.run", note)
    given = [str(tmp_path), "-o", str(tmp_path / "out"), *said]
    with pytest.raises(InputError, match="asked"):
        app(["deidentify", *given], standalone_mode=False)
    assert [plan.audio for plan in asked] == [sound]


def test_sound_is_not_kept_and_masked_at_once(tmp_path):
    given = [str(tmp_path), "-o", str(tmp_path / "out"), "--keep-audio", "--audio", "mask"]
    with pytest.raises(InputError, match=r"--keep-audio and --audio mask"):
        app(["deidentify", *given], standalone_mode=False)


def test_a_warning_speaks_of_options(capsys):
    _show_warning(NoGuaranteeWarning("method='blur' gives no privacy guarantee"))
    assert "warning: --method blur gives no privacy guarantee" in capsys.readouterr().err
    _show_warning(UserWarning("method='blur' of another library"))
    assert "method='blur' of another library" in capsys.readouterr().err

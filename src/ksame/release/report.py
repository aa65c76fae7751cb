"""The report of a release: one HTML file that a data-protection officer can read.

It is made from the certificate, the released photos and, only for the private variant, the ledger.
There is no date and no randomness in it: equal releases have equal reports.
"""

import base64
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ksame.arrays import Image as Picture
from ksame.release.plots import draw_cmc, draw_sizes

STRIP = 12  # pictures in the report
_THUMBNAIL = 260
_COMPARED = {
    "parameters": "the numbers that pass (pose, expression, light, outline)",
    "geometry": "where the head lies",
}
_PERSONS = {
    "auto": "clustering of face embeddings",
    "folder": "folders, one a person",
    "file": "a file that names the person on each photo",
}


def render_report(
    certificate: Mapping[str, Any],
    folder: Path,
    ledger: Mapping[str, Any] | None = None,
    *,
    originals: bool = False,
    uncertain: int = 0,
    tracks: Sequence[Mapping[str, Any]] = (),
) -> str:
    """The report as HTML.

    Parameters
    ----------
    certificate : mapping
        The certificate, or its draft.
    folder : Path
        Where the released photos lie.
    ledger : mapping, optional
        Adds the names of withheld files; such a report is private.
    originals : bool
        Show each picture's original beside it; needs the ledger.
    tracks : sequence of mappings
        How well each track was recognised (`ksame.release.track_ranks`): private.
    """
    from jinja2 import Environment, PackageLoader

    environment = Environment(
        loader=PackageLoader("ksame.release"), autoescape=True, trim_blocks=True
    )
    environment.filters.update(rate=_rate, share=_share)
    people = [group["people"] for group in certificate["groups"]]
    measured = certificate.get("measured", {})
    attacks = [a for a in measured.get("attacks", []) if a.get("probes")]
    strip = _strip(certificate, folder, ledger if originals else None)
    return environment.get_template("report.html").render(
        c=certificate,
        private=ledger is not None,
        sizes={"min": min(people, default=0), "max": max(people, default=0)},
        sizes_plot=draw_sizes(people, certificate["k"]) if people else None,
        attacks=attacks,
        beside=list(_beside(measured)) if people else (),
        cmc_plot=draw_cmc(attacks, certificate["k"]) if attacks else None,
        strip=strip,
        withheld_total=sum(certificate["withheld"].values()),
        withheld_names=[_shown(entry) for entry in ledger["withheld"]] if ledger else (),
        persons_words=_PERSONS[certificate["persons"]],
        uncertain=uncertain,
        tracks=tracks if ledger is not None else (),
    )


def _beside(measured: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What people of a group are told apart by besides their faces, and how often."""
    if counts := measured.get("counts"):
        words = "how many photos each person has"
        yield {"what": words, "rate": _share(counts["rate"]), "fair": counts["fair"]}
    for name, found in measured.get("inside_groups", {}).items():
        for photos, words in (("very", "with this photo"), ("other", "with other photos")):
            if rate := found.get(photos):
                what = f"{_COMPARED.get(name, name)}, {words}"
                yield {"what": what, "rate": _rate(rate), "fair": found["fair"]}


def _shown(entry: Mapping[str, str]) -> dict[str, str]:
    """An entry whose file name can be printed, whatever bytes it has."""
    return {name: text.encode("utf-8", "replace").decode() for name, text in entry.items()}


def _strip(
    certificate: Mapping[str, Any], folder: Path, ledger: Mapping[str, Any] | None
) -> list[dict[str, str]]:
    """Thumbnails of some released photos; with the ledger each after its original.

    Neutral names are in random order already, so the first ones are a random choice.
    """
    # a release of somebody else's may name files outside of it
    names: Sequence[str] = [name for name in sorted(certificate["files"]) if _inside(folder, name)]
    shots = []
    for name in names[: STRIP // 2 if ledger else STRIP]:
        if ledger:
            before = _thumbnails(Path(ledger["files"][name]))
            shots += [{"image": image, "caption": "before"} for image in before]
        shots += [{"image": image, "caption": name} for image in _thumbnails(folder / name)]
    return shots


def _inside(folder: Path, name: str) -> bool:
    """Whether a name is that of a plain file in the release."""
    path = folder / name
    return folder.resolve() in path.resolve().parents and path.is_file() and not path.is_symlink()


def _thumbnails(path: Path) -> list[str]:
    """A small copy of a photo, or a filmstrip of a clip, as data URLs."""
    from ksame.media import read_photo
    from ksame.release.media import medium_of, moves

    if moves(medium_of(path)):
        from ksame.release.clips.filmstrip import filmstrip

        return [_thumbnail(rgb) for rgb in filmstrip(path)]
    return [_thumbnail(read_photo(path, writeable=False).rgb)]


def _thumbnail(rgb: Picture) -> str:
    """A small copy of a picture as a data URL."""
    import cv2
    from PIL import Image

    scale = min(_THUMBNAIL / max(rgb.shape[:2]), 1.0)
    size = [max(round(side * scale), 1) for side in rgb.shape[1::-1]]
    picture = Image.fromarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA))
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=88)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode()


def _rate(value: Mapping[str, Any] | None) -> str:
    """A measured rate with its interval, in percent."""
    if not value:
        return "–"
    return f"{100 * value['rate']:.1f}% ({100 * value['low']:.1f}–{100 * value['high']:.1f})"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}%"

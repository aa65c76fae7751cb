"""What a user asks of a release, checked once, before anything is read or written."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ksame.errors import InputError
from ksame.methods.recipes import USUAL, Recipe
from ksame.release.options import (
    AUDIO,
    COMPOSITES,
    DONORS,
    FAILURES,
    LOOKS,
    NOBODY,
    NUMBERS,
    VIDEO_CODECS,
    detector_named,
    input_paths,
    one_of,
    recipe_named,
    usual_jobs,
    whole,
)

if TYPE_CHECKING:
    from ksame.vault import Lock

Style = Literal["model", "heads", "adhoc"]


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides what a release looks like.

    Two runs with equal plans, equal seeds and equal photos write the same bytes. Options left at
    None follow from the others.

    Parameters
    ----------
    inputs : path or paths
        Photos and folders.
    out : path
        The folder of the release; new.
    k : int
        How many people share each face, at least.
    method : str, optional
        See ``method_names``; ``nobody`` where faces are replaced, ``furthest`` where heads are.
    grouping : str, optional
        Another grouping than the method's.
    persons : str or path
        Who is who: ``auto``, ``folder``, a people file (.csv) or a corrected ledger (.json).
    select : names, optional
        Classes that people are grouped inside of; empty for none. Left out, people are grouped by
        their looks, and classes that are too small join their neighbours.
    reference : str or path, optional
        More people for the groups who are not released: a folder, ``demo`` or ``nobody``.
    donors : str, optional
        What surrogates are made of: the face ``model``, the ``people``, or the ``reference``.
    composite : str, optional
        ``natural`` replaces the face, ``strict`` the whole head.
    on_failure : str
        A face that cannot be replaced is filled from its surroundings (``fill``), black
        (``blackout``), or its photo is withheld (``withhold``).
    per_person : int, optional
        Withhold photos of which a person has more than this many.
    force : bool
        Place whole heads (``strict``) into photos that cannot carry them, too.
    detector : str
        Who finds faces. Another one than ``yunet`` looks besides it, first and last: what either
        finds is protected.
    audio : str
        What becomes of a clip's sound: ``drop`` it, ``keep`` it bit by bit, or ``mask`` the voice,
        which claims nothing.
    video_codec : str
        How clips are encoded: ``h264`` or ``hevc``.
    cluster : str, optional
        Who does the work instead of ``jobs`` processes: the address of a Dask scheduler, as in
        tcp://host:8786, ``local``, or a runner by its name.
    continues : path, optional
        The ledger of an earlier release: its people keep their faces and groups.
    vault : path or Lock, optional
        Who may open the originals again: a file of public keys, or ``passphrase``. The ledger and
        the originals then lie sealed in ``OUT.vault``, and no plain ledger is written.
    """

    inputs: tuple[Path, ...] = field(repr=False)
    out: Path
    k: int = 5
    method: str = ""
    grouping: str | None = None
    persons: str = field(default="auto", repr=False)
    select: tuple[str, ...] | None = None
    reference: str | None = field(default=None, repr=False)
    donors: str = ""
    composite: str = ""
    on_failure: str = "fill"
    force: bool = False
    allow_faceless: bool = False
    keep_names: bool = False
    per_person: int | None = None
    with_originals: bool = False
    attack: bool | None = None
    seed: int | None = field(default=None, repr=False)
    detector: str = "yunet"
    audio: str = "drop"
    video_codec: str = "h264"
    max_pixels: int = 100_000_000
    jobs: int = field(default_factory=usual_jobs)
    cluster: str | None = None
    continues: Path | None = field(default=None, repr=False)
    vault: "tuple[Lock, ...]" = field(default=(), repr=False)

    def __post_init__(self) -> None:
        self._normalise()
        self._check()

    def _normalise(self) -> None:
        """Paths from strings, and the options that follow from others."""
        paths = input_paths(self.inputs)
        composite = self.composite or COMPOSITES[0]
        one_of("composite", composite, COMPOSITES)
        method = self.method or USUAL[composite]
        recipe = recipe_named(method, None)
        modelled = recipe is not None and composite == "natural" and recipe.aligned
        donors = self.donors or ("model" if modelled else "people")
        select = self.select
        if isinstance(select, str):
            select = tuple(name.strip() for name in select.split(",") if name.strip() != "none")
        for name, value in {
            "inputs": paths,
            "out": Path(self.out),
            "persons": str(self.persons),
            "reference": None if self.reference is None else str(self.reference),
            "continues": None if self.continues is None else Path(self.continues),
            "method": method,
            "composite": composite,
            "donors": donors,
            "select": None if select is None else tuple(name for name in select if name),
            "vault": self._locks(),
            **{option: whole(option, getattr(self, option)) for option in NUMBERS},
        }.items():
            object.__setattr__(self, name, value)

    def _locks(self) -> "tuple[Lock, ...]":
        """The locks that ``vault`` stands for."""
        if not self.vault:
            return ()
        from ksame.vault import find_locks

        return find_locks(self.vault)

    def _check(self) -> None:
        if not self.inputs:
            raise InputError("no input given; name at least one photo or folder")
        if self.k < 2:
            raise InputError(f"k={self.k} must be at least 2: a face of one person hides nobody")
        if self.continues is not None and not self.continues.is_file():
            raise InputError(
                f"{self.continues.name} does not exist; name the ledger of the earlier release"
            )
        one_of("on_failure", self.on_failure, FAILURES)
        one_of("donors", self.donors, DONORS)
        one_of("audio", self.audio, AUDIO)
        one_of("video_codec", self.video_codec, VIDEO_CODECS)
        detector_named(self.detector)
        self._check_together()
        if self.seed is not None and not 0 <= self.seed < 2**63:
            raise InputError("seed must lie between 0 and 2**63 - 1")
        if self.per_person is not None and self.per_person < 1:
            raise InputError(f"per_person={self.per_person} must be at least 1")
        if self.jobs < 1:
            raise InputError(f"jobs={self.jobs} must be at least 1")
        if self.max_pixels < 1:
            raise InputError(f"max_pixels={self.max_pixels} must be at least 1")

    def _check_together(self) -> None:
        """Refuse options that contradict each other."""
        if self.vault and self.with_originals:
            raise InputError(
                "with_originals writes originals beside OUT for everybody to read who can read "
                "there, which a vault is to prevent; leave one of them out"
            )
        recipe = self.recipe
        if recipe is None:
            return
        if recipe.asks_for_classes and not self.select:
            raise InputError(f"method={self.method!r} needs classes; name them, as in gender")
        if self.donors == "reference" and self.reference in (None, NOBODY):
            raise InputError("donors='reference' needs a set of photos to take them from")
        if self.donors == "model" and self.composite == "strict":
            raise InputError(
                "composite='strict' shows whole heads, and the face model has none; "
                "choose donors='people', or composite='natural'"
            )
        if self.donors == "model" and not recipe.aligned:
            raise InputError(
                f"method={self.method!r} averages photos as they lie; choose donors='people'"
            )
        if recipe.shows_nobody and self.donors != "model":
            raise InputError(
                f"method={self.method!r} draws faces from the model and replaces no heads; choose "
                f"composite='natural' without other donors, or method={USUAL['strict']!r}"
            )

    @property
    def recipe(self) -> Recipe | None:
        """The k-Same method with the grouping that was asked for; None for an ad hoc method."""
        return recipe_named(self.method, self.grouping)

    @property
    def guarantees(self) -> bool:
        """Whether the surrogates are shared by at least k people."""
        return self.recipe is not None

    @property
    def style(self) -> Style:
        """How faces are kept, shared and put into photos."""
        if self.recipe is None:
            return "adhoc"
        return "model" if self.donors == "model" else "heads"

    @property
    def needed(self) -> int:
        """How many people a class must have."""
        return self.recipe.needed(self.k) if self.recipe else 1

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that people are grouped inside of."""
        if self.select is not None or self.recipe is None:
            return self.select or ()
        if self.style == "model":
            return LOOKS
        # a face of another skin colour looks pasted, and a far group would be just that
        return ("tone",) if self.recipe.grouping.swaps else ()

    @property
    def merges_classes(self) -> bool:
        """Whether classes that are too small join others: those that nobody asked for do."""
        return self.select is None and self.style == "model"

    @property
    def attacks(self) -> bool:
        """Whether the release is attacked; always in natural mode, whose claim rests on it."""
        return self.composite == "natural" or bool(self.attack)

    @property
    def ledger(self) -> Path:
        """The private file beside OUT that links the release to its originals."""
        return self.out.with_name(self.out.name + ".ledger.json")

    @property
    def vault_file(self) -> Path:
        """The vault beside OUT, instead of the ledger where somebody is to hold the key."""
        return self.out.with_name(self.out.name + ".vault")

    @property
    def work(self) -> Path:
        """The private scratch folder beside OUT; removed when the release is complete."""
        return self.out.with_name(self.out.name + ".work")

    @property
    def fetched(self) -> Path:
        """The private folder beside OUT for inputs that lie elsewhere; removed with ``work``."""
        return self.out.with_name(self.out.name + ".fetched")

    @property
    def private_report(self) -> Path:
        """The report that shows originals, beside OUT because OUT never holds an original."""
        return self.out.with_name(self.out.name + ".report.html")

    def public(self) -> dict[str, object]:
        """The options that the certificate states: none names a person or a place."""
        persons = self.persons if self.persons in ("auto", "folder") else "file"
        kinds = {None: "none", "demo": "demo", NOBODY: NOBODY}
        return {
            "method": self.method,
            "k": self.k,
            "grouping": self.recipe.grouping.name if self.recipe else "none",
            "composite": self.composite,
            "persons": persons,
            "select": list(self.classes),
            "reference": kinds.get(self.reference, "folder"),
            "donors": self.donors if self.recipe else "none",
            "on_failure": self.on_failure,
            "detector": self.detector,
            "allow_faceless": self.allow_faceless,
            "keep_names": self.keep_names,
            "per_person": self.per_person,
        }

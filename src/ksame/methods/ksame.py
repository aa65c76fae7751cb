"""The k-Same family as scikit-learn estimators of a closed set.

There is no ``transform`` for unseen people: the guarantee is about the people who were grouped.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.utils.validation import validate_data

from ksame.arrays import Floats, Ints
from ksame.checks import (
    RandomState,
    check_column,
    check_faces,
    check_k,
    check_persons,
    check_random_state,
    number,
)
from ksame.codecs import Codec, Eigen, Pixels
from ksame.errors import GuaranteeError, InputError
from ksame.faceset import FaceSet
from ksame.methods.closed_set import check_classes, group_people
from ksame.methods.recipes import RECIPES, Grouping, grouping_of
from ksame.metrics.anonymity import AnonymityReport, check_k_anonymity, count_recognised

Divide = Grouping | Callable[..., Any]


class KSame(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """k-Same with any codec and any grouping (N figure 10).

    Guarantee: every released face is shared, byte by byte, by at least k people, and so is the
    set of faces that a person's rows get; no recogniser links a released face to its person with
    better than 1/k probability (N theorems 1 and 2). It holds for the people of one call and is
    checked by `check_k_anonymity` before anything is returned.

    Parameters
    ----------
    k : int
        At least 2. Counts people, never rows.
    codec : codec, optional
        How a face becomes a vector and back (`ksame.codecs`); pixels by default.
    grouping : str or callable
        'closest', 'mdav', 'blocks', 'furthest', 'furthest-literal', or a function
        ``(codes, k, generator)`` of one row per person that returns a label per person.
    random_state : int, Generator or None

    Attributes
    ----------
    labels_ : (n,) int
        The surrogate of each row.
    surrogates_ : (s, ...)
        The released faces, each once.
    report_ : AnonymityReport
        What the independent check found.
    merged_ : tuple of (str, str)
        Classes that were merged, and with which (`KSameSelect`); empty otherwise.
    """

    labels_: Ints
    surrogates_: Floats
    report_: AnonymityReport
    merged_: tuple[tuple[str, str], ...]
    n_features_in_: int

    def __init__(
        self,
        k: int = 5,
        codec: Codec | None = None,
        grouping: str | Divide = "closest",
        random_state: RandomState = None,
    ) -> None:
        self.k = k
        self.codec = codec
        self.grouping = grouping
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any = None,
        classes: Any = None,
        persons: Any = None,
        sensitive: Any = None,
    ) -> "KSame":
        """Group the people; `labels_` and `surrogates_` then say what would be released.

        The arguments are those of `fit_transform`.
        """
        self._release(X, one_of(y, persons), classes, sensitive=sensitive)
        return self

    def fit_transform(
        self,
        X: Any,
        y: Any = None,
        classes: Any = None,
        persons: Any = None,
        sensitive: Any = None,
    ) -> Floats:
        """Return the released faces, one row per row of X, as float64.

        Parameters
        ----------
        X : array-like (n, ...) or FaceSet
            Registered faces: vectors or images of one shape.
        y, persons : array-like (n,), optional
            Whose face each row is, under either name; None where every row is a person of its
            own. scikit-learn calls a column that belongs to the rows `y`: it is never ignored.
        classes : array-like (n,) or (n, c), mapping or None
            One or several columns; people are grouped inside their class only (G algorithm 4.2).
            With a FaceSet, the name or names of its columns.
        sensitive : array-like (n,) or None
            What a group must not tell, such as a diagnosis, one value per person: for the groupings
            that mix it (``l-diverse``, ``t-close``, `diverse`, `close`).
        """
        return self._release(X, one_of(y, persons), classes, sensitive=sensitive)

    def _release(
        self,
        X: Any,
        persons: Any,
        classes: Any,
        merge_small: bool = False,
        sensitive: Any = None,
    ) -> Floats:
        """Encode, group, decode, check; nothing is returned that did not pass the check."""
        if isinstance(X, FaceSet):
            X, persons, classes = _columns(X, persons, classes)
        faces = check_faces(X)
        people, n_people = check_persons(persons, len(faces))
        k = check_k(self.k, n_people)
        rng = check_random_state(self.random_state)
        grouping = self._grouping()
        codec = self._codec().fit(faces)
        codes = codec.encode(faces)
        wanted = check_classes(classes, len(faces))
        hidden = _sensitive(sensitive, len(faces), grouping)
        found = group_people(codes, people, wanted, k, grouping, rng, merge_small, (), hidden)
        surrogates = codec.decode(found.codes)
        released: Floats = surrogates[found.labels]
        report = check_k_anonymity(faces, released, people, k).raise_if_violated()
        if grouping.swaps:
            _check_zero(codes, found.codes[found.labels], people)
        if hasattr(X, "columns"):
            validate_data(self, X=X, skip_check_array=True)
        self.n_features_in_ = int(np.prod(faces.shape[1:]))
        self.labels_, self.surrogates_ = found.labels, surrogates
        self.report_, self.merged_ = report, found.merged
        return released

    def _grouping(self) -> Grouping:
        """Return the grouping that the parameter names."""
        return grouping_of(self.grouping)

    def _codec(self) -> Any:
        """Return a fresh codec, so that the parameter itself is never changed."""
        return Pixels() if self.codec is None else clone(self.codec, safe=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.random_state is None
        return tags


class KSamePixel(KSame):
    """k-Same on pixels: the mean of each group's faces (N figure 10, G algorithm 4.1).

    People are grouped by plain Euclidean distance between their pixels. Guarantee: see `KSame`.
    """

    def __init__(
        self,
        k: int = 5,
        grouping: str | Divide = "closest",
        random_state: RandomState = None,
    ) -> None:
        self.k = k
        self.grouping = grouping
        self.random_state = random_state

    def _codec(self) -> Any:
        return Pixels()


class KSameEigen(KSame):
    """k-Same on eigenfaces: grouped and averaged in face space (N figures 10 and 11).

    Components that are dropped blur the surrogates; with all of them the result is that of
    `KSamePixel`. Guarantee: see `KSame`.

    Parameters
    ----------
    n_components : int, float in (0, 1) or None
        A number of eigenfaces, a share of the variance, or all of them.
    """

    def __init__(
        self,
        k: int = 5,
        n_components: int | float | None = 0.95,
        grouping: str | Divide = "closest",
        random_state: RandomState = None,
    ) -> None:
        self.k = k
        self.n_components = n_components
        self.grouping = grouping
        self.random_state = random_state

    def _codec(self) -> Any:
        return Eigen(self.n_components)


class KSameFurthest(KSame):
    """k-Same-furthest: each group gets the mean of a far group (F figure 2), its zero enforced.

    Guarantees: k-anonymity as in `KSame`, and beyond it that no row's nearest original, in the
    codec's Euclidean distance, is of its own person (F theorem 3). Needs at least 2k people; sets
    in which the zero cannot be reached are refused with `GuaranteeError`.

    Parameters
    ----------
    k : int
    codec : codec, optional
        The space in which people are far apart; pixels by default, F uses an AAM.
    random_state : int, Generator or None
    """

    def __init__(
        self, k: int = 5, codec: Codec | None = None, random_state: RandomState = None
    ) -> None:
        self.k = k
        self.codec = codec
        self.random_state = random_state

    def _grouping(self) -> Grouping:
        return RECIPES["furthest"].grouping


def _check_zero(originals: Floats, released: Floats, people: Ints) -> None:
    """Raise `GuaranteeError` where a released code is nearest to an original of its own person."""
    count = count_recognised(originals, released, people)
    if count:
        raise GuaranteeError(
            f"{count} row(s) would be recognised under the distance that groups, and furthest "
            "promises none. Nothing is released; report this set's size and k as a defect."
        )


def _sensitive(sensitive: Any, n: int, grouping: Grouping) -> Ints | None:
    """What must not be told, as numbers; refused where the grouping would not look at it."""
    if sensitive is None:
        return None
    if not grouping.sees_labels:
        raise InputError(
            f"grouping {grouping.name!r} does not look at what is sensitive. Choose l-diverse or "
            "t-close, or leave it out."
        )
    return number(check_column(sensitive, n, "sensitive"))[0]


def one_of(y: Any, persons: Any) -> Any:
    """Return the people, which must be given under one of the two names."""
    if y is not None and persons is not None:
        raise InputError("y and persons both name the people; only one may be given. Drop y.")
    return persons if y is None else y


def _columns(faces: FaceSet, persons: Any, classes: Any) -> tuple[Any, Any, Any]:
    """Take persons and the named class columns from a face set."""
    if persons is not None:
        raise InputError("a FaceSet knows its persons; persons must be None. Leave it out.")
    if classes is None:
        return faces.faces, faces.persons, None
    names = [classes] if isinstance(classes, str) else list(classes)
    missing = [name for name in names if name not in faces.labels]
    if missing:
        raise InputError(
            f"class column(s) {missing} are not in the face set, whose columns are "
            f"{list(faces.labels)}. Name one of these."
        )
    return faces.faces, faces.persons, {name: faces.labels[name] for name in names}

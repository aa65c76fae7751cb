"""k-Same-Select: any method of the family inside the classes of a utility function (G 4.4)."""

from typing import Any

from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone

from ksame.arrays import Floats, Ints
from ksame.checks import RandomState
from ksame.errors import InputError
from ksame.methods.ksame import KSame, one_of
from ksame.metrics.anonymity import AnonymityReport


class KSameSelect(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Apply a method inside classes, so that gender, expression or age band survive (G alg. 4.2).

    Guarantee: that of the method, inside every class. People with rows in several classes, such as
    a neutral and a smiling photo, are grouped with people who have rows in the same classes; each
    class of the group then has a surrogate, and linking a person's rows still leads to k people.

    Parameters
    ----------
    method : estimator
        `KSamePixel`, `KSameEigen`, `KSameFurthest`, `KSame` or `KSameM`.
    merge_small : bool
        Merge a class of too few people with the nearest one, which `merged_` then says; by default
        such a class raises `GuaranteeError` with its name.

    Attributes
    ----------
    labels_, surrogates_, report_, merged_ : as in `KSame`
    method_ : the fitted method
    """

    labels_: Ints
    surrogates_: Floats
    report_: AnonymityReport
    merged_: tuple[tuple[str, str], ...]
    method_: KSame

    def __init__(self, method: KSame, merge_small: bool = False) -> None:
        self.method = method
        self.merge_small = merge_small

    @property
    def k(self) -> int:
        """The k of the method."""
        return self.method.k

    @property
    def random_state(self) -> RandomState:
        """The random state of the method."""
        return self.method.random_state

    def fit(
        self,
        X: Any,
        y: Any = None,
        classes: Any = None,
        persons: Any = None,
        sensitive: Any = None,
    ) -> "KSameSelect":
        """Group the people of each class; the arguments are those of `fit_transform`."""
        self.fit_transform(X, y, classes, persons, sensitive)
        return self

    def fit_transform(
        self,
        X: Any,
        y: Any = None,
        classes: Any = None,
        persons: Any = None,
        sensitive: Any = None,
    ) -> Floats:
        """Return the released faces, one row per row of X; `classes` must be given.

        Parameters
        ----------
        X : array-like (n, ...) or FaceSet
        y, persons : array-like (n,), optional
            Whose face each row is, under either name.
        classes : array-like (n,) or (n, c), mapping, or column names of the FaceSet
            People of different classes are never grouped together.
        sensitive : array-like (n,) or None
            As in `KSame`; mixed inside every class.
        """
        if classes is None:
            raise InputError(
                "classes=None: k-Same-Select needs one class per row. Pass classes, or use the "
                "method itself for none."
            )
        method = clone(self.method)
        released: Floats = method._release(
            X, one_of(y, persons), classes, self.merge_small, sensitive
        )
        self.method_ = method
        self.n_features_in_ = method.n_features_in_
        self.labels_, self.surrogates_ = method.labels_, method.surrogates_
        self.report_, self.merged_ = method.report_, method.merged_
        return released

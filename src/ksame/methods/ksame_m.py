"""k-Same-M: k-Same on the codes of an Active Appearance Model (M algorithm 4.1)."""

from typing import Any

from ksame.checks import RandomState
from ksame.codecs import Pixels
from ksame.codecs.aam import AamCodec, ActiveAppearanceModel
from ksame.methods.ksame import Divide, KSame


class KSameM(KSame):
    """k-Same-M: the mean of each group's shapes and shape-free appearances; no ghosting.

    People are grouped by Euclidean distance between their codes, in which shape and appearance
    have the same total variance; eyes and mouths are averaged where they meet in the mesh, not
    where they lie in the picture (M section 4.3). Guarantee: see `KSame`. It holds because every
    face of a group is drawn anew from one code: nothing of a person's own pixels, pose or light
    is left in a released row.

    Parameters
    ----------
    k : int
        At least 2. Counts people, never rows.
    model : ActiveAppearanceModel, optional
        A trained model. Rows of X are faces made by ``AamCodec(model).rows(images, shapes)``, and
        so are the released rows. Without a model the rows of X are codes themselves.
    grouping : str or callable
        As in `KSame`; 'closest' is M's.
    random_state : int, Generator or None

    Examples
    --------
    >>> codec = AamCodec(model)  # doctest: +SKIP
    >>> X = codec.rows(images, shapes)  # doctest: +SKIP
    >>> released = KSameM(k=5, model=model).fit_transform(X, persons)  # doctest: +SKIP
    >>> picture = codec.picture(released[0])  # doctest: +SKIP
    """

    def __init__(
        self,
        k: int = 5,
        model: ActiveAppearanceModel | None = None,
        grouping: str | Divide = "closest",
        random_state: RandomState = None,
    ) -> None:
        self.k = k
        self.model = model
        self.grouping = grouping
        self.random_state = random_state

    def _codec(self) -> Any:
        """The model's codec, or none where rows are codes."""
        return Pixels() if self.model is None else AamCodec(self.model)

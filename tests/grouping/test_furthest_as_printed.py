"""F figure 2 as printed: against a transcription, and where its theorem fails.

The transcription follows the figure line by line with plain Python numbers and lists and shares
nothing with the package: an oracle that asks the implementation proves nothing.
"""

import math
import warnings

import numpy as np
import pytest

from ksame.errors import NoGuaranteeWarning
from ksame.grouping import furthest, furthest_literal
from ksame.grouping.closest import smallest
from ksame.grouping.literal import literal_in_order
from ksame.metrics import count_recognised


def dist(a, b):
    return math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)))


def centre(faces):
    return [sum(values) / len(faces) for values in zip(*faces, strict=True)]


def radius(faces, middle):
    return max(dist(face, middle) for face in faces)


def k_same_furthest(H, k):
    """M_d: the code that replaces each face, in the order of H."""
    M = list(range(len(H)))  # 2
    M_d = [None] * len(H)  # 1
    mean_c = mean_f = None
    for i in range(len(H)):  # 3
        if M_d[i] is not None:
            continue  # no longer in M
        if len(M) >= 2 * k:  # 4
            C_c = [i]  # 5
            M.remove(i)
            mean_c, r_c = H[i], 0.0  # 6
            f1 = max(M, key=lambda j: dist(H[j], H[i]))  # 7
            C_f = [f1]  # 8
            M.remove(f1)
            mean_f, r_f = H[f1], 0.0  # 9
            while len(C_c) < k and len(C_f) < k:  # 10
                f = min(M, key=lambda j: dist(H[j], mean_f))  # 11
                C_f.append(f)  # 12
                mean_f = centre([H[j] for j in C_f])  # 13
                r_f = radius([H[j] for j in C_f], mean_f)
                if dist(mean_c, mean_f) <= r_c + r_f:  # 14
                    C_f.remove(f)  # 15
                    mean_f = centre([H[j] for j in C_f])  # 16
                    break  # 17
                M.remove(f)  # 19
                c = min(M, key=lambda j: dist(H[j], mean_c))  # 20
                C_c.append(c)  # 21
                mean_c = centre([H[j] for j in C_c])  # 22
                r_c = radius([H[j] for j in C_c], mean_c)
                if dist(mean_c, mean_f) <= r_c + r_f:  # 23
                    C_c.remove(c)  # 24
                    mean_c = centre([H[j] for j in C_c])  # 25
                    break  # 26
                M.remove(c)  # 28
            if len(C_f) < k:  # 30
                for j in sorted(M, key=lambda j: dist(H[j], mean_f))[: k - len(C_f)]:  # 31
                    C_f.append(j)  # 32
                    M.remove(j)
            if len(C_c) < k:  # 34
                for j in sorted(M, key=lambda j: dist(H[j], mean_c))[: k - len(C_c)]:  # 35
                    C_c.append(j)  # 36
                    M.remove(j)
            for j in C_c:  # 38
                M_d[j] = mean_f
            for j in C_f:  # 39
                M_d[j] = mean_c
        else:  # 40
            further = dist(H[i], mean_f) > dist(H[i], mean_c)  # 41
            M_d[i] = mean_f if further else mean_c  # 42, 44
    return M_d


def test_the_literal_algorithm_swaps_two_clear_clusters():
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    found = literal_in_order(X, 2, np.arange(4))
    np.testing.assert_allclose(found.codes[found.labels][:, 0], [10.5, 10.5, 0.5, 0.5])


@pytest.mark.parametrize(
    ("n", "k"), [(4, 2), (10, 2), (20, 3), (23, 3), (40, 5), (100, 5), (61, 7)]
)
def test_the_literal_algorithm_is_the_paper_s(n, k):
    """Against a transcription of the figure, on random sets where no two distances are equal."""
    rng = np.random.default_rng(n * 100 + k)
    for dimensions in (1, 2, 3, 8):
        for _ in range(8):
            X = rng.normal(size=(n, dimensions))
            found = literal_in_order(X, k, np.arange(n))
            np.testing.assert_allclose(
                found.codes[found.labels], k_same_furthest(X.tolist(), k), atol=1e-9
            )


def test_a_full_cluster_takes_nobody_more():
    """100 faces and k = 5 make 20 groups of 5, not one of 5 and one of 95."""
    X = np.random.default_rng(0).normal(size=(100, 4))
    found = literal_in_order(X, 5, np.arange(100))
    assert np.bincount(found.labels).tolist() == [5] * 20
    assert smallest(np.array([3.0, 1.0, 2.0]), 0).tolist() == []


def test_the_literal_algorithm_warns_and_is_k_anonymous():
    X = np.random.default_rng(4).normal(size=(17, 3))
    with pytest.warns(NoGuaranteeWarning, match="not enforced"):
        found = furthest_literal(X, 3, 0)
    assert (np.bincount(found.labels) >= 3).all()


def test_the_literal_algorithm_keeps_its_word_where_all_faces_differ():
    """F theorems 2 and 3 hold for person-specific sets of distinct faces."""
    rng = np.random.default_rng(5)
    for _ in range(400):
        k = int(rng.integers(2, 5))
        X = np.unique(rng.integers(0, 9, size=(int(rng.integers(2 * k, 6 * k)), 2)), axis=0)
        X = rng.permutation(X).astype(float)
        if len(X) < 2 * k:
            continue
        found = literal_in_order(X, k, np.arange(len(X)))
        assert count_recognised(X, found.codes[found.labels], None) == 0


# Found by the tests above without `np.unique`: k = 2, faces of one pixel, in the order of line 3.
COUNTER_EXAMPLES = {
    # C_c = {1}, C_f = {2} break early (line 17); row 2 fills C_f up (line 31) and is replaced by
    # the mean of C_c, 1.0: its own face
    "early break": ([1.0, 2.0, 1.0, 0.0, 0.0], None),
    # C_c = {0, 0}, C_f = {5, 1}; row 3 remains (line 40) and gets the further mean, 3.0, to which
    # its own face is as near as any other
    "remaining face": ([0.0, 0.0, 1.0, 1.0, 5.0], None),
    # all faces differ, but rows 0 and 1 are of one person: row 0 gets the mean of {1, 3}, 2.0, to
    # which no original is nearer than row 1
    "two rows of a person": ([7.0, 1.0, 5.0, 3.0], [0, 0, 1, 2]),
}


@pytest.mark.parametrize("case", COUNTER_EXAMPLES)
def test_counter_examples_to_theorem_3(case):
    values, persons = COUNTER_EXAMPLES[case]
    X = np.array(values)[:, None]
    found = literal_in_order(X, 2, np.arange(len(X)))
    assert count_recognised(X, found.codes[found.labels], persons) > 0


@pytest.mark.parametrize("case", ["early break", "remaining face"])
def test_the_default_mends_the_counter_examples(case):
    X = np.array(COUNTER_EXAMPLES[case][0])[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        swap = furthest(X, 2, 0)
    assert count_recognised(X, swap.surrogates(X)[swap.labels], None) == 0

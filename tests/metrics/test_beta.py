"""Quantiles of the beta and of Student's distribution, against SciPy's."""

import subprocess
import sys

import pytest
from scipy import special

from ksame.metrics.beta import beta_quantile, beta_share, student_quantile

TRIALS = (1, 5, 31.7, 204, 20_000, 300_000)
SHARES = (0.005, 0.025, 0.5, 0.975)


@pytest.mark.parametrize("trials", TRIALS)
@pytest.mark.parametrize("rate", [0.001, 0.03, 0.5, 0.77, 0.999])
def test_bounds_of_rates_are_scipys(trials, rate):
    hits = rate * trials
    for a, b in ((hits, trials - hits + 1), (hits + 1, trials - hits)):
        for share in SHARES:
            found = beta_quantile(a, b, share)
            assert found == pytest.approx(special.betaincinv(a, b, share), rel=1e-10, abs=1e-300)


@pytest.mark.parametrize("x", [1e-12, 0.02, 0.5, 0.97])
def test_masses_are_scipys(x):
    for a, b in ((0.5, 0.5), (3, 40), (1000.5, 7), (2e5, 3e5)):
        assert beta_share(a, b, x) == pytest.approx(special.betainc(a, b, x), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("freedom", [1, 2, 10, 203, 100_000])
def test_students_quantiles_are_scipys(freedom):
    for share in (0.025, 0.6, 0.975, 0.995):
        expected = special.stdtrit(freedom, share)
        assert student_quantile(freedom, share) == pytest.approx(expected, rel=1e-10)


def test_an_interval_loads_no_scipy():
    told = "import sys; from ksame.metrics.intervals import clustered_rate as rate; "
    told += "rate([1, 0, 0, 1, 0, 0], [0, 0, 1, 1, 2, 2]); print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["False"]

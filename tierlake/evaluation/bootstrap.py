"""Intervals by bootstrap: how much a mean over queries would move with other queries of the same kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

# The ends of a 95 % interval then move by less than the second decimal that is printed.
RESAMPLES: Final = 2_000
# Any number does: a fixed one makes two evaluations of the same results equal.
SEED: Final = 20_260_101
LEVEL: Final = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean and the ends of its interval."""

    mean: float
    low: float
    high: float


def mean_interval(values: Sequence[float]) -> Interval:
    """Returns the mean of values and its 95 % percentile bootstrap interval.

    The same queries are drawn for every metric and system with as many values, so that differences are paired.

    Args:
        values: One value a query, in the order of the queries' ids.

    Raises:
        ValueError: There is no value.

    Example:
        >>> mean_interval([0.5, 0.5])
        Interval(mean=0.5, low=0.5, high=0.5)
        >>> mean_interval([0.0, 1.0]).high
        1.0
    """
    if not values:
        raise ValueError("there is no value to take the mean of")
    data = np.asarray(values, dtype=np.float64)
    drawn = np.random.default_rng(SEED).integers(0, len(data), size=(RESAMPLES, len(data)))
    means = data[drawn].mean(axis=1)
    mean = float(data.mean())
    tail = (1 - LEVEL) / 2
    low, high = (float(end) for end in np.quantile(means, [tail, 1 - tail]))
    # Sums in another order differ in the last digit; the mean is within its interval.
    return Interval(mean, min(low, mean), max(high, mean))

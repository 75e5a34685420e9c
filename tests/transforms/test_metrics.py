"""Agreement of groupings, against values worked out by hand."""

from __future__ import annotations

import polars as pl
import pytest

from transforms.metrics import bcubed, pairwise

# Gold {1,2,3} {4,5}; found {1,2} {3,4,5}.
FRAME = pl.DataFrame({"found": ["x", "x", "y", "y", "y"], "gold": ["a", "a", "a", "b", "b"]})


def test_bcubed_by_hand():
    agreement = bcubed(FRAME, found="found", gold="gold")
    assert agreement.precision == pytest.approx((1 + 1 + 1 / 3 + 2 / 3 + 2 / 3) / 5)
    assert agreement.recall == pytest.approx((2 / 3 + 2 / 3 + 1 / 3 + 1 + 1) / 5)
    assert agreement.f1 == pytest.approx(11 / 15)


def test_pairwise_by_hand():
    agreement = pairwise(FRAME, found="found", gold="gold")
    assert agreement.precision == 0.5  # 12, 34, 35, 45 found; 12 and 45 right
    assert agreement.recall == 0.5  # 12, 13, 23, 45 true
    assert agreement.f1 == 0.5


def test_singletons_have_no_pair_to_get_wrong():
    frame = pl.DataFrame({"found": [1, 2], "gold": [1, 2]})
    assert pairwise(frame, found="found", gold="gold").f1 == 1.0


def test_nothing_to_measure_is_an_error():
    with pytest.raises(ValueError, match="no rows"):
        bcubed(FRAME.clear(), found="found", gold="gold")

"""How well a grouping agrees with a gold grouping: B-cubed and pairwise precision, recall and F1."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True)
class Agreement:
    """Precision, recall and their harmonic mean, 0 to 1."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Returns the harmonic mean; 0 where both are 0."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def bcubed(frame: pl.DataFrame, *, found: str, gold: str) -> Agreement:
    """Returns B-cubed agreement: for each row, the share of its found group that is of its gold group, and conversely.

    Args:
        frame: One row an item.
        found: Column of the group that was found.
        gold: Column of the true group.

    Raises:
        ValueError: The frame is empty.

    Example:
        >>> frame = pl.DataFrame({"found": [1, 1, 1], "gold": [1, 1, 2]})
        >>> agreement = bcubed(frame, found="found", gold="gold")
        >>> round(agreement.precision, 3), agreement.recall
        (0.556, 1.0)
    """
    if frame.is_empty():
        raise ValueError("no rows to measure")
    both = pl.len().over(found, gold)
    means = frame.select(
        (both / pl.len().over(found)).mean().alias("p"), (both / pl.len().over(gold)).mean().alias("r")
    )
    return Agreement(means.item(0, "p"), means.item(0, "r"))


def pairwise(frame: pl.DataFrame, *, found: str, gold: str) -> Agreement:
    """Returns agreement over pairs of rows in one group; 1 where there is no pair to get wrong.

    Example:
        >>> pairwise(pl.DataFrame({"found": [1, 1, 1], "gold": [1, 1, 2]}), found="found", gold="gold").recall
        1.0
    """
    right = _pairs(frame, [found, gold])
    found_pairs = _pairs(frame, [found])
    gold_pairs = _pairs(frame, [gold])
    return Agreement(right / found_pairs if found_pairs else 1.0, right / gold_pairs if gold_pairs else 1.0)


def _pairs(frame: pl.DataFrame, columns: list[str]) -> int:
    sizes = frame.group_by(columns).len().get_column("len").cast(pl.Int64)
    return int((sizes * (sizes - 1) // 2).sum())

"""Ranking across memory tiers: weights, floors, fillers and the cut.

The rules are the seed's "Multi-entity & tiered memory", with two deliberate choices where the seed is silent: ties go
by `updated_at` (newest first, undated last) and then by `fact_id`, and the facts of a zero-weight id fill in by
relevance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import polars as pl

RANKED: Final = pl.Schema(
    {
        "fact_id": pl.String,
        "tier": pl.String,
        "base_score": pl.Float64,
        "weight": pl.Float64,
        "score": pl.Float64,
        "rank": pl.Int64,
        "reason": pl.String,
    }
)
"""What `rank_candidates` returns."""

CANDIDATE_COLUMNS: Final = ("fact_id", "tier", "base_score", "updated_at")


@dataclass(frozen=True)
class RankConfig:
    """Validated parameters of one ranking.

    Attributes:
        ids: The tiers or entities asked for, without duplicates, in the caller's order.
        max_results: How many facts to return, at least 0.
        weights: A finite weight, at least 0, for each id.
        floors: Ids with a floor of at least 1; they sum to at most `max_results`.
        include_zero_weight: Whether facts of ids with weight 0 fill in after all others.
    """

    ids: tuple[str, ...]
    max_results: int
    weights: Mapping[str, float]
    floors: Mapping[str, int] = field(default_factory=dict)
    include_zero_weight: bool = False


def rank_candidates(candidates: pl.DataFrame, config: RankConfig) -> pl.DataFrame:
    """Returns the facts that a reader gets, in rank order.

    `score = base_score * weight`, a plain product; nothing is cut before weights. Floors reserve each id's first N,
    then the rest fills up by rank: floors decide who is in, never the order. A fact under several ids is ranked once,
    under the id with the highest weight, and counts toward the floor of each.

    Args:
        candidates: `fact_id, tier, base_score, updated_at`, one row for a fact and an id (the column `tier` holds it).
            `updated_at` is a time or a number, newest highest; null where unknown. Rows of other ids are ignored.
        config: The parameters.

    Returns:
        A frame of schema `RANKED`. `rank` counts from 1; `reason` is `rank`, `floor` (out without floors) or `filler`
        (weight 0, reported with score 0).

    Raises:
        ValueError: A base score is null or NaN.

    Example:
        >>> rows = {"fact_id": ["a", "b", "c"], "tier": ["notes", "notes", "wisdom"], "base_score": [3.0, 2.0, 1.0]}
        >>> frame = pl.DataFrame(rows | {"updated_at": [1, 2, 3]})
        >>> config = RankConfig(("wisdom", "notes"), 2, {"wisdom": 1.5, "notes": 1.0}, floors={"wisdom": 1})
        >>> rank_candidates(frame, config).select("fact_id", "score", "reason").rows()
        [('a', 3.0, 'rank'), ('c', 1.5, 'floor')]
    """
    memberships = _memberships(candidates, config)
    ordered = _ordered(memberships)
    reserved = _reserved(memberships, ordered)
    free = config.max_results - reserved.len()
    return (
        ordered.with_columns(pl.col("fact_id").is_in(reserved.implode()).alias("reserved"))
        .filter(pl.col("reserved") | ((~pl.col("reserved")).cast(pl.Int64).cum_sum() <= free))
        .with_columns(
            pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias("rank"),
            pl.when(pl.col("weight") == 0)
            .then(pl.lit("filler"))
            .when(pl.col("position") >= config.max_results)
            .then(pl.lit("floor"))
            .otherwise(pl.lit("rank"))
            .alias("reason"),
        )
        .select(list(RANKED))
    )


def _memberships(candidates: pl.DataFrame, config: RankConfig) -> pl.DataFrame:
    """Returns one row a fact and requested id, with the id's weight, floor and place in the request."""
    asked = pl.DataFrame(
        {
            "tier": list(config.ids),
            "asked": range(len(config.ids)),
            "weight": [config.weights[name] for name in config.ids],
            "floor": [min(config.floors.get(name, 0), config.max_results) for name in config.ids],
        },
        schema={"tier": pl.String, "asked": pl.Int64, "weight": pl.Float64, "floor": pl.Int64},
    )
    rows = (
        candidates.select(
            pl.col("fact_id").cast(pl.String),
            pl.col("tier").cast(pl.String),
            pl.col("base_score").cast(pl.Float64),
            # A frame in which no fact is dated has a column of type Null, which does not sort.
            pl.col("updated_at").cast(pl.Int64) if candidates.schema["updated_at"] == pl.Null else pl.col("updated_at"),
        )
        .join(asked, on="tier", how="inner")
        .filter(pl.lit(config.include_zero_weight) | (pl.col("weight") > 0))
    )
    wrong = rows.filter(pl.col("base_score").is_null() | pl.col("base_score").is_nan())
    if wrong.height:
        message = f"base_score is null or NaN for {wrong.height} row(s), first fact_id {wrong['fact_id'].min()!r}"
        raise ValueError(message)
    # A pair that stands twice is one membership, at its best score.
    return rows.sort("base_score", "updated_at", descending=True, nulls_last=True).unique(
        ["fact_id", "tier"], keep="first", maintain_order=True
    )


def _ordered(memberships: pl.DataFrame) -> pl.DataFrame:
    """Returns one row a fact, under its id with the highest weight, in rank order with `position` from 0."""
    filler = pl.col("weight") == 0
    return (
        memberships.sort(
            ["weight", "base_score", "asked"],
            descending=[True, True, False],
        )
        .unique("fact_id", keep="first", maintain_order=True)
        .with_columns(
            pl.when(filler).then(0.0).otherwise(pl.col("base_score") * pl.col("weight")).alias("score"),
            # Adding 0.0 makes -0.0 and 0.0 one score, so that the tie rule decides between them.
            (pl.when(filler).then(pl.col("base_score")).otherwise(pl.col("base_score") * pl.col("weight")) + 0.0).alias(
                "key"
            ),
            filler.alias("filler"),
        )
        .sort(
            ["filler", "key", "updated_at", "fact_id"],
            descending=[False, True, True, False],
            nulls_last=[False, False, True, False],
        )
        .with_row_index("position")
        .with_columns(pl.col("position").cast(pl.Int64))
    )


def _reserved(memberships: pl.DataFrame, ordered: pl.DataFrame) -> pl.Series:
    """Returns the fact ids that floors hold a place for: of each id its first N in rank order."""
    return (
        memberships.filter(pl.col("floor") > 0)
        .select("fact_id", "tier", "floor")
        .join(ordered.select("fact_id", "position"), on="fact_id")
        .filter(pl.col("position").rank("ordinal").over("tier") <= pl.col("floor"))["fact_id"]
        .unique()
    )

"""`rank_facts`: the ranking of `read` over a frame of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from tierlake.read.options import DEFAULT_MAX_RESULTS, parse_tiers
from transforms.ranking import CANDIDATE_COLUMNS, RANKED, rank_candidates


def rank_facts(
    candidates: pl.DataFrame,
    *,
    ids: str | Iterable[str],
    max_results: float = DEFAULT_MAX_RESULTS,
    tier_weights: Mapping[str, Any] | None = None,
    tier_floors: Mapping[str, Any] | None = None,
    include_zero_weight_entities: bool = False,
) -> pl.DataFrame:
    """Returns `fact_id, tier, base_score, weight, score, rank, reason` of the best facts, in rank order.

    It multiplies whatever it is given, negative scores too, and clamps nothing. A fact under several ids is one row an
    id on input and one row on output. The rules are those of `transforms.ranking.rank_candidates`.

    Args:
        candidates: `fact_id, tier, base_score, updated_at`; rows of other tiers are ignored.
        ids: The tiers (or entities) that take part: a string or at most 100 of them.
        max_results: How many facts; truncated, at least 0.
        tier_weights: Id to weight: missing or not finite is 1.0, negative is 0.
        tier_floors: Id to the number of places that it is sure of, as far as it has matches.
        include_zero_weight_entities: Whether facts of zero-weight ids follow after all others, with score 0.

    Raises:
        InvalidReadOptions: Options that contradict each other; see `tierlake.read.options.parse_tiers`.
        ValueError: A column is missing, or a base score is null or NaN.

    Example:
        >>> rows = {"fact_id": ["a", "b"], "tier": ["tier_fact", "tier_wisdom"], "base_score": [0.9, 0.5]}
        >>> frame = pl.DataFrame(rows | {"updated_at": [None, None]})
        >>> rank_facts(frame, ids=["tier_wisdom", "tier_fact"], tier_weights={"tier_wisdom": 2})["fact_id"].to_list()
        ['b', 'a']
    """
    options = parse_tiers(
        ids=ids,
        max_results=max_results,
        tier_weights=tier_weights,
        tier_floors=tier_floors,
        include_zero_weight_entities=include_zero_weight_entities,
    )
    if not candidates.columns:
        # A frame made of an empty list has no columns: no candidates, no result.
        return pl.DataFrame(schema=RANKED)
    missing = [column for column in CANDIDATE_COLUMNS if column not in candidates.columns]
    if missing:
        raise ValueError(f"candidates lack {', '.join(missing)}; they have {', '.join(candidates.columns)}")
    return rank_candidates(candidates, options.ranking)

"""Indirect connections: facts of the entities that co-occur with those of the best facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from tierlake.read.tables import PublishedTables

# What is only connected must not outrank what matches: a quarter of the score of the fact that leads to it.
GRAPH_SHARE: Final = 0.25


def connected_facts(tables: PublishedTables, top: Sequence[tuple[int, float]], *, expand: int) -> pl.DataFrame:
    """Returns `row, score` of the facts of the entities that co-occur most strongly with those of the top facts.

    Strength is `fact_count * npmi`, summed over the entities of the top facts: often together, and more often than
    chance. Ties go by `fact_count`, then by entity id. A fact scores a quarter of the best top fact that leads to it.

    Args:
        tables: The bank's tables.
        top: Row and base score of the top facts.
        expand: How many entities.
    """
    seeds = tables.entities_in([row for row, _ in top]).join(
        pl.DataFrame(top, schema={"row": pl.Int64, "base": pl.Float64}, orient="row"), on="row"
    )
    seeds = seeds.group_by("entity_id").agg(pl.col("base").max())
    pairs = tables.get("cooccurrences")
    both_ways = pl.concat(
        [
            pairs.rename({"entity_id_a": "entity_id", "entity_id_b": "neighbor"}),
            pairs.rename({"entity_id_b": "entity_id", "entity_id_a": "neighbor"}).select(
                "entity_id", "neighbor", "fact_count", "npmi"
            ),
        ]
    )
    neighbors = (
        both_ways.join(seeds, on="entity_id")
        .join(seeds.select(neighbor="entity_id"), on="neighbor", how="anti")
        # Sums of floating-point numbers depend on their order.
        .sort("neighbor", "entity_id")
        .with_columns((pl.col("fact_count") * pl.col("npmi").fill_null(0).clip(0)).alias("strength"))
        .group_by("neighbor", maintain_order=True)
        .agg(pl.col("strength").sum(), pl.col("fact_count").sum(), pl.col("base").max())
        .sort("strength", "fact_count", "neighbor", descending=[True, True, False])
        .head(expand)
    )
    return (
        tables.links()
        .join(neighbors, left_on="entity_id", right_on="neighbor")
        .group_by("row")
        .agg((pl.col("base").max() * GRAPH_SHARE).alias("score"))
        .sort("row")
    )

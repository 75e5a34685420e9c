"""Co-occurrence: which entities stand together in facts, and how much more often than by chance.

Source: the seed's "Co-occurrence tracking". Counted from live links each time, never incremented.
"""

from __future__ import annotations

import polars as pl

from transforms.schemas import COOCCURRENCES, conform


def build_cooccurrences(resolutions: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    """Returns the table `cooccurrences`: unordered pairs of entities of one bank that share a fact.

    `fact_count` counts distinct facts, `document_count` distinct documents; `first_at` and `last_at` are event times of
    the shared facts (the earliest mention of a fact dates it). `npmi` is normalized pointwise mutual information over
    the facts of the bank that hold any entity: 1 where two entities stand only together, 0 where they meet as often as
    chance would have it; 1 where every fact holds both.

    Args:
        resolutions: The table `resolutions`.
        mentions: The table `mentions`, for documents and dates.
    """
    links = _links(resolutions, mentions)
    other = links.select("bank_id", "fact_id", pl.col("entity_id").alias("entity_id_b"))
    pairs = (
        links.rename({"entity_id": "entity_id_a"})
        .join(other, on=["bank_id", "fact_id"])
        .filter(pl.col("entity_id_a") < pl.col("entity_id_b"))
        .group_by("bank_id", "entity_id_a", "entity_id_b")
        .agg(
            pl.len().cast(pl.Int64).alias("fact_count"),
            pl.col("document_id").n_unique().cast(pl.Int64).alias("document_count"),
            pl.col("at").min().alias("first_at"),
            pl.col("at").max().alias("last_at"),
        )
    )
    facts = links.group_by("bank_id").agg(pl.col("fact_id").n_unique().alias("facts"))
    counts = links.group_by("bank_id", "entity_id").agg(pl.len().alias("count"))
    a = counts.rename({"entity_id": "entity_id_a", "count": "a"})
    b = counts.rename({"entity_id": "entity_id_b", "count": "b"})
    joined = (
        pairs.join(facts, on="bank_id").join(a, on=["bank_id", "entity_id_a"]).join(b, on=["bank_id", "entity_id_b"])
    )
    return conform(joined.with_columns(_npmi().alias("npmi")).drop("facts", "a", "b"), COOCCURRENCES)


def _links(resolutions: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    """Returns one row a fact and entity: `bank_id, fact_id, entity_id, document_id, at`."""
    placed = mentions.select("bank_id", "mention_id", "document_id", "at")
    return (
        resolutions.select("bank_id", "mention_id", "fact_id", "entity_id")
        .join(placed, on=["bank_id", "mention_id"])
        .with_columns(pl.col("at").min().over("bank_id", "fact_id"))
        .group_by("bank_id", "fact_id", "entity_id")
        .agg(pl.col("document_id").min(), pl.col("at").min())
    )


def _npmi() -> pl.Expr:
    together = pl.col("fact_count") / pl.col("facts")
    pmi = (pl.col("fact_count") * pl.col("facts") / (pl.col("a") * pl.col("b"))).log()
    # In a bank where every fact holds both, nothing is left to normalize by; they stand only together.
    return pl.when(together == 1.0).then(1.0).otherwise(pmi / -together.log())


def find_crowded_facts(resolutions: pl.DataFrame, *, max_entities_per_fact: int) -> pl.DataFrame:
    """Returns facts with more entities than the limit: `bank_id, fact_id, entities`; k of them make k(k-1)/2 pairs.

    Such facts are lists (a participant table, an index); they are counted all the same, and reported.
    """
    return (
        resolutions.group_by("bank_id", "fact_id")
        .agg(pl.col("entity_id").n_unique().cast(pl.Int64).alias("entities"))
        .filter(pl.col("entities") > max_entities_per_fact)
        .sort("bank_id", "fact_id")
    )

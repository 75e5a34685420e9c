"""Mentions: one row a distinct name in a fact, from the names that extraction found."""

from __future__ import annotations

import polars as pl

from transforms.ids import stable_id
from transforms.resolution.intake import with_name_keys
from transforms.schemas import ENTITY_KINDS, MENTIONS, conform


def build_mentions(facts: pl.DataFrame, *, concept_min_facts: int) -> pl.DataFrame:
    """Returns the table `mentions`.

    A fact's names with equal keys are one mention: the one with a span, the earliest of those, its surface as written.
    Within a document a name has one kind, the one that it has in most facts (ties in the order of `ENTITY_KINDS`). A
    concept takes part where its key stands in `concept_min_facts` facts of the bank or more; where something named has
    its key, it takes part as that. Names without a letter or digit take no part; `count_nameless` counts them.

    Args:
        facts: The table `facts`.
        concept_min_facts: How many facts of the bank make a concept an entity.

    Example:
        >>> from transforms.schemas import FACTS
        >>> build_mentions(FACTS.empty(), concept_min_facts=3).height
        0
    """
    names = with_name_keys(_exploded(facts)).filter(pl.col("name_key") != "")
    names = _one_kind_a_document(_without_rare_concepts(names, concept_min_facts))
    order = ["start", "quote_start", "end", "surface", "kind"]
    rows = names.sort("bank_id", "fact_id", "name_key", *order, nulls_last=True).unique(
        ["bank_id", "fact_id", "name_key"], keep="first", maintain_order=True
    )
    # A loop over rows: the id is a hash, which has no column expression.
    ids = [stable_id(fact, key) for fact, key in rows.select("fact_id", "name_key").iter_rows()]
    return conform(
        rows.select(
            "bank_id",
            pl.Series("mention_id", ids, pl.String),
            "fact_id",
            "document_id",
            pl.coalesce("start", "quote_start").alias("position"),
            "surface",
            "name_key",
            "kind",
            "at",
            # Identifiers that stand with a name come from sources that have them; plain text has none.
            pl.lit([], pl.List(pl.String)).alias("context"),
            pl.col("start").alias("span_start"),
            pl.col("end").alias("span_end"),
        ),
        MENTIONS,
    )


def count_nameless(facts: pl.DataFrame) -> pl.DataFrame:
    """Returns, for each bank with any, how many names of its facts hold no letter or digit: `bank_id, names`."""
    nameless = with_name_keys(_exploded(facts)).filter(pl.col("name_key") == "")
    return nameless.group_by("bank_id").agg(pl.len().cast(pl.Int64).alias("names")).sort("bank_id")


def _exploded(facts: pl.DataFrame) -> pl.DataFrame:
    at = pl.coalesce("occurred_start", "mentioned_at").alias("at")
    return (
        facts.select("bank_id", "fact_id", "document_id", "quote_start", at, "entities")
        .explode("entities", empty_as_null=False, keep_nulls=False)
        .unnest("entities")
    )


def _is_concept() -> pl.Expr:
    return (pl.col("kind") == "concept").fill_null(value=False)


def _without_rare_concepts(names: pl.DataFrame, concept_min_facts: int) -> pl.DataFrame:
    place = ("bank_id", "name_key")
    frequent = pl.col("fact_id").n_unique().over(place) >= concept_min_facts
    return names.filter(~_is_concept() | frequent | (~_is_concept()).any().over(place))


def _one_kind_a_document(names: pl.DataFrame) -> pl.DataFrame:
    """Returns the names with the kind of their document, else of the bank where only concepts stand in it."""
    # A concept whose key is named anywhere in the bank takes part as that, so it has no vote of its own.
    named = names.with_columns(
        pl.when(_is_concept() & (~_is_concept()).any().over("bank_id", "name_key"))
        .then(None)
        .otherwise("kind")
        .alias("kind")
    )
    in_document = _majority(named, ["bank_id", "document_id", "name_key"], "kind_there")
    in_bank = _majority(named, ["bank_id", "name_key"], "kind_anywhere")
    return (
        names.drop("kind")
        .join(in_document, on=["bank_id", "document_id", "name_key"], how="left")
        .join(in_bank, on=["bank_id", "name_key"], how="left")
        .with_columns(pl.coalesce("kind_there", "kind_anywhere").alias("kind"))
    )


def _majority(names: pl.DataFrame, place: list[str], name: str) -> pl.DataFrame:
    order = {kind: number for number, kind in enumerate(ENTITY_KINDS)}
    return (
        names.filter(pl.col("kind").is_not_null())
        .group_by(*place, "kind")
        .agg(pl.col("fact_id").n_unique().cast(pl.Int64).alias("votes"))
        .with_columns(pl.col("kind").replace_strict(order, default=len(order), return_dtype=pl.Int64).alias("order"))
        .sort(pl.col("votes") * -1, "order", "kind")
        .unique(place, keep="first", maintain_order=True)
        .select(*place, pl.col("kind").alias(name))
    )

"""Rules of what is resolved and counted: mentions, entities, resolutions, redirects and co-occurrences."""

from __future__ import annotations

from typing import Final

import polars as pl

from transforms.rules.base import (
    OTHER,
    Frames,
    Rule,
    holds,
    matches,
    not_blank,
    one_of,
    ordered,
    quotes_document,
    refers,
    required,
    rows_of,
    unique,
    within,
)
from transforms.schemas import (
    COOCCURRENCES,
    ENTITIES,
    ENTITY_KINDS,
    ENTITY_REDIRECTS,
    FACTS,
    MENTIONS,
    RESOLUTIONS,
)

_METHODS: Final = ("new", "exact", "score", "document", "reconcile", "override")
_PARTS: Final = ("total", "name", "cooccurrence", "temporal")
_ENTITY: Final = ["bank_id", "entity_id"]


def _unresolved(frames: Frames) -> pl.LazyFrame:
    """Returns mentions that went to no entity; where decisions block names, some do so rightly."""
    keys = list(MENTIONS.keys)
    return frames["mentions"].join(frames["resolutions"].select(keys), on=keys, how="anti")


def _counted(frames: Frames) -> pl.LazyFrame:
    """Returns what live links give for each entity, in columns named like the table's with `__live`."""
    at = frames["mentions"].select("bank_id", "mention_id", "at")
    return (
        frames["resolutions"]
        .join(at, on=["bank_id", "mention_id"], how="left")
        .group_by(_ENTITY)
        .agg(
            pl.len().cast(pl.Int64).alias("mention_count__live"),
            pl.col("fact_id").n_unique().cast(pl.Int64).alias("fact_count__live"),
            pl.col("at").min().alias("first_seen__live"),
            pl.col("at").max().alias("last_seen__live"),
        )
    )


def _conserves(column: str, description: str) -> Rule:
    """Returns the rule that an entity's column equals what its live links give; no link at all counts as 0."""

    def violating(frames: Frames) -> pl.LazyFrame:
        live = pl.col(f"{column}__live")
        live = live.fill_null(0) if column.endswith("count") else live
        joined = frames["entities"].join(_counted(frames), on=_ENTITY, how="left")
        return joined.filter(pl.col(column).ne_missing(live) & pl.col(column).is_not_null())

    return rows_of(ENTITIES, f"{column}_conserved", description, violating, RESOLUTIONS, MENTIONS)


def _pairs_of_entities(frames: Frames) -> pl.LazyFrame:
    """Returns entities whose pair counts do not add up.

    A fact with k entities gives each of them k - 1 pairs, so the `fact_count` of an entity's pairs must add up to the
    sum of k - 1 over its facts. This is linear in the links, where counting the pairs again would be quadratic.
    """
    links = frames["resolutions"].select("bank_id", "fact_id", "entity_id").unique()
    others = (pl.len().over(["bank_id", "fact_id"]) - 1).cast(pl.Int64).alias("expected")
    expected = links.with_columns(others).group_by(_ENTITY).agg(pl.col("expected").sum())
    sides = [
        frames["cooccurrences"].select("bank_id", pl.col(side).alias("entity_id"), "fact_count")
        for side in ("entity_id_a", "entity_id_b")
    ]
    counted = pl.concat(sides).group_by(_ENTITY).agg(pl.col("fact_count").sum().alias("counted"))
    entities = frames["entities"].select(_ENTITY)
    both = entities.join(expected, on=_ENTITY, how="left").join(counted, on=_ENTITY, how="left")
    return both.filter(pl.col("expected").fill_null(0) != pl.col("counted").fill_null(0))


MENTION_RULES: Final[tuple[Rule, ...]] = (
    unique(MENTIONS),
    *required(MENTIONS, optional=("kind", "at", "span_start", "span_end")),
    unique(MENTIONS, ("fact_id", "name_key"), name="name_once_in_fact"),
    not_blank(MENTIONS, "name_key"),
    one_of(MENTIONS, "kind", ENTITY_KINDS),
    refers(
        MENTIONS,
        "fact_exists",
        {"fact_id": "fact_id", "document_id": "document_id"},
        FACTS,
        "fact_id is a row of facts, of the same document",
    ),
    holds(
        MENTIONS,
        "span_whole",
        pl.col("span_start").is_null() == pl.col("span_end").is_null(),
        "span_start and span_end are both there, or none",
    ),
    quotes_document(MENTIONS, "span_verifies", "span_start", "span_end", "surface"),
    holds(
        MENTIONS,
        "position_at_span",
        pl.col("position") == pl.col("span_start"),
        "position is where the span starts",
    ),
    matches(
        MENTIONS,
        "at_from_fact",
        FACTS,
        pl.col("at").eq_missing(pl.coalesce(f"occurred_start{OTHER}", f"mentioned_at{OTHER}")),
        "at is the fact's occurred_start, else its mentioned_at",
        on={"fact_id": "fact_id"},
    ),
)

ENTITY_RULES: Final[tuple[Rule, ...]] = (
    unique(ENTITIES),
    *required(ENTITIES, optional=("kind", "first_seen", "last_seen")),
    not_blank(ENTITIES, "canonical_name"),
    one_of(ENTITIES, "kind", ENTITY_KINDS),
    holds(ENTITIES, "mentioned", pl.col("mention_count") >= 1, "at least one live mention"),
    _conserves("mention_count", "mention_count is the number of live mentions"),
    _conserves("fact_count", "fact_count is the number of distinct facts of live mentions"),
    _conserves("first_seen", "first_seen is the earliest event time of live mentions"),
    _conserves("last_seen", "last_seen is the latest event time of live mentions"),
    holds(
        ENTITIES,
        "aliases_are_others",
        ~pl.col("aliases").list.contains(pl.col("canonical_name")),
        "aliases do not repeat the canonical name",
        severity="warning",
    ),
)

RESOLUTION_RULES: Final[tuple[Rule, ...]] = (
    unique(RESOLUTIONS),
    *required(RESOLUTIONS, optional=(*_PARTS, "runner_up", "runner_up_total")),
    refers(
        RESOLUTIONS,
        "mention_exists",
        {"mention_id": "mention_id", "fact_id": "fact_id"},
        MENTIONS,
        "mention_id is a row of mentions, of the same fact",
    ),
    refers(RESOLUTIONS, "entity_exists", {"entity_id": "entity_id"}, ENTITIES, "entity_id is a row of entities"),
    rows_of(
        MENTIONS,
        "mentions_resolved",
        "every mention went to an entity (unless a decision blocks its name)",
        _unresolved,
        RESOLUTIONS,
        severity="warning",
    ),
    one_of(RESOLUTIONS, "method", _METHODS),
    not_blank(RESOLUTIONS, "reason"),
    *(within(RESOLUTIONS, part, 0, 1) for part in (*_PARTS, "runner_up_total")),
    holds(
        RESOLUTIONS,
        "parts_beside_total",
        pl.col("total").is_null() | pl.all_horizontal(pl.col(_PARTS[1:]).is_not_null()),
        "a total stands beside its parts",
    ),
    holds(
        RESOLUTIONS,
        "runner_up_is_other",
        pl.col("runner_up") != pl.col("entity_id"),
        "the runner-up is another entity",
        severity="warning",
    ),
)

REDIRECT_RULES: Final[tuple[Rule, ...]] = (
    unique(ENTITY_REDIRECTS),
    *required(ENTITY_REDIRECTS),
    refers(ENTITY_REDIRECTS, "target_lives", {"entity_id": "entity_id"}, ENTITIES, "entity_id is a row of entities"),
    rows_of(
        ENTITY_REDIRECTS,
        "old_id_gone",
        "old_entity_id is no row of entities",
        lambda frames: frames["entity_redirects"].join(
            frames["entities"], left_on=["bank_id", "old_entity_id"], right_on=_ENTITY, how="semi"
        ),
        ENTITIES,
    ),
)


def _pair_within(side: str) -> Rule:
    return matches(
        COOCCURRENCES,
        f"{side}_has_the_facts",
        ENTITIES,
        pl.col("fact_count") <= pl.col(f"fact_count{OTHER}"),
        f"fact_count is at most the fact_count of {side}",
        on={side: "entity_id"},
    )


COOCCURRENCE_RULES: Final[tuple[Rule, ...]] = (
    unique(COOCCURRENCES),
    *required(COOCCURRENCES, optional=("first_at", "last_at")),
    ordered(COOCCURRENCES, "a_before_b", "entity_id_a", "entity_id_b", strict=True),
    *(
        refers(COOCCURRENCES, f"{side}_exists", {side: "entity_id"}, ENTITIES, f"{side} is a row of entities")
        for side in ("entity_id_a", "entity_id_b")
    ),
    holds(COOCCURRENCES, "seen", pl.col("document_count") >= 1, "document_count is at least 1"),
    ordered(COOCCURRENCES, "documents_within_facts", "document_count", "fact_count"),
    *(_pair_within(side) for side in ("entity_id_a", "entity_id_b")),
    rows_of(
        ENTITIES,
        "pairs_conserved",
        "an entity's pairs add up to the other entities of its facts",
        _pairs_of_entities,
        COOCCURRENCES,
        RESOLUTIONS,
    ),
    ordered(COOCCURRENCES, "first_before_last", "first_at", "last_at"),
    within(COOCCURRENCES, "npmi", -1, 1),
)

"""Rules of what is derived last: observations, their backlog, and the evaluation of ranking."""

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
    ordered,
    refers,
    required,
    rows_of,
    unique,
    within,
)
from transforms.schemas import (
    DOCUMENTS,
    ENTITIES,
    EVALUATION_JUDGEMENTS,
    EVALUATION_METRICS,
    EVALUATION_QUERIES,
    EVALUATION_RESULTS,
    FACTS,
    OBSERVATION_BACKLOG,
    OBSERVATIONS,
    RESOLUTIONS,
)


def _sources(frames: Frames) -> pl.LazyFrame:
    """Returns one row an observation and source fact."""
    columns = ["bank_id", "observation_id", "observed_through", pl.col("source_fact_ids").alias("fact_id")]
    return frames["observations"].select(columns).explode("fact_id")


def _with_facts(frames: Frames) -> pl.LazyFrame:
    at = pl.coalesce("occurred_start", "mentioned_at").alias("at")
    return _sources(frames).join(frames["facts"].select("bank_id", "fact_id", "kind", at), on=["bank_id", "fact_id"])


def _from_opinions(frames: Frames) -> pl.LazyFrame:
    opinions = _with_facts(frames).filter(~pl.col("kind").is_in(["world", "experience"]))
    return opinions.select(OBSERVATIONS.keys).unique()


def _wrongly_dated(frames: Frames) -> pl.LazyFrame:
    """Returns observations whose source facts all exist, and whose latest time is another than stated."""
    latest = _with_facts(frames).group_by(OBSERVATIONS.keys).agg(pl.col("at").max(), pl.len().alias("found"))
    whole = frames["observations"].join(latest, on=list(OBSERVATIONS.keys))
    found_all = pl.col("found") == pl.col("source_fact_ids").list.len()
    return whole.filter(found_all & pl.col("observed_through").ne_missing(pl.col("at")))


OBSERVATION_RULES: Final[tuple[Rule, ...]] = (
    unique(OBSERVATIONS),
    *required(OBSERVATIONS, optional=("observed_through",)),
    unique(OBSERVATIONS, ("entity_id",), name="one_per_entity"),
    refers(OBSERVATIONS, "entity_exists", {"entity_id": "entity_id"}, ENTITIES, "entity_id is a row of entities"),
    not_blank(OBSERVATIONS, "text"),
    holds(OBSERVATIONS, "sources_given", pl.col("source_fact_ids").list.len() > 0, "there is at least one source fact"),
    holds(
        OBSERVATIONS,
        "sources_distinct",
        pl.col("source_fact_ids").list.n_unique() == pl.col("source_fact_ids").list.len(),
        "no source fact stands twice",
    ),
    refers(
        OBSERVATIONS,
        "sources_exist",
        {"source_fact_ids": "fact_id"},
        FACTS,
        "source facts are rows of facts",
        explode="source_fact_ids",
    ),
    refers(
        OBSERVATIONS,
        "sources_of_entity",
        {"source_fact_ids": "fact_id", "entity_id": "entity_id"},
        RESOLUTIONS,
        "source facts mention the entity",
        explode="source_fact_ids",
    ),
    rows_of(OBSERVATIONS, "objective", "source facts are of the world or of experience", _from_opinions, FACTS),
    rows_of(
        OBSERVATIONS,
        "observed_through_derived",
        "observed_through is the latest event time of the source facts",
        _wrongly_dated,
        FACTS,
        severity="warning",
    ),
)

BACKLOG_RULES: Final[tuple[Rule, ...]] = (
    unique(OBSERVATION_BACKLOG),
    *required(OBSERVATION_BACKLOG),
    refers(
        OBSERVATION_BACKLOG, "entity_exists", {"entity_id": "entity_id"}, ENTITIES, "entity_id is a row of entities"
    ),
    holds(OBSERVATION_BACKLOG, "qualified", pl.col("fact_count") >= 1, "fact_count is at least 1"),
    matches(
        OBSERVATION_BACKLOG,
        "facts_of_entity",
        ENTITIES,
        pl.col("fact_count") <= pl.col(f"fact_count{OTHER}"),
        "fact_count is at most the entity's",
        on={"entity_id": "entity_id"},
    ),
)

QUERY_RULES: Final[tuple[Rule, ...]] = (
    unique(EVALUATION_QUERIES),
    *required(EVALUATION_QUERIES),
    not_blank(EVALUATION_QUERIES, "query"),
)

JUDGEMENT_RULES: Final[tuple[Rule, ...]] = (
    unique(EVALUATION_JUDGEMENTS),
    *required(EVALUATION_JUDGEMENTS),
    refers(
        EVALUATION_JUDGEMENTS,
        "query_exists",
        {"dataset": "dataset", "query_id": "query_id"},
        EVALUATION_QUERIES,
        "query_id is a row of evaluation_queries",
    ),
    # Documents come and go, judgements stay: what cannot be measured is reported, it stops nothing.
    refers(
        EVALUATION_JUDGEMENTS, "document_exists", {"uri": "uri"}, DOCUMENTS, "uri is a document", severity="warning"
    ),
    ordered(EVALUATION_JUDGEMENTS, "start_before_end", "start", "end", strict=True),
    holds(EVALUATION_JUDGEMENTS, "start_in_text", pl.col("start") >= 0, "start is at least 0"),
    within(EVALUATION_JUDGEMENTS, "grade", 0, 3),
)

METRIC_RULES: Final[tuple[Rule, ...]] = (
    unique(EVALUATION_METRICS),
    *required(EVALUATION_METRICS),
    within(EVALUATION_METRICS, "value", 0, 1),
    ordered(EVALUATION_METRICS, "low_below_value", "low", "value"),
    ordered(EVALUATION_METRICS, "value_below_high", "value", "high"),
    holds(EVALUATION_METRICS, "measured", pl.col("queries") >= 1, "at least one query was measured"),
)

RESULT_RULES: Final[tuple[Rule, ...]] = (
    unique(EVALUATION_RESULTS),
    *required(EVALUATION_RESULTS),
    within(EVALUATION_RESULTS, "value", 0, 1),
    refers(
        EVALUATION_RESULTS,
        "metric_exists",
        {"evaluation_id": "evaluation_id", "system": "system", "metric": "metric"},
        EVALUATION_METRICS,
        "every result belongs to a row of evaluation_metrics",
    ),
)

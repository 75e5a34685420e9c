"""Rules of what documents say: facts, tasks and events."""

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
    CHUNKS,
    CONFIDENCES,
    DOCUMENTS,
    ENTITY_KINDS,
    EVENTS,
    FACT_KINDS,
    FACTS,
    OVERRIDES,
    PRECISIONS,
    RESOLUTIONS,
    TASK_STATUSES,
    TASKS,
)

_OPTIONAL: Final = (
    "occurred_start",
    "occurred_end",
    "occurred_precision",
    "mentioned_at",
    "updated_at",
    "speaker",
    "subject",
    "predicate",
    "value",
    "superseded_by",
)


def _names(frames: Frames) -> pl.LazyFrame:
    """Returns one row a name of a fact, with its fields beside the fact's columns."""
    keep = ["bank_id", "fact_id", "document_id", "quote_start", "quote_end", "entities"]
    return frames["facts"].select(keep).explode("entities").unnest("entities").drop_nulls("surface")


def _once(rows: pl.LazyFrame) -> pl.LazyFrame:
    return rows.select(FACTS.keys).unique()


def _misplaced_names(frames: Frames) -> pl.LazyFrame:
    texts = frames["documents"].select("bank_id", "document_id", "text")
    length = (pl.col("end") - pl.col("start")).clip(lower_bound=0)
    cut = pl.col("text").str.slice(pl.col("start"), length)
    # A name before the text's beginning would otherwise be counted from its end.
    verified = (pl.col("start") >= 0) & (cut == pl.col("surface"))
    placed = _names(frames).drop_nulls(["start", "end"])
    return _once(placed.join(texts, on=["bank_id", "document_id"]).filter(~verified))


def _half_placed_names(frames: Frames) -> pl.LazyFrame:
    return _once(_names(frames).filter(pl.col("start").is_null() != pl.col("end").is_null()))


def _names_outside_quote(frames: Frames) -> pl.LazyFrame:
    outside = (pl.col("start") < pl.col("quote_start")) | (pl.col("end") > pl.col("quote_end"))
    return _once(_names(frames).filter(outside))


def _unknown_name_kinds(frames: Frames) -> pl.LazyFrame:
    # Nothing but one of the kinds will do: an extractor must always say which, so null is a violation here.
    return _once(_names(frames).filter(~pl.col("kind").is_in(list(ENTITY_KINDS)).fill_null(value=False)))


def _decided(frames: Frames, what: str) -> pl.LazyFrame:
    """Returns the facts that a decision in force is about: bank_id, fact_id, value."""
    in_force = frames["overrides"].filter((pl.col("what") == what) & pl.col("undone_by").is_null())
    return (
        in_force.select("bank_id", pl.col("which").alias("fact_id"), "value").explode("fact_id").drop_nulls("fact_id")
    )


def _wrong_tiers(frames: Frames) -> pl.LazyFrame:
    documents = frames["documents"].select("bank_id", "document_id", pl.col("tier").alias("value"))
    facts = frames["facts"].select("bank_id", "fact_id", "document_id", "tier").drop_nulls("tier")
    own = facts.join(documents, on=["bank_id", "document_id"])
    raised = _decided(frames, "promote")
    differs = own.filter(pl.col("tier") != pl.col("value"))
    return differs.join(
        raised, left_on=["bank_id", "fact_id", "tier"], right_on=["bank_id", "fact_id", "value"], how="anti"
    )


def _retracted(frames: Frames) -> pl.LazyFrame:
    return frames["facts"].join(_decided(frames, "retract"), on=["bank_id", "fact_id"], how="semi")


FACT_RULES: Final[tuple[Rule, ...]] = (
    unique(FACTS),
    *required(FACTS, optional=_OPTIONAL),
    unique(FACTS, ("document_id", "position"), name="position_unique"),
    not_blank(FACTS, "title"),
    not_blank(FACTS, "body"),
    not_blank(FACTS, "quote"),
    one_of(FACTS, "kind", FACT_KINDS),
    one_of(FACTS, "confidence", CONFIDENCES),
    one_of(FACTS, "occurred_precision", PRECISIONS),
    refers(FACTS, "document_exists", {"document_id": "document_id"}, DOCUMENTS, "document_id is a row of documents"),
    refers(
        FACTS,
        "chunk_exists",
        {"chunk_id": "chunk_id", "document_id": "document_id"},
        CHUNKS,
        "chunk_id is a row of chunks, of the same document",
    ),
    quotes_document(FACTS, "quote_verifies", "quote_start", "quote_end", "quote"),
    matches(
        FACTS,
        "quote_in_chunk",
        CHUNKS,
        (pl.col("quote_start") >= pl.col(f"start{OTHER}")) & (pl.col("quote_end") <= pl.col(f"end{OTHER}")),
        "the quote stands in the fact's chunk",
        on={"chunk_id": "chunk_id"},
    ),
    rows_of(FACTS, "names_verify", "a name's text is the document's text at its span", _misplaced_names, DOCUMENTS),
    rows_of(FACTS, "name_spans_whole", "a name has both ends of its span, or none", _half_placed_names),
    rows_of(FACTS, "name_kinds_known", f"a name's kind is {', '.join(ENTITY_KINDS)}", _unknown_name_kinds),
    rows_of(FACTS, "names_in_quote", "a name stands in the quote", _names_outside_quote, severity="warning"),
    ordered(FACTS, "occurred_in_order", "occurred_start", "occurred_end", strict=True),
    holds(
        FACTS,
        "occurrence_whole",
        (pl.col("occurred_start").is_null() == pl.col("occurred_end").is_null())
        & (pl.col("occurred_start").is_null() == pl.col("occurred_precision").is_null()),
        "occurred_start, occurred_end and occurred_precision are all there, or none",
    ),
    matches(
        FACTS,
        "updated_at_derived",
        DOCUMENTS,
        pl.col("updated_at").eq_missing(pl.coalesce("mentioned_at", f"authored_at{OTHER}")),
        "updated_at is mentioned_at, else the document's authored_at, else null",
        on={"document_id": "document_id"},
    ),
    rows_of(
        FACTS,
        "tier_from_source",
        "tier is the document's, unless a decision in force promotes the fact",
        _wrong_tiers,
        DOCUMENTS,
        OVERRIDES,
    ),
    rows_of(FACTS, "retracted_gone", "no decision in force retracts the fact", _retracted, OVERRIDES),
    refers(FACTS, "newer_fact_exists", {"superseded_by": "fact_id"}, FACTS, "superseded_by is a row of facts"),
    holds(FACTS, "not_own_successor", pl.col("superseded_by") != pl.col("fact_id"), "superseded_by is another fact"),
)

_STATED: Final = {"fact_id": "fact_id", "document_id": "document_id"}

TASK_RULES: Final[tuple[Rule, ...]] = (
    unique(TASKS),
    *required(TASKS, optional=("at", "due_at")),
    refers(TASKS, "fact_exists", _STATED, FACTS, "fact_id is a row of facts, of the same document"),
    matches(TASKS, "tier_of_fact", FACTS, pl.col("tier") == pl.col(f"tier{OTHER}"), "tier is the fact's", on=_STATED),
    not_blank(TASKS, "description"),
    within(TASKS, "priority", 0, 10),
    one_of(TASKS, "status", TASK_STATUSES),
    refers(
        TASKS,
        "entities_of_fact",
        {"fact_id": "fact_id", "entity_ids": "entity_id"},
        RESOLUTIONS,
        "entity_ids are entities that the fact's mentions went to",
        explode="entity_ids",
    ),
)

EVENT_RULES: Final[tuple[Rule, ...]] = (
    unique(EVENTS),
    *required(EVENTS),
    refers(EVENTS, "fact_exists", _STATED, FACTS, "fact_id is a row of facts, of the same document"),
    matches(EVENTS, "tier_of_fact", FACTS, pl.col("tier") == pl.col(f"tier{OTHER}"), "tier is the fact's", on=_STATED),
    not_blank(EVENTS, "event_type"),
    not_blank(EVENTS, "summary"),
    one_of(EVENTS, "precision", PRECISIONS),
    refers(
        EVENTS,
        "entities_of_fact",
        {"fact_id": "fact_id", "entity_ids": "entity_id"},
        RESOLUTIONS,
        "entity_ids are entities that the fact's mentions went to",
        explode="entity_ids",
    ),
)

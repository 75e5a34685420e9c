"""Rules of what comes in: documents, chunks, overrides, and quarantine, which says what did not."""

from __future__ import annotations

from typing import Final

import polars as pl

from transforms.rules.base import (
    OTHER,
    WHITE_SPACE,
    Frames,
    Rule,
    holds,
    matches,
    not_blank,
    one_of,
    ordered,
    refers,
    required,
    rows_of,
    unique,
)
from transforms.schemas import CHUNKS, DOCUMENTS, EXTRACTION_CACHE, FACTS, OVERRIDES, QUARANTINE

_STAGES: Final = ("load", "extract", "facts", "summarize")
_DECISIONS: Final = ("alias", "same", "different", "block", "label", "retract", "promote", "undo")

_TURN_START = pl.element().struct.field("start")
_TURN_END = pl.element().struct.field("end")


def _overlapping(frames: Frames) -> pl.LazyFrame:
    before = pl.col("end").cum_max().shift(1).over(["bank_id", "document_id"], order_by=["start", "end", "chunk_id"])
    return frames["chunks"].filter(pl.col("start") < before)


def _gaps(frames: Frames) -> pl.LazyFrame:
    """Returns chunks whose ordinal is not one more than the ordinal before it in the document."""
    # Equal positions are told apart by id, so that the order of rows does not show in the sample.
    rank = pl.int_range(pl.len(), dtype=pl.Int64).over(["bank_id", "document_id"], order_by=["position", "chunk_id"])
    return frames["chunks"].filter(pl.col("position") != rank)


def _uncovered(frames: Frames) -> pl.LazyFrame:
    """Returns documents some of whose characters, white space apart, stand in no chunk (or in several)."""
    document = ["bank_id", "document_id"]
    texts = frames["documents"].select(*document, "text")
    length = (pl.col("end") - pl.col("start")).clip(lower_bound=0)
    cut = pl.col("text").str.slice(pl.col("start"), length)
    held = (
        frames["chunks"]
        .join(texts, on=document)
        .group_by(document)
        .agg(cut.str.replace_all(WHITE_SPACE, "").str.len_chars().sum().cast(pl.Int64).alias("held"))
    )
    there = pl.col("text").str.replace_all(WHITE_SPACE, "").str.len_chars().cast(pl.Int64)
    return texts.join(held, on=document, how="left").filter(there != pl.col("held").fill_null(0))


def _unaccounted(frames: Frames) -> pl.LazyFrame:
    """Returns chunks that have neither model output nor a row of quarantine: they were lost in silence."""
    extracted = frames["extraction_cache"].select("bank_id", "input_hash")
    waiting = frames["quarantine"].select("bank_id", "chunk_id").drop_nulls()
    return (
        frames["chunks"]
        .join(extracted, on=["bank_id", "input_hash"], how="anti")
        .join(waiting, on=["bank_id", "chunk_id"], how="anti")
    )


def _lost_facts(frames: Frames) -> pl.LazyFrame:
    """Returns chunks whose output holds more facts than stand in facts, with nothing in quarantine to explain it.

    Where a decision retracts facts, or the cache holds output of several extractors for the same content, the number
    that should be there cannot be told from the tables, and nothing is reported.
    """
    chunk = ["bank_id", "chunk_id"]
    quotes = pl.List(pl.Struct({"quote": pl.String}))
    extracted = pl.col("output").str.json_path_match("$.facts").str.json_decode(quotes).list.len()
    single = (
        frames["extraction_cache"]
        .filter(pl.len().over(["bank_id", "input_hash"]) == 1)
        .select("bank_id", "input_hash", extracted.cast(pl.Int64).fill_null(0).alias("extracted"))
    )
    kept = frames["facts"].group_by(chunk).agg(pl.len().cast(pl.Int64).alias("kept"))
    retracted = frames["overrides"].filter((pl.col("what") == "retract") & pl.col("undone_by").is_null())
    return (
        frames["chunks"]
        .join(single, on=["bank_id", "input_hash"])
        .join(kept, on=chunk, how="left")
        .filter(pl.col("extracted") > pl.col("kept").fill_null(0))
        .join(frames["quarantine"].select(chunk), on=chunk, how="anti")
        .join(retracted.select("bank_id"), on="bank_id", how="anti")
    )


DOCUMENT_RULES: Final[tuple[Rule, ...]] = (
    unique(DOCUMENTS),
    *required(DOCUMENTS, optional=("author", "authored_at")),
    unique(DOCUMENTS, ("uri",), name="uri_unique"),
    not_blank(DOCUMENTS, "text", severity="warning"),
    not_blank(DOCUMENTS, "title", severity="warning"),
    holds(
        DOCUMENTS,
        "language_is_code",
        pl.col("language").str.contains(r"^[a-z]{2,3}$"),
        "language is an ISO 639 code, or und",
        severity="warning",
    ),
    holds(
        DOCUMENTS,
        "metadata_is_json",
        pl.col("metadata").str.json_path_match("$").str.starts_with("{").fill_null(value=False)
        | pl.col("metadata").is_null(),
        "metadata is a JSON object",
    ),
    holds(
        DOCUMENTS,
        "turns_in_text",
        pl.col("turns").list.eval((_TURN_START >= 0) & (_TURN_START < _TURN_END), parallel=True).list.all()
        & (pl.col("turns").list.eval(_TURN_END).list.max().fill_null(0) <= pl.col("text").str.len_chars()),
        "every turn is a span of the text",
    ),
    # A document that was written after it was read has a wrong date or a wrong clock.
    ordered(DOCUMENTS, "not_from_the_future", "authored_at", "ingested_at", severity="warning"),
)

CHUNK_RULES: Final[tuple[Rule, ...]] = (
    unique(CHUNKS),
    *required(CHUNKS),
    refers(CHUNKS, "document_exists", {"document_id": "document_id"}, DOCUMENTS, "document_id is a row of documents"),
    ordered(CHUNKS, "start_before_end", "start", "end", strict=True),
    matches(
        CHUNKS,
        "span_in_text",
        DOCUMENTS,
        (pl.col("start") >= 0) & (pl.col("end") <= pl.col(f"text{OTHER}").str.len_chars()),
        "start and end stand in the document's text",
        on={"document_id": "document_id"},
    ),
    rows_of(CHUNKS, "positions_without_gap", "positions count 0, 1, 2 ... in each document", _gaps),
    rows_of(CHUNKS, "no_overlap", "chunks of a document do not overlap", _overlapping),
    rows_of(
        DOCUMENTS,
        "documents_covered",
        "every character of a document but white space stands in exactly one chunk",
        _uncovered,
        CHUNKS,
    ),
)

QUARANTINE_RULES: Final[tuple[Rule, ...]] = (
    unique(QUARANTINE),
    *required(QUARANTINE, optional=("uri", "document_id", "chunk_id")),
    one_of(QUARANTINE, "stage", _STAGES),
    not_blank(QUARANTINE, "reason"),
    holds(QUARANTINE, "attempts_counted", pl.col("attempts") >= 1, "attempts is at least 1"),
    ordered(QUARANTINE, "first_before_last", "first_failed_at", "last_failed_at"),
    refers(
        QUARANTINE, "document_exists", {"document_id": "document_id"}, DOCUMENTS, "document_id is a row of documents"
    ),
    refers(QUARANTINE, "chunk_exists", {"chunk_id": "chunk_id"}, CHUNKS, "chunk_id is a row of chunks"),
    rows_of(
        CHUNKS,
        "chunks_accounted",
        "every chunk was extracted or waits in quarantine",
        _unaccounted,
        EXTRACTION_CACHE,
        QUARANTINE,
    ),
    rows_of(
        CHUNKS,
        "facts_accounted",
        "every extracted fact is in facts, or its chunk in quarantine",
        _lost_facts,
        EXTRACTION_CACHE,
        FACTS,
        OVERRIDES,
        QUARANTINE,
    ),
)

OVERRIDE_RULES: Final[tuple[Rule, ...]] = (
    unique(OVERRIDES),
    *required(OVERRIDES, optional=("value", "undone_by")),
    one_of(OVERRIDES, "what", _DECISIONS),
    holds(OVERRIDES, "which_not_empty", pl.col("which").list.len() > 0, "which names at least one thing"),
    holds(
        OVERRIDES,
        "value_given",
        ~pl.col("what").is_in(["promote", "label"]) | pl.col("value").is_not_null(),
        "promote names a tier and label names a label",
    ),
    refers(OVERRIDES, "undo_exists", {"undone_by": "override_id"}, OVERRIDES, "undone_by is a row of overrides"),
)

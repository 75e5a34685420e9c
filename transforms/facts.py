"""Extractor output into facts, tasks and events: every quote verified, every date resolved, ids that stay."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import polars as pl

from transforms.dates import DateSpan, resolve_date
from transforms.ids import stable_id
from transforms.payload import EntityMention, ExtractedFact, Extraction
from transforms.schemas import EVENTS, FACTS, TASKS, Table, conform
from transforms.supersession import mark_superseded

REJECTED = pl.Schema(
    {
        "bank_id": pl.String,
        "item": pl.String,
        "uri": pl.String,
        "document_id": pl.String,
        "chunk_id": pl.String,
        "reason": pl.String,
        "detail": pl.String,
        "content_hash": pl.String,
    }
)


@dataclass
class ExtractedRows:
    """What the extractions of a bank say, as frames.

    Attributes:
        facts: Frame of `schemas.FACTS`.
        tasks: Frame of `schemas.TASKS`, `entity_ids` empty until the names are resolved.
        events: Frame of `schemas.EVENTS`, likewise.
        rejected: Frame of `REJECTED`: facts whose quote or names do not stand in the document.
    """

    facts: pl.DataFrame
    tasks: pl.DataFrame
    events: pl.DataFrame
    rejected: pl.DataFrame


@dataclass
class _Rows:
    facts: list[dict[str, Any]] = field(default_factory=list)
    tasks: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    rejected: list[dict[str, Any]] = field(default_factory=list)


def build_facts(
    documents: pl.DataFrame, chunks: pl.DataFrame, extractions: Mapping[str, Extraction], overrides: pl.DataFrame
) -> ExtractedRows:
    """Returns the facts, tasks and events of all chunks that have an extraction.

    Args:
        documents: Frame of `schemas.DOCUMENTS`.
        chunks: Frame of `schemas.CHUNKS`.
        extractions: Extraction by `input_hash`; chunks without one are waiting in quarantine.
        overrides: Frame of `schemas.OVERRIDES`: `retract` removes a fact, `promote` gives it another tier.
    """
    rows = _Rows()
    by_document = {key[0]: frame for key, frame in chunks.group_by("document_id")}
    # A loop over documents: quotes are located in each text, character by character.
    for document in documents.sort("document_id").iter_rows(named=True):
        of_document = by_document.get(document["document_id"])
        if of_document is not None:
            _document_rows(document, of_document.sort("position"), extractions, rows)
    facts = _apply_overrides(pl.DataFrame(rows.facts, schema=FACTS.schema), overrides)
    kept = facts.select("fact_id", pl.col("tier").alias("fact_tier"))
    return ExtractedRows(
        facts=conform(mark_superseded(facts), FACTS),
        tasks=_with_facts(rows.tasks, TASKS, kept),
        events=_with_facts(rows.events, EVENTS, kept),
        rejected=pl.DataFrame(rows.rejected, schema=REJECTED),
    )


def _with_facts(rows: list[dict[str, Any]], table: Table, kept: pl.DataFrame) -> pl.DataFrame:
    """Returns tasks or events whose fact stands, with the fact's tier; equal ones of one fact once."""
    frame = pl.DataFrame(rows, schema=table.schema).join(kept, on="fact_id")
    frame = frame.with_columns(pl.col("fact_tier").alias("tier")).drop("fact_tier")
    return conform(frame.unique(subset=list(table.keys), keep="first", maintain_order=True), table)


def _document_rows(
    document: dict[str, Any], chunks: pl.DataFrame, extractions: Mapping[str, Extraction], rows: _Rows
) -> None:
    position = 0
    for chunk in chunks.iter_rows(named=True):
        extraction = extractions.get(chunk["input_hash"])
        if extraction is None:
            continue
        text = document["text"][chunk["start"] : chunk["end"]]
        kept: dict[int, dict[str, Any]] = {}
        seen: Counter[str] = Counter()
        for index, start, fact in _located(text, extraction.facts):
            problem = _problem(document, text, start, fact)
            if problem:
                rows.rejected.append(_rejected_row(document, chunk, fact, *problem))
                continue
            row = _fact_row(document, chunk, fact, start, position)
            row["fact_id"] = stable_id(chunk["chunk_id"], fact.quote, seen[fact.quote])
            seen[fact.quote] += 1
            position += 1
            kept[index] = row
        rows.facts += kept.values()
        rows.tasks += _task_rows(extraction, kept, document["language"])
        rows.events += _event_rows(extraction, kept)


def _located(text: str, facts: Iterable[ExtractedFact]) -> Iterator[tuple[int, int, ExtractedFact]]:
    """Yields (index in the payload, start in the chunk or -1, fact) in the order of the text."""
    found = []
    for index, fact in enumerate(facts):
        start = fact.start if fact.start is not None else text.find(fact.quote)
        if not fact.quote or start < 0 or text[start : start + len(fact.quote)] != fact.quote:
            start = text.find(fact.quote) if fact.quote else -1
        found.append((start, index, fact))
    for start, index, fact in sorted(found, key=lambda item: item[:2]):
        yield index, start, fact


def _problem(document: dict[str, Any], text: str, start: int, fact: ExtractedFact) -> tuple[str, str] | None:
    """Returns why a fact cannot be kept: (reason, detail); None where it can."""
    if start < 0:
        return "quote_not_found", f"the quote does not stand in its chunk of {len(text)} characters"
    if not fact.body.strip():
        return "empty_statement", "the fact has a quote and no statement"
    known = " ".join(
        [
            document["text"],
            document["title"],
            document["author"] or "",
            *(t["speaker"] or "" for t in document["turns"]),
        ]
    )
    strangers = [entity.surface for entity in fact.entities if entity.surface not in known]
    if strangers:
        return "entity_not_found", f"{len(strangers)} name(s) of the fact do not stand in the document"
    return None


def _rejected_row(
    document: dict[str, Any], chunk: dict[str, Any], fact: ExtractedFact, reason: str, detail: str
) -> dict[str, Any]:
    return {
        "bank_id": document["bank_id"],
        "item": stable_id(chunk["chunk_id"], fact.quote, fact.body),
        "uri": document["uri"],
        "document_id": document["document_id"],
        "chunk_id": chunk["chunk_id"],
        "reason": reason,
        "detail": detail,
        "content_hash": chunk["input_hash"],
    }


def _fact_row(
    document: dict[str, Any], chunk: dict[str, Any], fact: ExtractedFact, start: int, position: int
) -> dict[str, Any]:
    quote_start = chunk["start"] + start
    turn = _turn_at(document, quote_start)
    mentioned_at = (turn and turn["at"]) or document["authored_at"]
    span = _resolve(fact.when, mentioned_at, fact.when_direction, document["language"])
    return {
        "bank_id": document["bank_id"],
        "document_id": document["document_id"],
        "chunk_id": chunk["chunk_id"],
        "position": position,
        "title": fact.title,
        "body": fact.body,
        "kind": fact.kind,
        "tier": document["tier"],
        "confidence": fact.confidence,
        "quote": fact.quote,
        "quote_start": quote_start,
        "quote_end": quote_start + len(fact.quote),
        "occurred_start": span and span.start,
        "occurred_end": span and span.end,
        "occurred_precision": span and span.precision,
        "mentioned_at": mentioned_at,
        "updated_at": mentioned_at,
        "tags": sorted({*_document_tags(document), *fact.tags}),
        "language": document["language"],
        "speaker": turn["speaker"] if turn else document["author"],
        "entities": [_entity(document["text"], chunk, start, fact, entity) for entity in fact.entities],
        "subject": fact.subject,
        "predicate": fact.predicate,
        "value": fact.value,
        "superseded_by": None,
    }


def _turn_at(document: dict[str, Any], position: int) -> dict[str, Any] | None:
    for turn in document["turns"]:
        if turn["start"] <= position < turn["end"]:
            return dict(turn)
    return None


def _document_tags(document: dict[str, Any]) -> list[str]:
    tags = json.loads(document["metadata"]).get("tags", [])
    return [str(tag) for tag in tags] if isinstance(tags, list) else [str(tags)]


def _resolve(when: str | None, anchor: datetime | None, direction: str | None, language: str) -> DateSpan | None:
    return resolve_date(when, anchor, direction=direction, language=language) if when else None


def _entity(text: str, chunk: dict[str, Any], start: int, fact: ExtractedFact, entity: EntityMention) -> dict[str, Any]:
    """Returns a fact's name with its verified place in the document; null where only a pronoun stands for it."""
    place: int | None = None
    if entity.start is not None:
        given = chunk["start"] + entity.start
        if text[given : given + len(entity.surface)] == entity.surface:
            place = given
    if place is None and entity.surface in fact.quote:
        place = chunk["start"] + start + fact.quote.index(entity.surface)
    end = None if place is None else place + len(entity.surface)
    return {"surface": entity.surface, "kind": entity.kind, "start": place, "end": end}


def _task_rows(extraction: Extraction, kept: dict[int, dict[str, Any]], language: str) -> list[dict[str, Any]]:
    rows = []
    for task in extraction.tasks:
        fact = kept.get(task.fact)
        if fact is None:
            continue
        due = _resolve(task.due, fact["mentioned_at"], "future", language)
        rows.append(
            {
                "bank_id": fact["bank_id"],
                "task_id": stable_id(fact["fact_id"], task.description),
                "fact_id": fact["fact_id"],
                "document_id": fact["document_id"],
                "tier": fact["tier"],
                "entity_ids": [],
                "description": task.description,
                "priority": task.priority,
                "status": task.status,
                "at": fact["mentioned_at"],
                "due_at": due and due.start,
            }
        )
    return rows


def _event_rows(extraction: Extraction, kept: dict[int, dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the events that have a date: an event without one is a fact only."""
    rows = []
    for event in extraction.events:
        fact = kept.get(event.fact)
        if fact is None or fact["occurred_start"] is None:
            continue
        rows.append(
            {
                "bank_id": fact["bank_id"],
                "event_id": stable_id(fact["fact_id"], event.summary),
                "fact_id": fact["fact_id"],
                "document_id": fact["document_id"],
                "tier": fact["tier"],
                "entity_ids": [],
                "event_type": event.event_type,
                "summary": event.summary,
                "at": fact["occurred_start"],
                "precision": fact["occurred_precision"],
            }
        )
    return rows


def _apply_overrides(facts: pl.DataFrame, overrides: pl.DataFrame) -> pl.DataFrame:
    live = overrides.filter(pl.col("undone_by").is_null() & pl.col("what").is_in(["retract", "promote"]))
    # The latest decision about a fact holds.
    decisions = live.sort("when", "override_id", nulls_last=False).explode("which").unique("which", keep="last")
    retracted = decisions.filter(pl.col("what") == "retract")["which"].to_list()
    promoted = decisions.filter(pl.col("what") == "promote").select(
        pl.col("which").alias("fact_id"), pl.col("value").alias("new_tier")
    )
    facts = facts.filter(~pl.col("fact_id").is_in(retracted)).join(promoted, on="fact_id", how="left")
    return facts.with_columns(pl.coalesce("new_tier", "tier").alias("tier")).drop("new_tier")


def link_entities(rows: pl.DataFrame, resolutions: pl.DataFrame, table: Table) -> pl.DataFrame:
    """Returns tasks or events with the entities of their fact.

    Args:
        rows: Frame of `schemas.TASKS` or `schemas.EVENTS`.
        resolutions: Frame of `schemas.RESOLUTIONS`.
        table: The declaration of `rows`.
    """
    entities = resolutions.group_by("fact_id").agg(pl.col("entity_id").unique().sort().alias("found"))
    linked = rows.join(entities, on="fact_id", how="left").with_columns(
        pl.col("found").fill_null(pl.lit([], dtype=pl.List(pl.String))).alias("entity_ids")
    )
    return conform(linked.drop("found"), table)

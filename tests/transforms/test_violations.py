"""Every rule is shown to be able to fail: a fault is planted in a small valid lake, and that rule fails, no other."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from transforms.rules.base import WHITE_SPACE
from transforms.schemas import TABLES, SchemaMismatchError
from transforms.violations import MAX_SAMPLES, RULES, count_violations, tables_read

MAY, JUNE, JULY = (datetime(2026, month, 1, tzinfo=UTC) for month in (5, 6, 7))
MARCH, MARCH_END = datetime(2026, 3, 2, tzinfo=UTC), datetime(2026, 3, 3, tzinfo=UTC)

D1 = "Alice works at Google.\n\nAlice joined on 2 March 2026. I like tea."
D2 = "Bob met Alice at Google.\n\nGarbled 日本 text."


def _document(key: str, text: str, **more: Any) -> dict[str, Any]:
    row = {
        "document_id": key, "uri": f"notes/{key}.md", "source": "notes", "path": f"notes/{key}.md",
        "file_hash": "0" * 64,
        "title": "Notes", "media_type": "text/markdown", "text": text, "content_hash": "0" * 64, "tier": "tier_fact",
        "language": "en", "author": "Alice", "authored_at": MAY, "turns": [], "ingested_at": JULY, "metadata": "{}",
    }  # fmt: skip
    return row | more


def _chunk(key: str, document: str, position: int, text: str, cut: str) -> dict[str, Any]:
    start = text.index(cut)
    span = {"start": start, "end": start + len(cut)}
    hashes = {"text_hash": f"t{key}", "input_hash": f"i{key}"}
    return {"chunk_id": key, "document_id": document, "position": position, **span, **hashes}


def _fact(
    key: str, place: tuple[str, str, int, str], quote: str, names: list[tuple[str, str]], **more: Any
) -> dict[str, Any]:
    document, chunk, position, text = place
    start = text.index(quote)
    entities = []
    for surface, kind in names:
        found = text.find(surface, start, start + len(quote))
        span = {"start": None, "end": None} if found < 0 else {"start": found, "end": found + len(surface)}
        entities.append({"surface": surface, "kind": kind, **span})
    row = {
        "fact_id": key, "document_id": document, "chunk_id": chunk, "position": position, "title": quote[:10],
        "body": quote, "kind": "world", "tier": "tier_fact", "confidence": "certain", "quote": quote,
        "quote_start": start, "quote_end": start + len(quote), "mentioned_at": MAY, "updated_at": MAY, "tags": [],
        "language": "en", "entities": entities,
    }  # fmt: skip
    return row | more


def _mention(key: str, fact: dict[str, Any], surface: str, kind: str, at: datetime) -> dict[str, Any]:
    span = next(name for name in fact["entities"] if name["surface"] == surface)
    position = fact["quote_start"] if span["start"] is None else span["start"]
    return {
        "mention_id": key, "fact_id": fact["fact_id"], "document_id": fact["document_id"], "position": position,
        "surface": surface, "name_key": surface.lower(), "kind": kind, "at": at, "context": [],
        "span_start": span["start"], "span_end": span["end"],
    }  # fmt: skip


def _resolution(mention: str, fact: str, entity: str, **more: Any) -> dict[str, Any]:
    row = {"mention_id": mention, "fact_id": fact, "entity_id": entity, "method": "exact", "reason": "equal name"}
    return row | more


def _entity(key: str, name: str, kind: str, counts: tuple[int, int], seen: tuple[datetime, datetime]) -> dict[str, Any]:
    return {
        "entity_id": key, "canonical_name": name, "kind": kind, "aliases": [name.upper()], "mention_count": counts[0],
        "fact_count": counts[1], "first_seen": seen[0], "last_seen": seen[1],
    }  # fmt: skip


def _pair(a: str, b: str, facts: int, documents: int) -> dict[str, Any]:
    counts = {"fact_count": facts, "document_count": documents}
    return {"entity_id_a": a, "entity_id_b": b, **counts, "first_at": MAY, "last_at": MAY, "npmi": 0.5}


F1 = _fact("f1", ("d1", "c1", 0, D1), "Alice works at Google.", [("Alice", "person"), ("Google", "organization")])
F2 = _fact(
    "f2", ("d1", "c2", 1, D1), "Alice joined on 2 March 2026.", [("Alice", "person")],
    kind="experience", occurred_start=MARCH, occurred_end=MARCH_END, occurred_precision="day",
)  # fmt: skip
F3 = _fact("f3", ("d1", "c2", 2, D1), "I like tea.", [("Alice", "person")], kind="opinion", superseded_by="f1")
F4 = _fact(
    "f4", ("d2", "c3", 0, D2), "Bob met Alice at Google.",
    [("Bob", "person"), ("Alice", "person"), ("Google", "organization")], tier="tier_wisdom",
)  # fmt: skip

FAILED = {
    "detail": "why", "transient": False, "content_hash": "0", "code_version": "1", "attempts": 1,
    "first_failed_at": MAY, "last_failed_at": JUNE,
}  # fmt: skip
CACHED = {
    "extractor": "local", "model": "m", "prompt_version": "1", "tokens_in": 0, "tokens_out": 0, "cost_usd": 0.0,
}  # fmt: skip

ROWS: dict[str, list[dict[str, Any]]] = {
    "documents": [
        _document("d1", D1, turns=[{"start": 0, "end": 5, "speaker": "Alice", "at": MAY}]),
        _document("d2", D2),
        _document("d3", " \n", author=None, authored_at=None) | {"text": "\u2003x"},
    ],
    "chunks": [
        _chunk("c1", "d1", 0, D1, "Alice works at Google."),
        _chunk("c2", "d1", 1, D1, "Alice joined on 2 March 2026. I like tea."),
        _chunk("c3", "d2", 0, D2, "Bob met Alice at Google."),
        _chunk("c4", "d2", 1, D2, "Garbled 日本 text."),
        _chunk("c5", "d3", 0, "\u2003x", "x"),
    ],
    "facts": [F1, F2, F3, F4],
    "tasks": [
        {
            "task_id": "t1", "fact_id": "f2", "document_id": "d1", "tier": "tier_fact", "entity_ids": ["eA"],
            "description": "welcome Alice", "priority": 10, "status": "done", "at": MAY, "due_at": None,
        }
    ],
    "events": [
        {
            "event_id": "v1", "fact_id": "f2", "document_id": "d1", "tier": "tier_fact", "entity_ids": ["eA"],
            "event_type": "hiring", "summary": "Alice joined", "at": MARCH, "precision": "day",
        },
        {
            "event_id": "v2", "fact_id": "f4", "document_id": "d2", "tier": "tier_wisdom", "entity_ids": [],
            "event_type": "meeting", "summary": "Bob met Alice", "at": MARCH, "precision": "day",
        },
    ],
    "mentions": [
        _mention("m1", F1, "Alice", "person", MAY), _mention("m2", F1, "Google", "organization", MAY),
        _mention("m3", F2, "Alice", "person", MARCH), _mention("m4", F3, "Alice", "person", MAY),
        _mention("m5", F4, "Bob", "person", MAY), _mention("m6", F4, "Alice", "person", MAY),
        _mention("m7", F4, "Google", "organization", MAY),
    ],
    "entities": [
        _entity("eA", "Alice", "person", (4, 4), (MARCH, MAY)),
        _entity("eB", "Bob", "person", (1, 1), (MAY, MAY)),
        _entity("eG", "Google", "organization", (2, 2), (MAY, MAY)),
    ],
    "resolutions": [
        _resolution("m1", "f1", "eA", method="new"), _resolution("m2", "f1", "eG", method="new"),
        _resolution("m3", "f2", "eA"), _resolution("m4", "f3", "eA"),
        _resolution("m5", "f4", "eB", method="new", runner_up="eA", runner_up_total=0.2),
        _resolution("m6", "f4", "eA", method="score", total=1.0, name=1.0, cooccurrence=1.0, temporal=1.0),
        _resolution("m7", "f4", "eG"),
    ],
    "entity_redirects": [{"old_entity_id": "eX", "entity_id": "eA"}],
    "cooccurrences": [_pair("eA", "eB", 1, 1), _pair("eA", "eG", 2, 2), _pair("eB", "eG", 1, 1)],
    "observations": [
        {
            "observation_id": "o1", "entity_id": "eA", "text": "Alice works at Google.",
            "source_fact_ids": ["f4", "f1", "f2"], "input_hash": "h", "generator": "local", "observed_through": MAY,
        },
        {
            "observation_id": "o2", "entity_id": "eB", "text": "Bob met Alice.", "source_fact_ids": ["f4"],
            "input_hash": "h", "generator": "local", "observed_through": MAY,
        },
    ],
    "observation_backlog": [{"entity_id": "eG", "fact_count": 2, "since": MAY}],
    "quarantine": [
        {"item_id": "q1", "stage": "load", "item": "x.pdf", "uri": "x.pdf", "reason": "password", **FAILED},
        {
            "item_id": "q2", "stage": "extract", "item": "c4", "uri": "notes/d2.md", "document_id": "d2",
            "chunk_id": "c4", "reason": "refusal", **FAILED,
        },
    ],
    "overrides": [
        {
            "override_id": "x1", "what": "promote", "which": ["f4"], "value": "tier_wisdom", "who": "a", "when": MAY,
            "why": "w",
        },
        {
            "override_id": "x2", "what": "retract", "which": ["f1"], "who": "a", "when": MAY, "why": "w",
            "undone_by": "x3",
        },
        {"override_id": "x3", "what": "undo", "which": ["x2"], "who": "a", "when": MAY, "why": "w"},
    ],
    "extraction_cache": [
        {"cache_key": "k1", "input_hash": "ic1", "output": '{"facts":[{"quote":"a","title":"t"}]}', **CACHED},
        {"cache_key": "k2", "input_hash": "ic2", "output": '{"facts":[{"quote":"a"},{"quote":"b"}]}', **CACHED},
        {"cache_key": "k3", "input_hash": "ic3", "output": '{"facts":[{"quote":"a"}],"skipped":{"h":1}}', **CACHED},
        {"cache_key": "k5", "input_hash": "ic5", "output": "{}", **CACHED},
    ],
    "evaluation_queries": [{"dataset": "gold", "query_id": "1", "query": "tea", "ids": ["tier_fact"], "options": "{}"}],
    "evaluation_judgements": [
        {"dataset": "gold", "query_id": "1", "uri": "notes/d1.md", "start": 0, "end": 5, "grade": 3}
    ],
    "evaluation_metrics": [
        {
            "evaluation_id": "1", "dataset": "gold", "system": "tierlake", "metric": "nDCG@10", "value": 0.5,
            "low": 0.4, "high": 0.6, "queries": 1,
        }
    ],
    "evaluation_results": [
        {"evaluation_id": "1", "system": "tierlake", "query_id": "1", "metric": "nDCG@10", "value": 0.5}
    ],
}  # fmt: skip


def lake(bank: str = "acme") -> dict[str, pl.DataFrame]:
    """Returns all tables of a small valid lake."""
    return {
        name: pl.DataFrame([{"bank_id": bank, **row} for row in rows], schema=TABLES[name].schema)
        for name, rows in ROWS.items()
    }


def planted(table: str, changes: dict[str, Any], row: int = 0) -> dict[str, pl.DataFrame]:
    """Returns the valid lake with columns of one row changed."""
    rows = [dict(values) for values in ROWS[table]]
    rows[row] |= changes
    frame = pl.DataFrame([{"bank_id": "acme", **values} for values in rows], schema=TABLES[table].schema)
    return lake() | {table: frame}


def broken(table: str, frames: dict[str, pl.DataFrame]) -> set[str]:
    """Returns the names of the rules of a table that are broken."""
    counts = count_violations(table, {name: frames[name] for name in tables_read(table)})
    return set(counts.filter(pl.col("violations") > 0)["rule"])


@pytest.mark.parametrize("table", RULES)
def test_a_valid_lake_breaks_no_rule(table: str) -> None:
    counts = count_violations(table, lake())
    assert counts.filter(pl.col("violations") > 0).rows() == []
    assert counts["rule"].to_list() == [rule.name for rule in RULES[table]]
    assert counts["rule"].n_unique() == counts.height
    assert counts["elements"].min() > 0


# (table, row, changed columns, rules that must fail: these and no others of the table)
FAULTS: list[tuple[str, int, dict[str, Any], set[str]]] = [
    ("documents", 1, {"document_id": "d1"}, {"key_unique"}),
    ("documents", 1, {"uri": "notes/d1.md"}, {"uri_unique"}),
    ("documents", 0, {"text": " \n\t", "turns": []}, {"text_not_blank"}),
    ("documents", 0, {"title": ""}, {"title_not_blank"}),
    ("documents", 0, {"language": "English"}, {"language_is_code"}),
    ("documents", 0, {"metadata": "{not json"}, {"metadata_is_json"}),
    ("documents", 0, {"metadata": "[1]"}, {"metadata_is_json"}),
    ("documents", 0, {"turns": [{"start": 60, "end": 999, "speaker": "A", "at": MAY}]}, {"turns_in_text"}),
    ("documents", 0, {"turns": [{"start": 5, "end": 5, "speaker": "A", "at": MAY}]}, {"turns_in_text"}),
    ("documents", 0, {"turns": [{"start": -1, "end": 5, "speaker": "A", "at": MAY}]}, {"turns_in_text"}),
    ("documents", 0, {"authored_at": datetime(9999, 1, 1, tzinfo=UTC)}, {"not_from_the_future"}),
    ("chunks", 1, {"chunk_id": "c1"}, {"key_unique"}),
    ("chunks", 4, {"document_id": "gone"}, {"document_exists", "documents_covered"}),
    ("chunks", 4, {"start": 1, "end": 1}, {"start_before_end", "documents_covered"}),
    ("chunks", 4, {"start": 2, "end": 1}, {"start_before_end", "documents_covered"}),
    ("chunks", 4, {"end": 9}, {"span_in_text"}),
    ("chunks", 1, {"position": 2}, {"positions_without_gap"}),
    ("chunks", 1, {"position": 0}, {"positions_without_gap"}),
    ("chunks", 1, {"start": 20}, {"no_overlap", "documents_covered"}),
    ("chunks", 1, {"start": 30}, {"documents_covered"}),
    ("facts", 1, {"fact_id": "f1"}, {"key_unique"}),
    ("facts", 1, {"position": 0}, {"position_unique"}),
    ("facts", 0, {"title": " "}, {"title_not_blank"}),
    ("facts", 0, {"body": ""}, {"body_not_blank"}),
    (
        "facts", 0, {"quote": "\n\n", "quote_start": 22, "quote_end": 24, "entities": []},
        {"quote_not_blank", "quote_in_chunk"},
    ),
    ("facts", 0, {"kind": "rumor"}, {"kind_known"}),
    ("facts", 0, {"confidence": "sure"}, {"confidence_known"}),
    ("facts", 1, {"occurred_precision": "decade"}, {"occurred_precision_known"}),
    ("facts", 0, {"document_id": "gone"}, {"document_exists", "chunk_exists"}),
    ("facts", 0, {"chunk_id": "gone"}, {"chunk_exists"}),
    ("facts", 0, {"quote": "Alice works at google."}, {"quote_verifies"}),
    ("facts", 0, {"quote_start": 1, "quote_end": 23}, {"quote_verifies", "quote_in_chunk", "names_in_quote"}),
    ("facts", 0, {"quote_start": -1, "quote_end": 21}, {"quote_verifies", "quote_in_chunk"}),
    ("facts", 0, {"quote_start": 22, "quote_end": 0}, {"quote_verifies", "names_in_quote"}),
    ("facts", 0, {"chunk_id": "c2"}, {"quote_in_chunk"}),
    ("facts", 0, {"entities": [{"surface": "alice", "kind": "person", "start": 0, "end": 5}]}, {"names_verify"}),
    ("facts", 0, {"entities": [{"surface": "Alice", "kind": "person", "start": 0, "end": 6}]}, {"names_verify"}),
    (
        "facts", 0, {"entities": [{"surface": "tea.", "kind": "concept", "start": -4, "end": 0}]},
        {"names_verify", "names_in_quote"},
    ),
    ("facts", 0, {"entities": [{"surface": "Alice", "kind": "person", "start": 0, "end": None}]}, {"name_spans_whole"}),
    ("facts", 0, {"entities": [{"surface": "Alice", "kind": "robot", "start": 0, "end": 5}]}, {"name_kinds_known"}),
    ("facts", 0, {"entities": [{"surface": "Alice", "kind": None, "start": 0, "end": 5}]}, {"name_kinds_known"}),
    ("facts", 0, {"entities": [{"surface": "tea", "kind": "concept", "start": 61, "end": 64}]}, {"names_in_quote"}),
    ("facts", 1, {"occurred_end": MARCH}, {"occurred_in_order"}),
    ("facts", 1, {"occurred_end": None}, {"occurrence_whole"}),
    ("facts", 1, {"occurred_precision": None}, {"occurrence_whole"}),
    ("facts", 0, {"updated_at": JUNE}, {"updated_at_derived"}),
    ("facts", 0, {"updated_at": None}, {"updated_at_derived"}),
    ("facts", 0, {"tier": "tier_wisdom"}, {"tier_from_source"}),
    ("facts", 0, {"superseded_by": "gone"}, {"newer_fact_exists"}),
    ("facts", 0, {"superseded_by": "f1"}, {"not_own_successor"}),
    ("tasks", 0, {"fact_id": "gone"}, {"fact_exists", "entities_of_fact"}),
    ("tasks", 0, {"document_id": "d2"}, {"fact_exists"}),
    ("tasks", 0, {"tier": "tier_wisdom"}, {"tier_of_fact"}),
    ("tasks", 0, {"description": "\u3000"}, {"description_not_blank"}),
    ("tasks", 0, {"priority": 11}, {"priority_in_range"}),
    ("tasks", 0, {"priority": -1}, {"priority_in_range"}),
    ("tasks", 0, {"status": "open"}, {"status_known"}),
    ("tasks", 0, {"entity_ids": ["eA", "eG"]}, {"entities_of_fact"}),
    ("events", 1, {"event_id": "v1"}, {"key_unique"}),
    ("events", 0, {"document_id": "d2"}, {"fact_exists"}),
    ("events", 0, {"tier": "tier_wisdom"}, {"tier_of_fact"}),
    ("events", 0, {"event_type": ""}, {"event_type_not_blank"}),
    ("events", 0, {"summary": ""}, {"summary_not_blank"}),
    ("events", 0, {"precision": "eon"}, {"precision_known"}),
    ("events", 1, {"entity_ids": ["eX"]}, {"entities_of_fact"}),
    ("mentions", 1, {"mention_id": "m1"}, {"key_unique"}),
    ("mentions", 1, {"name_key": "alice"}, {"name_once_in_fact"}),
    ("mentions", 0, {"name_key": ""}, {"name_key_not_blank"}),
    ("mentions", 0, {"kind": "robot"}, {"kind_known"}),
    ("mentions", 0, {"fact_id": "gone"}, {"fact_exists"}),
    ("mentions", 0, {"document_id": "d2", "span_start": 8, "span_end": 13, "position": 8}, {"fact_exists"}),
    ("mentions", 0, {"span_end": None}, {"span_whole"}),
    ("mentions", 0, {"surface": "Alicia"}, {"span_verifies"}),
    ("mentions", 0, {"span_start": 1, "span_end": 6}, {"span_verifies", "position_at_span"}),
    ("mentions", 0, {"position": 3}, {"position_at_span"}),
    ("mentions", 2, {"at": MAY}, {"at_from_fact"}),
    ("mentions", 2, {"at": None}, {"at_from_fact"}),
    ("entities", 1, {"entity_id": "eA", "mention_count": 4, "fact_count": 4, "first_seen": MARCH}, {"key_unique"}),
    ("entities", 0, {"canonical_name": " "}, {"canonical_name_not_blank"}),
    ("entities", 0, {"kind": "robot"}, {"kind_known"}),
    ("entities", 0, {"mention_count": 0}, {"mentioned", "mention_count_conserved"}),
    ("entities", 0, {"mention_count": 5}, {"mention_count_conserved"}),
    ("entities", 0, {"fact_count": 3}, {"fact_count_conserved"}),
    ("entities", 0, {"first_seen": MAY}, {"first_seen_conserved"}),
    ("entities", 0, {"last_seen": JUNE}, {"last_seen_conserved"}),
    ("entities", 0, {"aliases": ["Ally", "Alice"]}, {"aliases_are_others"}),
    ("resolutions", 1, {"mention_id": "m1"}, {"key_unique", "mentions_resolved"}),
    ("resolutions", 0, {"mention_id": "gone"}, {"mention_exists", "mentions_resolved"}),
    ("resolutions", 0, {"fact_id": "f2"}, {"mention_exists"}),
    ("resolutions", 0, {"entity_id": "eX"}, {"entity_exists"}),
    ("resolutions", 0, {"method": "guess"}, {"method_known"}),
    ("resolutions", 0, {"reason": ""}, {"reason_not_blank"}),
    ("resolutions", 5, {"total": 1.1}, {"total_in_range"}),
    ("resolutions", 5, {"name": -0.1}, {"name_in_range"}),
    ("resolutions", 5, {"cooccurrence": float("nan")}, {"cooccurrence_in_range"}),
    ("resolutions", 5, {"temporal": float("inf")}, {"temporal_in_range"}),
    ("resolutions", 4, {"runner_up_total": 2.0}, {"runner_up_total_in_range"}),
    ("resolutions", 5, {"name": None}, {"parts_beside_total"}),
    ("resolutions", 4, {"runner_up": "eB"}, {"runner_up_is_other"}),
    ("entity_redirects", 0, {"entity_id": "eX"}, {"target_lives"}),
    ("entity_redirects", 0, {"old_entity_id": "eB"}, {"old_id_gone"}),
    ("cooccurrences", 0, {"entity_id_a": "eB", "entity_id_b": "eA"}, {"a_before_b"}),
    ("cooccurrences", 0, {"entity_id_a": "aa"}, {"entity_id_a_exists", "pairs_conserved"}),
    ("cooccurrences", 0, {"entity_id_b": "eX"}, {"entity_id_b_exists", "pairs_conserved"}),
    ("cooccurrences", 1, {"entity_id_b": "eB"}, {"key_unique", "entity_id_b_has_the_facts", "pairs_conserved"}),
    ("cooccurrences", 0, {"document_count": 0}, {"seen"}),
    ("cooccurrences", 0, {"document_count": 2}, {"documents_within_facts"}),
    ("cooccurrences", 1, {"fact_count": 3}, {"entity_id_b_has_the_facts", "pairs_conserved"}),
    ("cooccurrences", 2, {"fact_count": 2}, {"entity_id_a_has_the_facts", "pairs_conserved"}),
    ("cooccurrences", 0, {"first_at": JUNE}, {"first_before_last"}),
    ("cooccurrences", 0, {"npmi": -1.5}, {"npmi_in_range"}),
    ("observations", 1, {"observation_id": "o1"}, {"key_unique"}),
    ("observations", 1, {"entity_id": "eA"}, {"one_per_entity"}),
    ("observations", 1, {"entity_id": "eX"}, {"entity_exists", "sources_of_entity"}),
    ("observations", 0, {"text": "\n"}, {"text_not_blank"}),
    ("observations", 0, {"source_fact_ids": []}, {"sources_given"}),
    ("observations", 1, {"source_fact_ids": ["f4", "f4"]}, {"sources_distinct"}),
    ("observations", 0, {"source_fact_ids": ["f1", "gone"]}, {"sources_exist", "sources_of_entity"}),
    ("observations", 1, {"source_fact_ids": ["f1"]}, {"sources_of_entity"}),
    ("observations", 0, {"source_fact_ids": ["f1", "f3"]}, {"objective"}),
    ("observations", 0, {"observed_through": JUNE}, {"observed_through_derived"}),
    ("observations", 0, {"observed_through": None}, {"observed_through_derived"}),
    ("observation_backlog", 0, {"entity_id": "eX"}, {"entity_exists"}),
    ("observation_backlog", 0, {"fact_count": 0}, {"qualified"}),
    ("observation_backlog", 0, {"fact_count": 3}, {"facts_of_entity"}),
    ("quarantine", 1, {"item_id": "q1"}, {"key_unique"}),
    ("quarantine", 0, {"stage": "dream"}, {"stage_known"}),
    ("quarantine", 0, {"reason": ""}, {"reason_not_blank"}),
    ("quarantine", 0, {"attempts": 0}, {"attempts_counted"}),
    ("quarantine", 0, {"first_failed_at": JULY}, {"first_before_last"}),
    ("quarantine", 1, {"document_id": "gone"}, {"document_exists"}),
    ("quarantine", 1, {"chunk_id": "gone"}, {"chunk_exists", "chunks_accounted"}),
    ("overrides", 1, {"override_id": "x1"}, {"key_unique"}),
    ("overrides", 0, {"what": "wish"}, {"what_known"}),
    ("overrides", 0, {"which": []}, {"which_not_empty"}),
    ("overrides", 0, {"value": None}, {"value_given"}),
    ("overrides", 1, {"undone_by": "gone"}, {"undo_exists"}),
    ("evaluation_queries", 0, {"query": " "}, {"query_not_blank"}),
    ("evaluation_judgements", 0, {"query_id": "2"}, {"query_exists"}),
    ("evaluation_judgements", 0, {"dataset": "other"}, {"query_exists"}),
    ("evaluation_judgements", 0, {"uri": "gone"}, {"document_exists"}),
    ("evaluation_judgements", 0, {"end": 0}, {"start_before_end"}),
    ("evaluation_judgements", 0, {"start": -1}, {"start_in_text"}),
    ("evaluation_judgements", 0, {"grade": 4}, {"grade_in_range"}),
    ("evaluation_metrics", 0, {"value": 1.5, "high": 1.6}, {"value_in_range"}),
    ("evaluation_metrics", 0, {"low": 0.55}, {"low_below_value"}),
    ("evaluation_metrics", 0, {"high": 0.45}, {"value_below_high"}),
    ("evaluation_metrics", 0, {"queries": 0}, {"measured"}),
    ("evaluation_results", 0, {"value": float("nan")}, {"value_in_range"}),
    ("evaluation_results", 0, {"metric": "MRR@10"}, {"metric_exists"}),
]  # fmt: skip


@pytest.mark.parametrize(("table", "row", "changes", "rules"), FAULTS)
def test_a_fault_breaks_its_rules_and_no_other(table: str, row: int, changes: dict[str, Any], rules: set[str]) -> None:
    assert broken(table, planted(table, changes, row)) == rules


# Nulls that also break a rule which reads the same column.
NULLS_BREAK_MORE = {
    "chunks.document_id": {"documents_covered", "positions_without_gap"},
    "chunks.start": {"documents_covered"},
    "chunks.end": {"documents_covered"},
    # f3 is superseded by the fact that lost its id.
    "facts.fact_id": {"newer_fact_exists"},
    "entities.entity_id": {f"{c}_conserved" for c in ("mention_count", "fact_count", "first_seen", "last_seen")},
    "resolutions.mention_id": {"mentions_resolved"},
    "cooccurrences.entity_id_a": {"pairs_conserved"},
    "cooccurrences.entity_id_b": {"pairs_conserved"},
    "cooccurrences.fact_count": {"pairs_conserved"},
}
REQUIRED = [
    (table, rule.name.removesuffix("_not_null"))
    for table, rules in RULES.items()
    for rule in rules
    if rule.name.endswith("_not_null") and rule.name != "bank_id_not_null"
]


@pytest.mark.parametrize(("table", "column"), REQUIRED)
def test_a_null_breaks_its_rule(table: str, column: str) -> None:
    expected = {f"{column}_not_null"} | NULLS_BREAK_MORE.get(f"{table}.{column}", set())
    assert broken(table, planted(table, {column: None})) == expected


@pytest.mark.parametrize("table", RULES)
def test_a_row_of_no_bank_and_a_row_twice_are_seen(table: str) -> None:
    frames = lake()
    first = frames[table].head(1)
    nobody = frames | {table: pl.concat([frames[table], first.with_columns(pl.lit(None, pl.String).alias("bank_id"))])}
    assert "bank_id_not_null" in broken(table, nobody)
    assert "key_unique" in broken(table, frames | {table: pl.concat([frames[table], first])})


def _without(table: str, column: str, value: str) -> dict[str, pl.DataFrame]:
    frames = lake()
    return frames | {table: frames[table].filter(pl.col(column).ne_missing(value))}


def _in_force(what: str, **more: Any) -> dict[str, pl.DataFrame]:
    return planted("overrides", {"what": what, "undone_by": None, **more})


# A fault in one table, and what it breaks in all tables.
ELSEWHERE: list[tuple[dict[str, pl.DataFrame], set[str]]] = [
    (_in_force("retract", which=["f1"], value=None), {"facts.retracted_gone", "facts.tier_from_source"}),
    (
        _without("extraction_cache", "input_hash", "ic5"),
        {"quarantine.chunks_accounted"},
    ),
    (
        _without("facts", "fact_id", "f3"),
        {"quarantine.facts_accounted", "mentions.fact_exists"},
    ),
    (
        _without("quarantine", "chunk_id", "c4"),
        {"quarantine.chunks_accounted"},
    ),
    (
        _without("chunks", "chunk_id", "c3"),
        {"chunks.documents_covered", "chunks.positions_without_gap", "facts.chunk_exists"},
    ),
    (
        _without("resolutions", "mention_id", "m7"),
        {
            "resolutions.mentions_resolved", "entities.mention_count_conserved", "entities.fact_count_conserved",
            "cooccurrences.pairs_conserved",
        },
    ),
    (
        _without("entities", "entity_id", "eB"),
        {
            "resolutions.entity_exists", "cooccurrences.entity_id_a_exists", "cooccurrences.entity_id_b_exists",
            "observations.entity_exists",
        },
    ),
    (
        _without("cooccurrences", "entity_id_b", "eB"),
        {"cooccurrences.pairs_conserved"},
    ),
    (
        _without("evaluation_metrics", "metric", "nDCG@10"),
        {"evaluation_results.metric_exists"},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("frames", "rules"), ELSEWHERE)
def test_a_fault_is_seen_in_every_table_that_it_harms(frames: dict[str, pl.DataFrame], rules: set[str]) -> None:
    assert {f"{table}.{rule}" for table in RULES for rule in broken(table, frames)} == rules


def test_every_rule_has_a_fault_that_breaks_it() -> None:
    shown = {f"{table}.{rule}" for table, _, _, rules in FAULTS for rule in rules}
    shown |= {rule for _, rules in ELSEWHERE for rule in rules}
    shown |= {f"{table}.{column}_not_null" for table, column in REQUIRED}
    shown |= {f"{table}.{rule}" for table in RULES for rule in ("bank_id_not_null", "key_unique")}
    assert shown == {f"{table}.{rule.name}" for table, rules in RULES.items() for rule in rules}


def test_where_facts_are_retracted_or_extracted_twice_nothing_is_said_to_be_lost() -> None:
    lost = _without("facts", "fact_id", "f3")
    retracted = lost | {"overrides": _in_force("retract", which=["f3"], value=None)["overrides"]}
    again = lost["extraction_cache"].with_columns(pl.lit("other").alias("model"), pl.lit("k9").alias("cache_key"))
    assert broken("quarantine", retracted) == set()
    assert broken("quarantine", lost | {"extraction_cache": pl.concat([lost["extraction_cache"], again])}) == set()


def test_counts_say_how_many_of_how_many_and_which() -> None:
    frames = lake()
    frames["mentions"] = frames["mentions"].with_columns(pl.lit("gone").alias("fact_id"))
    counts = count_violations("mentions", {name: frames[name] for name in tables_read("mentions")})
    assert counts.filter(pl.col("rule") == "fact_exists").rows() == [
        (
            "fact_exists",
            "critical",
            "fact_id is a row of facts, of the same document",
            7,
            7,
            ["m1", "m2", "m3", "m4", "m5"],
        )
    ]
    assert counts["sample_ids"].list.len().max() == MAX_SAMPLES


@given(seed=st.integers(0, 2**32), fault=st.sampled_from(FAULTS))
@settings(max_examples=25, deadline=None)
def test_neither_the_order_of_rows_nor_another_bank_changes_a_count(
    seed: int, fault: tuple[str, int, dict[str, Any], set[str]]
) -> None:
    table, row, changes, _ = fault
    frames, other = planted(table, changes, row), lake("other")
    # Text of a document with the same ids in another bank must not be looked at.
    other["documents"] = other["documents"].with_columns(pl.col("text").str.to_uppercase())
    shuffled = {name: frame.sample(fraction=1, shuffle=True, seed=seed % 1000) for name, frame in frames.items()}
    read = tables_read(table)
    expected = count_violations(table, {name: frames[name] for name in read})
    assert_frame_equal(count_violations(table, {name: shuffled[name] for name in read}), expected)
    both = {name: pl.concat([frames[name], other[name]]) for name in read}
    keys = {row["rule"]: row for row in count_violations(table, both).iter_rows(named=True)}
    alone = {
        row["rule"]: row for row in count_violations(table, {name: other[name] for name in read}).iter_rows(named=True)
    }
    for rule in expected.iter_rows(named=True):
        assert keys[rule["rule"]]["violations"] == rule["violations"] + alone[rule["rule"]]["violations"]


def test_white_space_is_what_python_strips() -> None:
    characters = [chr(code) for code in range(0x3100)]
    spaces = pl.Series(characters).str.replace_all(WHITE_SPACE, "") == ""
    assert [character for character in characters if character.isspace()] == pl.Series(characters).filter(
        spaces
    ).to_list()


def test_a_frame_that_is_not_as_declared_is_refused() -> None:
    frames = lake()
    frames["chunks"] = frames["chunks"].drop("end").with_columns(pl.col("start").cast(pl.Int32))
    with pytest.raises(SchemaMismatchError, match=r"start is Int32, not Int64; column end is missing, not Int64"):
        count_violations("chunks", frames)


def test_empty_tables_break_nothing() -> None:
    empty = {name: table.empty() for name, table in TABLES.items()}
    assert {table: broken(table, empty) for table in RULES} == {table: set() for table in RULES}

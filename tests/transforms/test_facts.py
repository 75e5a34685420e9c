"""Extractor output into facts: quotes verified, ids that stay, dates of their own document, decisions applied."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl

from transforms.chunking import chunk_documents
from transforms.facts import build_facts, link_entities
from transforms.payload import EntityMention, ExtractedEvent, ExtractedFact, ExtractedTask, Extraction
from transforms.schemas import DOCUMENTS, OVERRIDES, RESOLUTIONS, TASKS

MARCH = datetime(2026, 3, 2, 9, tzinfo=UTC)
TEXT = "Alice works at Google.\n\nShe moved yesterday. TODO: call Bob by Friday."


def documents(*rows: dict[str, object]) -> pl.DataFrame:
    blank: dict[str, object] = {name: "" for name, dtype in DOCUMENTS.schema.items() if dtype == pl.String}
    blank |= {"bank_id": "acme", "tier": "tier_fact", "language": "en", "author": None, "turns": [], "metadata": "{}"}
    return pl.DataFrame(
        [blank | {"authored_at": MARCH, "ingested_at": MARCH} | row for row in rows], schema=DOCUMENTS.schema
    )


def fact(quote: str, **more: object) -> ExtractedFact:
    return ExtractedFact.model_validate({"title": quote, "body": quote, "quote": quote, **more})


def build(docs: pl.DataFrame, extraction: Extraction, overrides: pl.DataFrame | None = None):
    chunks = chunk_documents(docs)
    extractions = dict.fromkeys(chunks["input_hash"].to_list(), extraction)
    return build_facts(docs, chunks, extractions, OVERRIDES.empty() if overrides is None else overrides)


def test_quotes_are_verified_and_what_does_not_stand_is_rejected():
    extraction = Extraction(
        facts=(
            fact("She moved yesterday.", entities=(EntityMention(surface="Alice", kind="person"),)),
            fact("Alice works at Google.", start=0, entities=(EntityMention(surface="Google", kind="organization"),)),
            fact("Alice owns Google."),
            fact("Alice works at Google.", entities=(EntityMention(surface="Mallory", kind="person"),)),
        )
    )
    built = build(documents({"document_id": "d", "uri": "u", "text": TEXT}), extraction)
    assert [
        TEXT[start:end] for start, end in built.facts.sort("position").select("quote_start", "quote_end").iter_rows()
    ] == [
        "Alice works at Google.",
        "She moved yesterday.",
    ]
    assert sorted(built.rejected["reason"]) == ["entity_not_found", "quote_not_found"]
    assert built.facts.sort("position")["entities"].to_list() == [
        [{"surface": "Google", "kind": "organization", "start": 15, "end": 21}],
        [{"surface": "Alice", "kind": "person", "start": None, "end": None}],
    ]


def test_the_same_words_in_two_documents_get_each_its_own_date():
    may = datetime(2026, 5, 10, 12, tzinfo=UTC)
    docs = documents(
        {"document_id": "a", "text": TEXT}, {"document_id": "b", "text": TEXT, "authored_at": may},
        {"document_id": "c", "text": TEXT, "authored_at": None},
    )  # fmt: skip
    built = build(docs, Extraction(facts=(fact("She moved yesterday.", when="yesterday"),)))
    days = dict(built.facts.select("document_id", "occurred_start").iter_rows())
    assert days == {"a": datetime(2026, 3, 1, tzinfo=UTC), "b": datetime(2026, 5, 9, tzinfo=UTC), "c": None}
    updated = dict(built.facts.select("document_id", "updated_at").iter_rows())
    assert updated == {"a": MARCH, "b": may, "c": None}


def test_ids_below_an_insertion_stay():
    # The maximum is far, so that the paragraph on top makes a chunk of its own or joins the first.
    def ids(text: str) -> set[str]:
        chunks = chunk_documents(documents({"document_id": "d", "text": text}))
        return set(chunks["chunk_id"])

    text = "\n\n".join(f"Paragraph {n} says something about topic {n}." * 4 for n in range(40))
    before, after = ids(text), ids("A new first paragraph.\n\n" + text)
    assert len(before) > 3
    assert len(before - after) <= 1


def test_a_message_gives_its_time_and_speaker():
    turns = [
        {"start": 0, "end": 22, "speaker": "Ann", "at": MARCH},
        {"start": 24, "end": 70, "speaker": "Bo", "at": None},
    ]
    docs = documents(
        {"document_id": "d", "text": TEXT, "turns": turns, "authored_at": datetime(2026, 1, 1, tzinfo=UTC)}
    )
    built = build(docs, Extraction(facts=(fact("Alice works at Google."), fact("She moved yesterday."))))
    rows = built.facts.sort("position").select("speaker", "mentioned_at").rows()
    assert rows == [("Ann", MARCH), ("Bo", datetime(2026, 1, 1, tzinfo=UTC))]


def test_tasks_and_events_follow_their_fact():
    extraction = Extraction(
        facts=(fact("She moved yesterday.", when="yesterday"), fact("TODO: call Bob by Friday."), fact("not there")),
        tasks=(
            ExtractedTask(fact=1, description="call Bob", priority=7, due="Friday"),
            ExtractedTask(fact=2, description="lost with its fact"),
        ),
        events=(
            ExtractedEvent(fact=0, event_type="move", summary="She moved"),
            ExtractedEvent(fact=1, event_type="event", summary="has no date"),
        ),
    )
    built = build(documents({"document_id": "d", "text": TEXT}), extraction)
    task = built.tasks.row(0, named=True)
    assert (task["description"], task["priority"], task["status"], task["due_at"]) == (
        "call Bob", 7, "pending", datetime(2026, 3, 6, tzinfo=UTC),
    )  # fmt: skip
    assert built.tasks.height == 1
    assert built.events.select("event_type", "at", "precision").rows() == [
        ("move", datetime(2026, 3, 1, tzinfo=UTC), "day")
    ]
    resolution = dict.fromkeys(RESOLUTIONS.schema) | {
        "bank_id": "acme", "mention_id": "m", "fact_id": task["fact_id"], "entity_id": "e",
    }  # fmt: skip
    linked = link_entities(built.tasks, pl.DataFrame([resolution], schema=RESOLUTIONS.schema), TASKS)
    assert linked["entity_ids"].to_list() == [["e"]]


def decision(
    what: str, which: str, day: int, value: str | None = None, undone_by: str | None = None
) -> dict[str, object]:
    return {
        "bank_id": "acme", "override_id": f"{what}{day}", "what": what, "which": [which], "value": value, "who": "ann",
        "when": datetime(2026, 3, day, tzinfo=UTC), "why": "reviewed", "undone_by": undone_by,
    }  # fmt: skip


def test_decisions_about_facts():
    docs = documents({"document_id": "d", "text": TEXT})
    extraction = Extraction(facts=(fact("Alice works at Google."), fact("She moved yesterday.")))
    first, second = build(docs, extraction).facts.sort("position")["fact_id"].to_list()
    rows = [decision("promote", first, 1, "tier_wisdom"), decision("retract", second, 2)]
    changed = build(docs, extraction, pl.DataFrame(rows, schema=OVERRIDES.schema)).facts
    assert changed.select("fact_id", "tier").rows() == [(first, "tier_wisdom")]
    rows[1]["undone_by"] = "undo3"
    assert build(docs, extraction, pl.DataFrame(rows, schema=OVERRIDES.schema)).facts.height == 2


def test_an_older_value_is_marked_by_the_next_one():
    text = "Alice works at Google. Alice works at Initech. Bob works at Google."

    def said(quote: str, subject: str, value: str, when: str) -> ExtractedFact:
        return fact(quote, subject=subject, predicate="work at", value=value, when=when)

    extraction = Extraction(
        facts=(
            said("Alice works at Google.", "Alice", "Google", "2026-01-05"),
            said("Alice works at Initech.", "ALICE", "Initech", "2026-02-05"),
            said("Bob works at Google.", "Bob", "Google", "2026-01-07"),
        )
    )
    facts = build(documents({"document_id": "d", "text": text}), extraction).facts.sort("position")
    newer = facts["fact_id"][1]
    assert facts["superseded_by"].to_list() == [newer, None, None]

"""The labels of the sample hold what its documents say, where they say it."""

import importlib.util
import json
import tomllib
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).resolve().parents[2]
GOLD = PROJECT / "data" / "gold"
READ_OPTIONS = {"max_results", "tier_weights", "tier_floors", "include_zero_weight_entities", "include_entities"}
TIERS = {"tier_wisdom", "tier_fact", "tier_working"}


def _anchor() -> Any:
    spec = importlib.util.spec_from_file_location("gold_anchor", GOLD / "anchor.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


anchor = _anchor()
MENTIONS = anchor.read_rows("mentions.jsonl")
QUERIES = anchor.read_rows("queries.jsonl")
JUDGEMENTS = anchor.read_rows("judgements.jsonl")
NAMES = tomllib.loads((GOLD / "names.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def texts() -> Any:
    return anchor.load_texts()


def test_every_mention_stands_where_it_is_labeled(texts):
    wrong = [m for m in MENTIONS if texts[m["bank"]][m["uri"]][m["start"] : m["end"]] != m["surface"]]
    assert wrong == []


def test_every_name_in_the_documents_is_labeled(texts):
    found, unread = anchor.find_mentions(NAMES, texts)
    assert unread == []
    assert found == MENTIONS


def test_every_spelling_occurs():
    seen = {(m["bank"], m["entity"], m["surface"]) for m in MENTIONS}
    listed = {
        (bank, entity, surface)
        for bank, kinds in NAMES["entities"].items()
        for entities in kinds.values()
        for entity, others in entities.items()
        for surface in (entity, *others)
    }
    assert listed - seen == set()


def test_no_mention_overlaps_another():
    by_document = defaultdict(list)
    for mention in MENTIONS:
        by_document[mention["uri"]].append((mention["start"], mention["end"]))
    for spans in by_document.values():
        spans.sort()
        assert all(end <= start for (_, end), (start, _) in pairwise(spans))


def test_every_quote_stands_where_it_is_labeled(texts):
    bank = {query["query_id"]: query["bank"] for query in QUERIES}
    wrong = [j for j in JUDGEMENTS if texts[bank[j["query_id"]]][j["uri"]][j["start"] : j["end"]] != j["quote"]]
    assert wrong == []


def test_quotes_are_found_again_after_the_text_moved(texts):
    moved = {bank: {uri: f"Added above.\n\n{text}" for uri, text in rows.items()} for bank, rows in texts.items()}
    placed, gone = anchor.place_quotes(JUDGEMENTS, moved)
    shift = len("Added above.\n\n")
    assert gone == []
    assert [row["start"] for row in placed] == [row["start"] + shift for row in JUDGEMENTS]


def test_a_quote_that_is_gone_is_named(texts):
    row = {"query_id": "x", "uri": JUDGEMENTS[0]["uri"], "grade": 3, "quote": "Nobody ever wrote this."}
    placed, gone = anchor.place_quotes([row], texts)
    assert placed == []
    assert gone == [f"x: {row['uri']} does not hold 'Nobody ever wrote this.'"]


def test_enough_entities_in_both_banks():
    entities = {(m["bank"], m["entity"]) for m in MENTIONS}
    assert len(entities) >= 40
    assert {bank for bank, _ in entities} == {"acme", "lindenfield"}


def test_a_name_shared_by_banks_is_two_entities():
    banks = {m["bank"] for m in MENTIONS if m["surface"] == "Marcus Okafor"}
    assert banks == {"acme", "lindenfield"}


def test_first_names_shared_in_a_bank_are_two_people():
    people = {m["entity"] for m in MENTIONS if m["bank"] == "acme" and m["surface"] == "Alex"}
    assert people == {"Alex Rivera", "Alex Kim"}


def test_enough_queries_each_with_an_answer():
    assert len(QUERIES) >= 60
    ids = [query["query_id"] for query in QUERIES]
    assert len(set(ids)) == len(ids)
    best: dict[str, int] = defaultdict(int)
    for row in JUDGEMENTS:
        best[row["query_id"]] = max(best[row["query_id"]], row["grade"])
    assert set(best) == set(ids)
    assert {query for query, grade in best.items() if grade < 2} == set()


def test_queries_use_options_that_read_knows():
    for query in QUERIES:
        assert set(query["options"]) <= READ_OPTIONS
        assert set(query["ids"]) <= TIERS
        assert query["query"].strip()


def test_grades_are_0_to_3_and_spans_are_graded_once():
    assert {row["grade"] for row in JUDGEMENTS} == {0, 1, 2, 3}
    spans = [(row["query_id"], row["uri"], row["start"], row["end"]) for row in JUDGEMENTS]
    assert len(set(spans)) == len(spans)


def test_overrides_are_decisions_about_names_of_the_sample():
    rows = [json.loads(line) for line in (PROJECT / "data/overrides/acme.jsonl").read_text("utf-8").splitlines()]
    surfaces = {m["surface"] for m in MENTIONS if m["bank"] == "acme"}
    assert len(rows) >= 2
    assert {name for row in rows for name in row["which"]} <= surfaces

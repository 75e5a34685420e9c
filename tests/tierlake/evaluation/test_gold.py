"""Gold sets: what is read, and every fault named at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tierlake.errors import UnknownNameError
from tierlake.evaluation.gold import GoldError, keep_verified, load_gold
from transforms.schemas import EVALUATION_JUDGEMENTS, EVALUATION_QUERIES

QUERIES = [
    {"query_id": "q2", "bank": "acme", "query": "tea", "ids": ["tier_fact"], "options": {"max_results": 5}},
    {"query_id": "q1", "bank": "acme", "query": "who leads", "ids": ["tier_wisdom", "tier_fact"], "options": {}},
    {"query_id": "q3", "bank": "other", "query": "tea", "ids": ["tier_fact"]},
]
JUDGEMENTS = [
    {"query_id": "q2", "uri": "b.md", "start": 4, "end": 7, "grade": 3, "quote": "tea"},
    {"query_id": "q1", "uri": "a.md", "start": 0, "end": 4, "grade": 1, "quote": "Anna"},
    {"query_id": "q1", "uri": "a.md", "start": 0, "end": 10, "grade": 0},
    {"query_id": "q3", "uri": "c.md", "start": 0, "end": 1, "grade": 2},
]


def _write(folder: Path, queries: list[Any], judgements: list[Any]) -> Path:
    for name, rows in (("queries", queries), ("judgements", judgements)):
        lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_a_bank_gets_its_queries_and_judgements(tmp_path: Path) -> None:
    gold = load_gold(_write(tmp_path, QUERIES, JUDGEMENTS), "acme", dataset="sample")
    assert gold.queries.schema == EVALUATION_QUERIES.schema
    assert gold.queries.rows() == [
        ("acme", "sample", "q1", "who leads", ["tier_wisdom", "tier_fact"], "{}"),
        ("acme", "sample", "q2", "tea", ["tier_fact"], '{"max_results":5}'),
    ]
    assert gold.judgement_rows().schema == EVALUATION_JUDGEMENTS.schema
    assert gold.judgement_rows().rows() == [
        ("acme", "sample", "q1", "a.md", 0, 4, 1),
        ("acme", "sample", "q1", "a.md", 0, 10, 0),
        ("acme", "sample", "q2", "b.md", 4, 7, 3),
    ]


def test_the_name_is_the_folders(tmp_path: Path) -> None:
    assert load_gold(_write(tmp_path, QUERIES, JUDGEMENTS), "other").dataset == tmp_path.name


def test_a_bank_without_queries_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"no bank in the gold set 'acne'\. Did you mean acme"):
        load_gold(_write(tmp_path, QUERIES, JUDGEMENTS), "acne")


def test_lines_in_any_order_are_one_gold_set(tmp_path: Path) -> None:
    first = load_gold(_write(tmp_path, QUERIES, JUDGEMENTS), "acme").fingerprint()
    assert load_gold(_write(tmp_path, QUERIES[::-1], JUDGEMENTS[::-1]), "acme").fingerprint() == first
    changed = [*JUDGEMENTS[:-2], {**JUDGEMENTS[2], "grade": 2}, JUDGEMENTS[3]]
    assert load_gold(_write(tmp_path, QUERIES, changed), "acme").fingerprint() != first


FAULTS: list[tuple[list[Any], list[Any], list[str]]] = [
    (["{not json"], [], ["queries.jsonl, line 1: not JSON"]),
    (["[1]"], [], ["queries.jsonl, line 1: row: Input should be"]),
    ([{**QUERIES[0], "query": "  "}], [], ["line 1: query: String should match"]),
    ([{**QUERIES[0], "ids": []}], [], ["line 1: ids: List should have at least 1 item"]),
    ([{**QUERIES[0], "colour": 1}], [], ["line 1: colour: Extra inputs are not permitted"]),
    ([{**QUERIES[0], "options": {"tier_weight": {}}}], [], ["options.tier_weight: Extra inputs are not permitted"]),
    ([QUERIES[0], "", QUERIES[0]], [], ["query_id 'q2' stands 2 times"]),
    (QUERIES, [{**JUDGEMENTS[0], "query_id": "q9"}], ["judgements.jsonl: query_id 'q9' is not in queries.jsonl"]),
    (QUERIES, [{**JUDGEMENTS[0], "grade": 4}], ["line 1: grade: Input should be less than or equal to 3"]),
    (QUERIES, [{**JUDGEMENTS[0], "grade": True}], ["line 1: grade: Input should be a valid integer"]),
    (QUERIES, [{**JUDGEMENTS[0], "end": 4}], ["end 4 is not after start 4"]),
    (QUERIES, [{**JUDGEMENTS[0], "start": -1}], ["start: Input should be greater than or equal to 0"]),
    (QUERIES, [{**JUDGEMENTS[0], "quote": "te"}], ["the quote has 2 characters, its span 3"]),
    (QUERIES, [JUDGEMENTS[0], {**JUDGEMENTS[0], "grade": 1}], ["query 'q2' has 2 grades for b.md, 4 to 7"]),
    (
        ["{", {**QUERIES[1], "query": 3}],
        ["}", {**JUDGEMENTS[0], "uri": None}],
        ["queries.jsonl, line 1", "queries.jsonl, line 2", "judgements.jsonl, line 1", "judgements.jsonl, line 2"],
    ),
]


@pytest.mark.parametrize(("queries", "judgements", "messages"), FAULTS)
def test_every_fault_is_named(tmp_path: Path, queries: list[Any], judgements: list[Any], messages: list[str]) -> None:
    with pytest.raises(GoldError) as caught:
        load_gold(_write(tmp_path, queries, judgements), "acme")
    assert len(caught.value.faults) == len(messages)
    for fault, message in zip(caught.value.faults, messages, strict=True):
        assert message in fault
        assert fault in str(caught.value)


def test_missing_and_unreadable_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(GoldError, match="2 fault") as caught:
        load_gold(tmp_path, "acme")
    assert [fault.split(":")[0] for fault in caught.value.faults] == ["queries.jsonl", "judgements.jsonl"]


def test_judgements_whose_documents_moved_are_left_out_and_counted(tmp_path: Path) -> None:
    gold = load_gold(_write(tmp_path, QUERIES, JUDGEMENTS), "acme")
    texts = pl.DataFrame({"uri": ["a.md", "b.md"], "text": ["Anna leads.", "No tea."]})
    # "tea" stands at 3 now, not at 4; the span without a quote fits into its document.
    kept = keep_verified(gold, texts)
    assert kept.moved == 1
    assert kept.judgements.select("query_id", "start", "end").rows() == [("q1", 0, 4), ("q1", 0, 10)]
    # A document that is gone, and one too short for the span without a quote.
    assert keep_verified(gold, pl.DataFrame({"uri": ["a.md"], "text": ["Anna"]})).moved == 2
    right = pl.DataFrame({"uri": ["b.md", "a.md"], "text": ["Our tea", "Anna leads"]})
    assert keep_verified(gold, right).judgements.equals(gold.judgements)

"""Mentions of facts: one a name and fact, concepts only where frequent, one kind a document."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.ids import stable_id
from transforms.mentions import build_mentions, count_nameless
from transforms.schemas import FACTS, MENTIONS

SAID = datetime(2025, 5, 1, tzinfo=UTC)
HAPPENED = datetime(2025, 4, 1, tzinfo=UTC)


def fact(
    fact_id: str, *names: tuple[str, str | None, int | None], document: str = "d1", **other: Any
) -> dict[str, Any]:
    entities = [
        {"surface": s, "kind": k, "start": start, "end": None if start is None else start + len(s)}
        for s, k, start in names
    ]
    row = dict.fromkeys(FACTS.columns) | {"bank_id": "b", "fact_id": fact_id, "document_id": document}
    return row | {"quote_start": 50, "mentioned_at": SAID, "tags": [], "entities": entities} | other


def frame(*facts: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(list(facts), schema=FACTS.schema)


def test_one_row_a_distinct_name_with_the_span_that_comes_first():
    facts = frame(fact("f1", ("ALICE", "person", None), ("Alice", "person", 70), ("Alice's", "person", 60)))
    row = build_mentions(facts, concept_min_facts=3).row(0, named=True)
    assert row == {
        "bank_id": "b", "mention_id": stable_id("f1", "alice"), "fact_id": "f1", "document_id": "d1", "position": 60,
        "surface": "Alice's", "name_key": "alice", "kind": "person", "at": SAID, "context": [],
        "span_start": 60, "span_end": 67,
    }  # fmt: skip


def test_a_pronoun_stands_where_its_quote_starts():
    row = build_mentions(frame(fact("f1", ("Alice", "person", None))), concept_min_facts=3).row(0, named=True)
    assert (row["position"], row["span_start"], row["span_end"]) == (50, None, None)


def test_the_time_of_what_happened_comes_before_the_time_of_saying():
    facts = frame(fact("f1", ("A1", None, 0), occurred_start=HAPPENED), fact("f2", ("A1", None, 0)))
    assert build_mentions(facts, concept_min_facts=3)["at"].sort().to_list() == [HAPPENED, SAID]


@pytest.mark.parametrize(("minimum", "kept"), [(2, 2), (3, 0)])
def test_a_concept_needs_enough_facts_of_the_bank(minimum, kept):
    facts = frame(
        fact("f1", ("career growth", "concept", 0)), fact("f2", ("Career Growth", "concept", 0), document="d2")
    )
    assert build_mentions(facts, concept_min_facts=minimum).height == kept


def test_facts_of_another_bank_do_not_make_a_concept_frequent():
    facts = frame(fact("f1", ("growth", "concept", 0)), fact("f1", ("growth", "concept", 0), bank_id="other"))
    assert build_mentions(facts, concept_min_facts=2).is_empty()


def test_a_concept_with_a_named_key_takes_part_as_that():
    facts = frame(fact("f1", ("Falcon", "product", 0)), fact("f2", ("falcon", "concept", 0), document="d2"))
    assert build_mentions(facts, concept_min_facts=3)["kind"].to_list() == ["product", "product"]


def test_one_kind_a_document_by_majority_and_ties_by_the_order_of_kinds():
    facts = frame(
        *(fact(f"f{i}", ("Mercury", kind, 0)) for i, kind in enumerate(["place", "product", "product"])),
        fact("f3", ("Mercury", "place", 0), ("mercury", "person", 9), document="d2"),
    )
    kinds = build_mentions(facts, concept_min_facts=3).select("document_id", "kind").unique().sort("document_id")
    assert kinds.rows() == [("d1", "product"), ("d2", "person")]


def test_nameless_names_take_no_part_and_are_counted():
    facts = frame(fact("f1", ("🕯️", "person", 0), ("Alice", "person", 5)), fact("f2", ("—", None, 0)))
    assert build_mentions(facts, concept_min_facts=3)["surface"].to_list() == ["Alice"]
    assert count_nameless(facts).rows() == [("b", 2)]


def test_facts_without_names_give_no_mention():
    none = fact("f2") | {"entities": None}
    found = build_mentions(frame(fact("f1"), none), concept_min_facts=3)
    assert found.is_empty()
    assert found.schema == MENTIONS.schema


NAMES = st.tuples(
    st.sampled_from(["Alice", "alice", "Bob", "growth"]),
    st.sampled_from(["person", "concept", None]),
    st.integers(0, 40),
)


@settings(max_examples=50, deadline=None)
@given(rows=st.lists(st.lists(NAMES, max_size=4), min_size=1, max_size=5), data=st.data())
def test_the_order_of_facts_and_names_decides_nothing(rows, data):
    facts = [fact(f"f{i}", *names, document=f"d{i % 2}") for i, names in enumerate(rows)]
    expected = build_mentions(frame(*facts), concept_min_facts=2)
    shuffled = [
        row | {"entities": data.draw(st.permutations(row["entities"]))} for row in data.draw(st.permutations(facts))
    ]
    assert build_mentions(frame(*shuffled), concept_min_facts=2).equals(expected)
    assert not expected.select("fact_id", "name_key").is_duplicated().any()

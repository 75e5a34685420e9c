"""Co-occurrence equals a count by brute force."""

from __future__ import annotations

import math
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from itertools import combinations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.cooccurrence import build_cooccurrences, find_crowded_facts
from transforms.schemas import MENTIONS, RESOLUTIONS

START = datetime(2025, 1, 1, tzinfo=UTC)


def tables(links: list[tuple[str, str, str, int | None]]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Links of (bank, fact, entity, day); the document is the fact's first letter."""
    resolutions, mentions = [], []
    for number, (bank, fact, entity, day) in enumerate(links):
        ids = {"bank_id": bank, "mention_id": f"m{number}", "fact_id": fact}
        at = None if day is None else START + timedelta(days=day)
        resolutions.append(dict.fromkeys(RESOLUTIONS.columns) | ids | {"entity_id": entity})
        mentions.append(dict.fromkeys(MENTIONS.columns) | ids | {"document_id": fact[0], "at": at})
    return pl.DataFrame(resolutions, schema=RESOLUTIONS.schema), pl.DataFrame(mentions, schema=MENTIONS.schema)


def brute_force(links: list[tuple[str, str, str, int | None]]) -> dict[tuple[str, str, str], tuple[int, int, float]]:
    facts: dict[tuple[str, str], set[str]] = defaultdict(set)
    for bank, fact, entity, _ in links:
        facts[bank, fact].add(entity)
    found = {}
    for bank in {bank for bank, _ in facts}:
        mine = {fact: names for (b, fact), names in facts.items() if b == bank}
        for a, b in combinations(sorted({n for names in mine.values() for n in names}), 2):
            both = [fact for fact, names in mine.items() if {a, b} <= names]
            if both:
                p, pa, pb = (sum(x <= n for n in mine.values()) / len(mine) for x in ({a, b}, {a}, {b}))
                npmi = 1.0 if p == 1 else math.log(p / (pa * pb)) / -math.log(p)
                found[bank, a, b] = (len(both), len({fact[0] for fact in both}), npmi)
    return found


LINKS = st.lists(
    st.tuples(
        st.sampled_from(["b1", "b2"]),
        st.sampled_from(["p1", "p2", "q1", "q2"]),
        st.sampled_from("ABCDE"),
        st.one_of(st.none(), st.integers(0, 9)),
    ),
    min_size=1,
    max_size=30,
)


@settings(max_examples=100, deadline=None)
@given(LINKS)
def test_equals_brute_force(links):
    found = build_cooccurrences(*tables(links))
    columns = ["bank_id", "entity_id_a", "entity_id_b", "fact_count", "document_count", "npmi"]
    counted = {(bank, a, b): (n, d, npmi) for bank, a, b, n, d, npmi in found.select(columns).iter_rows()}
    expected = brute_force(links)
    assert counted.keys() == expected.keys()
    for pair, (facts, documents, npmi) in expected.items():
        assert counted[pair][:2] == (facts, documents)
        assert counted[pair][2] == pytest.approx(npmi)


def test_dates_are_event_times_of_the_shared_facts():
    found = build_cooccurrences(
        *tables(
            [("b", "p1", "A", 3), ("b", "p1", "B", 3), ("b", "p2", "A", 9), ("b", "q1", "A", 5), ("b", "q1", "B", None)]
        )
    )
    assert found.select("first_at", "last_at").row(0) == (START + timedelta(days=3), START + timedelta(days=5))


def test_one_entity_twice_in_a_fact_is_no_pair():
    assert build_cooccurrences(*tables([("b", "p1", "A", 0), ("b", "p1", "A", 0)])).is_empty()


def test_a_fact_of_k_entities_gives_all_its_pairs_and_is_reported_when_crowded():
    resolutions, mentions = tables([("b", "p1", name, 0) for name in "CABED"] + [("b", "p2", "A", 0)])
    assert build_cooccurrences(resolutions, mentions).height == 10
    assert find_crowded_facts(resolutions, max_entities_per_fact=4).rows() == [("b", "p1", 5)]
    assert find_crowded_facts(resolutions, max_entities_per_fact=5).is_empty()

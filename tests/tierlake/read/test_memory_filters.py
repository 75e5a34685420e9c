"""Filters of `Memory.read`, and the options that it refuses."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from tests.tierlake.read.lakes import day, fact, publish_lake
from tierlake import Filters, InvalidReadOptions

TIERS = ["tier_wisdom", "tier_fact", "tier_working"]


def ids(bundle):
    return [found.fact_id for found in bundle.facts]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"kind": "experience"}, {"f1"}),
        ({"kind": ["world", "opinion"]}, {"w1", "w2", "f2", "f3", "k1", "k2"}),
        ({"tags": "ops"}, {"w1", "f2"}),
        ({"tags": ["people", "nothing"]}, {"f2"}),
        ({"tags": ["ops", "people"], "tags_match": "all"}, {"f2"}),
        ({"tags": ["ops"], "tags_match": "exact"}, {"w1"}),
        ({"tags": []}, set()),
        ({"documents": "log"}, {"f1"}),
        ({"documents": ["notes/doc.md"]}, {"w1", "w2", "f2", "f3", "k1", "k2"}),
        ({"documents": ["nowhere"]}, set()),
        ({"entities": ["al", "bob"]}, {"w2", "f2", "k2"}),
        ({"entities": "alice", "kind": "opinion"}, set()),
        ({}, {"w1", "w2", "f1", "f2", "f3", "k1", "k2"}),
    ],
)
def test_filters(deploys, filters, expected):
    assert set(ids(deploys.read(TIERS, "", filters=filters))) == expected
    matching = set(ids(deploys.read(TIERS, "deploy process")))
    assert set(ids(deploys.read(TIERS, "deploy process", filters=Filters(**filters)))) == expected & matching


TIMES = [
    fact("spring", "x", occurred_start=datetime(2026, 3, 1, tzinfo=UTC),
         occurred_end=datetime(2026, 6, 1, tzinfo=UTC), mentioned_at=day(20)),
    fact("instant", "x", occurred_start=day(10), mentioned_at=day(20)),
    fact("said", "x", mentioned_at=day(5)),
    fact("undated", "x"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"since": day(10), "until": day(11)}, {"spring", "instant"}),
        ({"since": day(5), "until": day(10)}, {"spring", "said"}),
        ({"since": "2026-05-05T00:00:00Z"}, {"spring", "instant", "said"}),
        ({"since": "2026-05-05T02:00:00+02:00", "until": "2026-05-06"}, {"spring", "said"}),
        ({"since": date(2026, 6, 1)}, set()),
        ({"until": datetime(2026, 3, 2)}, {"spring"}),  # noqa: DTZ001  # without a zone it is UTC
        ({"since": day(1), "clock": "occurred"}, {"spring", "instant"}),
        ({"since": day(6), "clock": "mentioned"}, {"spring", "instant"}),
        ({"since": day(1), "until": day(9), "clock": "mentioned"}, {"said"}),
    ],
)
def test_filters_on_time(tmp_path, filters, expected):
    memory = publish_lake(tmp_path, facts=TIMES)
    assert set(ids(memory.read("tier_fact", "x", filters=filters))) == expected


def test_filters_apply_before_any_cut(deploys):
    only = {"kind": "experience"}
    assert ids(deploys.read(TIERS, "deploy", filters=only, pre_filter_limit=1, max_results=1)) == ["f1"]


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"max_results": float("nan")}, "max_results"),
        ({"max_results": "3"}, "max_results"),
        ({"tier_floors": {"tier_wisdom": 20}}, "tier_floors"),
        ({"tier_floors": {"typo": 0}}, "tier_floors"),
        ({"tier_weights": [2, 1]}, "tier_weights"),
        ({"tier_weights": {"tier_fact": 0}, "tier_floors": {"tier_fact": 1}}, "tier_floors"),
        ({"expand": float("inf")}, "expand"),
        ({"filters": {"colour": "red"}}, "filters"),
        ({"filters": {"kind": "rumour"}}, "filters"),
        ({"filters": {"tags_match": "some"}}, "filters"),
        ({"filters": {"since": "yesterday"}}, "filters"),
        ({"filters": {"until": 5}}, "filters"),
        ({"filters": {"documents": [1]}}, "filters"),
        ({"filters": "kind"}, "filters"),
    ],
)
def test_contradictions_are_refused(deploys, options, field):
    with pytest.raises(InvalidReadOptions) as caught:
        deploys.read(TIERS, "deploy", **options)
    assert caught.value.field == field


@pytest.mark.parametrize(("names", "query"), [([1], "x"), (7, "x"), ("tier_fact", None)])
def test_ids_and_query_are_strings(deploys, names, query):
    with pytest.raises(InvalidReadOptions):
        deploys.read(names, query)

"""Ranking metrics on small cases, with values written out."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from math import log2
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierlake.evaluation.bootstrap import mean_interval
from tierlake.evaluation.gold import Gold
from tierlake.evaluation.ranking import METRICS, EvaluationError, evaluate_ranking, grade_facts
from tierlake.evaluation.report import BASELINE, SYSTEM, RankingReport
from transforms.schemas import EVALUATION_JUDGEMENTS, EVALUATION_METRICS, EVALUATION_QUERIES, EVALUATION_RESULTS

Judged = tuple[str, str, int, int, int]


def _gold(judged: Sequence[Judged], queries: Sequence[str] = ("q1", "q2")) -> Gold:
    query_rows = [
        ("acme", "set", query, f"ask {query}", ["tier_fact"], json.dumps({"max_results": 10})) for query in queries
    ]
    schema = {**EVALUATION_JUDGEMENTS.schema, "quote": pl.String()}
    rows = [("acme", "set", *each, None) for each in judged]
    return Gold(
        dataset="set",
        bank="acme",
        queries=pl.DataFrame(query_rows, schema=EVALUATION_QUERIES.schema, orient="row"),
        judgements=pl.DataFrame(rows, schema=schema, orient="row"),
    )


# Facts f0, f1, ... of one document, each ten characters long.
FACTS = pl.DataFrame(
    {
        "fact_id": [f"f{number}" for number in range(30)],
        "uri": ["a.md"] * 30,
        "quote_start": [10 * number for number in range(30)],
        "quote_end": [10 * number + 9 for number in range(30)],
    }
)


def _reader(found: dict[str, list[str]]) -> Callable[[str, list[str], dict[str, Any]], list[str]]:
    def read(query: str, ids: list[str], options: dict[str, Any]) -> list[str]:
        assert ids == ["tier_fact"]
        assert options == {"max_results": 10}
        return found.get(query.removeprefix("ask "), [])

    return read


def _values(
    judged: Sequence[Judged], found: dict[str, list[str]], queries: Sequence[str] = ("q1",)
) -> dict[str, float]:
    evaluation = evaluate_ranking(_reader(found), FACTS, _gold(judged, queries), system="tierlake", evaluation_id="e")
    return dict(evaluation.metrics.select("metric", "value").iter_rows())


# f0 has grade 3, f1 grade 1, f2 grade 2.
THREE: list[Judged] = [("q1", "a.md", 0, 9, 3), ("q1", "a.md", 10, 19, 1), ("q1", "a.md", 20, 29, 2)]
IDEAL = 3 + 2 / log2(3) + 1 / 2

CASES: list[tuple[list[str], dict[str, float]]] = [
    (["f0", "f2", "f1"], {"nDCG@10": 1.0, "recall@5": 1.0, "recall@10": 1.0, "MRR@10": 1.0, "hit@10": 1.0}),
    (
        ["f1", "f9", "f0"],
        {"nDCG@10": (1 + 3 / 2) / IDEAL, "recall@5": 2 / 3, "recall@10": 2 / 3, "MRR@10": 1.0, "hit@10": 1.0},
    ),
    (
        ["f9", "f8", "f7", "f6", "f5", "f2"],
        {"nDCG@10": 2 / log2(7) / IDEAL, "recall@5": 0.0, "recall@10": 1 / 3, "MRR@10": 1 / 6, "hit@10": 1.0},
    ),
    (
        [f"f{number}" for number in range(10, 20)] + ["f0"],
        {"nDCG@10": 0.0, "recall@5": 0.0, "recall@10": 0.0, "MRR@10": 0.0, "hit@10": 0.0},
    ),
    ([], {"nDCG@10": 0.0, "recall@5": 0.0, "recall@10": 0.0, "MRR@10": 0.0, "hit@10": 0.0}),
]


@pytest.mark.parametrize(("found", "expected"), CASES)
def test_metrics_have_their_written_out_values(found: list[str], expected: dict[str, float]) -> None:
    assert _values(THREE, {"q1": found}) == pytest.approx(expected)


def test_the_written_out_value_of_one_case() -> None:
    # Gains 1, 0, 3 at discounts 1, 1.585, 2, over 3/1 + 2/1.585 + 1/2 = 4.7619.
    assert _values(THREE, {"q1": ["f1", "f9", "f0"]})["nDCG@10"] == pytest.approx(0.525004, abs=1e-6)


def test_a_fact_has_the_best_grade_that_its_quote_overlaps() -> None:
    spans: list[Judged] = [
        ("q1", "a.md", 5, 6, 1),  # inside f0
        ("q1", "a.md", 8, 11, 2),  # the end of f0 and the start of f1
        ("q1", "a.md", 19, 20, 3),  # between f1 and f2: the ends are exclusive
        ("q1", "a.md", 30, 35, 0),  # f3, judged and not relevant
        ("q1", "b.md", 0, 9, 3),  # another document
    ]
    assert grade_facts(FACTS, _gold(spans).judgements).rows() == [("q1", "f0", 2), ("q1", "f1", 2), ("q1", "f3", 0)]


def test_a_fact_of_grade_0_is_not_relevant() -> None:
    spans: list[Judged] = [("q1", "a.md", 0, 9, 0), ("q1", "a.md", 10, 19, 1)]
    values = _values(spans, {"q1": ["f0", "f1"]})
    assert values == pytest.approx(
        {"nDCG@10": 1 / log2(3), "recall@5": 1.0, "recall@10": 1.0, "MRR@10": 0.5, "hit@10": 1.0}
    )


def test_queries_without_evidence_are_told_apart_and_reported() -> None:
    spans: list[Judged] = [
        ("q1", "a.md", 0, 9, 3),
        ("q2", "gone.md", 0, 9, 3),  # no fact holds it: 0 for every reader
        ("q3", "a.md", 0, 9, 0),  # nothing is relevant: not measured
    ]
    gold = _gold(spans, ("q1", "q2", "q3", "q4"))
    evaluation = evaluate_ranking(_reader({"q1": ["f0"], "q3": ["f0"]}), FACTS, gold, system="s", evaluation_id="e")
    assert evaluation.unmatched == ("q2",)
    assert evaluation.unanswerable == ("q3", "q4")
    assert dict(evaluation.metrics.select("metric", "value").iter_rows()) == dict.fromkeys(METRICS, 0.5)
    assert evaluation.metrics["queries"].to_list() == [2] * len(METRICS)
    assert evaluation.results.filter(pl.col("metric") == "nDCG@10").select("query_id", "value").rows() == [
        ("q1", 1.0),
        ("q2", 0.0),
    ]


def test_no_fact_at_all_is_0_and_not_an_error() -> None:
    evaluation = evaluate_ranking(_reader({}), FACTS.clear(), _gold(THREE, ("q1",)), system="s", evaluation_id="e")
    assert evaluation.metrics["value"].to_list() == [0.0] * len(METRICS)
    assert evaluation.unmatched == ("q1",)


def test_frames_are_those_of_the_tables() -> None:
    evaluation = evaluate_ranking(_reader({}), FACTS, _gold(THREE, ("q1",)), system="s", evaluation_id="e")
    assert evaluation.metrics.schema == EVALUATION_METRICS.schema
    assert evaluation.results.schema == EVALUATION_RESULTS.schema


def test_a_fact_returned_twice_is_an_error() -> None:
    with pytest.raises(EvaluationError, match="query q1: facts returned more than once: f0"):
        _values(THREE, {"q1": ["f0", "f1", "f0"]})


def test_a_gold_set_without_a_relevant_span_is_an_error() -> None:
    with pytest.raises(EvaluationError, match="gold set set, bank acme: no query has a span with grade 1 or more"):
        _values([("q1", "a.md", 0, 9, 0)], {})


@given(seed=st.integers(0, 999), found=st.lists(st.integers(0, 29), unique=True, max_size=12))
@settings(max_examples=20, deadline=None)
def test_the_order_of_rows_changes_nothing_and_bounds_hold(seed: int, found: list[int]) -> None:
    gold = _gold([*THREE, ("q2", "a.md", 100, 150, 2)])
    reader = _reader({"q1": [f"f{number}" for number in found], "q2": ["f11", "f0"]})
    expected = evaluate_ranking(reader, FACTS, gold, system="s", evaluation_id="e")
    shuffled = Gold(
        dataset="set",
        bank="acme",
        queries=gold.queries.sample(fraction=1, shuffle=True, seed=seed),
        judgements=gold.judgements.sample(fraction=1, shuffle=True, seed=seed),
    )
    facts = FACTS.sample(fraction=1, shuffle=True, seed=seed)
    again = evaluate_ranking(reader, facts, shuffled, system="s", evaluation_id="e")
    assert again.metrics.equals(expected.metrics)
    assert again.results.equals(expected.results)
    rows = expected.metrics.rows(named=True)
    assert all(0 <= row["low"] <= row["value"] <= row["high"] <= 1 for row in rows)


def test_intervals_are_the_same_each_time_and_narrow_with_more_queries() -> None:
    few, many = mean_interval([0.0, 1.0] * 5), mean_interval([0.0, 1.0] * 200)
    assert few == mean_interval([0.0, 1.0] * 5)
    assert few.mean == many.mean == 0.5
    # The normal approximation gives 0.5 +- 1.96 * 0.5 / sqrt(n): 0.31 for 10 queries, 0.049 for 400.
    assert (few.low, few.high) == pytest.approx((0.19, 0.81), abs=0.03)
    assert (many.low, many.high) == pytest.approx((0.451, 0.549), abs=0.005)
    assert mean_interval([0.1] * 3).low == pytest.approx(0.1)


def test_no_value_has_no_mean() -> None:
    with pytest.raises(ValueError, match="no value"):
        mean_interval([])


@pytest.fixture
def report() -> RankingReport:
    gold = _gold([*THREE, ("q2", "a.md", 100, 150, 2), ("q3", "gone.md", 0, 1, 1)], ("q1", "q2", "q3", "q4"))
    better = {"q1": ["f0", "f2", "f1"], "q2": ["f0"]}
    plain = {"q1": ["f1", "f9", "f0"], "q2": ["f10"]}
    system, baseline = (
        evaluate_ranking(_reader(found), FACTS, gold, system=name, evaluation_id="e")
        for name, found in ((SYSTEM, better), (BASELINE, plain))
    )
    return RankingReport("e", gold, system, baseline)


def test_a_report_stands_beside_its_baseline(report: RankingReport) -> None:
    assert report.wins_ties_losses() == (1, 1, 1)
    assert report.wins_ties_losses("hit@10") == (0, 2, 1)
    # q2: the one fact found of five relevant ones, all of grade 2.
    lost = 1 / sum(1 / log2(rank + 1) for rank in range(1, 6))
    gained = 1 - (1 + 3 / 2) / IDEAL
    assert report.difference("nDCG@10").mean == pytest.approx((gained - lost) / 3)
    worst_first = report.per_query().select("query_id", "difference").rows()
    assert [query for query, _ in worst_first] == ["q2", "q3", "q1"]
    assert report.headline()["hit@10"] == pytest.approx(1 / 3)


def test_a_report_says_what_was_not_measured(report: RankingReport) -> None:
    notes = "\n".join(report.notes())
    assert "3 queries of set, bank acme" in notes
    assert "better on 1, equal on 1, worse on 1" in notes
    assert "No fact overlaps the judged spans of 1, counted as 0: q3." in notes
    assert "no span has grade 1 or more: 1: q4." in notes


def test_a_report_as_markdown_json_and_table(report: RankingReport, capsys: pytest.CaptureFixture[str]) -> None:
    lines = report.markdown().splitlines()
    assert lines[:2] == ["| metric | tierlake | bm25 | difference |", "|---|---|---|---|"]
    assert [line.split(" | ")[0] for line in lines[2:7]] == [f"| {metric}" for metric in METRICS]
    assert "| hit@10 | 0.333 (0.000 to 1.000) | 0.667 (0.000 to 1.000) | -0.333 (-1.000 to +0.000) |" in lines
    assert "ask" not in report.markdown()
    data = json.loads(json.dumps(report.to_dict()))
    assert data["metrics"]["hit@10"]["bm25"]["mean"] == pytest.approx(2 / 3)
    assert (data["queries"], data["unmatched"], data["unanswerable"]) == (3, ["q3"], ["q4"])
    report.print()
    printed = capsys.readouterr().out
    assert "Ranking of bank acme on set" in printed
    assert "0.333" in printed


def test_the_tables_of_a_report_hold_both_systems(report: RankingReport) -> None:
    tables = report.tables()
    assert tables["evaluation_metrics"].height == 2 * len(METRICS)
    assert tables["evaluation_results"].height == 2 * 3 * len(METRICS)
    assert set(tables["evaluation_metrics"]["system"]) == {SYSTEM, BASELINE}
    assert tables["evaluation_judgements"].schema == EVALUATION_JUDGEMENTS.schema

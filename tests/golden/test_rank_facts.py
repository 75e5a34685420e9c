"""The rules of the ranking, as examples: those of this project, and the recorded vectors where they are at hand."""

from __future__ import annotations

import json
import os
from pathlib import Path

import polars as pl
import pytest

from tierlake import InvalidReadOptions, rank_facts

DATA = Path(__file__).parent / "data" / "rank_facts.jsonl"
SHARED = Path(os.environ.get("TIERLAKE_SHARED") or Path(__file__).parents[2].parent / "shared")
VECTORS = SHARED / "golden" / "rank_facts.jsonl"

# Three tiers of three facts; a case without candidates of its own ranks these.
PANTRY = [
    ["w1", "tier_wisdom", 0.8, 50],
    ["w2", "tier_wisdom", 0.5, 40],
    ["w3", "tier_wisdom", 0.2, 30],
    ["f1", "tier_fact", 0.9, 20],
    ["f2", "tier_fact", 0.6, 10],
    ["f3", "tier_fact", 0.3, None],
    ["k1", "tier_working", 1.0, 5],
    ["k2", "tier_working", 0.7, 4],
    ["k3", "tier_working", 0.1, 3],
]


def numbers(value):
    """Returns a value of a case, with the floats that JSON lacks."""
    if isinstance(value, dict):
        if set(value) == {"float"}:
            return float(value["float"])
        return {key: numbers(item) for key, item in value.items()}
    return value


def lines(file: Path):
    return [json.loads(line) for line in file.read_text("utf-8").split("\n") if line] if file.exists() else []


def frame(rows):
    schema = {"fact_id": pl.String, "tier": pl.String, "base_score": pl.Float64, "updated_at": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


@pytest.mark.parametrize("case", lines(DATA), ids=lambda case: case["case"])
def test_example(case):
    candidates = frame(case.get("candidates", PANTRY))
    options = numbers(case["options"])
    if "error" in case["expect"]:
        with pytest.raises(InvalidReadOptions) as caught:
            rank_facts(candidates, ids=case["ids"], **options)
        assert caught.value.field == case["expect"]["error"]
        assert caught.value.reason in str(caught.value)
        return
    ranked = rank_facts(candidates, ids=case["ids"], **options)
    expected = case["expect"]["facts"]
    assert ranked.select("fact_id", "reason").rows() == [(fact, reason) for fact, _, reason in expected], case["why"]
    assert ranked["score"].to_list() == pytest.approx([score for _, score, _ in expected], rel=1e-12)
    assert ranked["rank"].to_list() == list(range(1, len(expected) + 1))


def test_there_are_examples():
    assert len(lines(DATA)) > 50


@pytest.mark.skipif(not VECTORS.exists(), reason=f"the recorded vectors are not at {VECTORS.parent.name}/")
def test_recorded_vectors():
    wrong, cases = {}, lines(VECTORS)
    for case in cases:
        options = {
            name: numbers(case[name])
            for name in ("ids", "max_results", "tier_weights", "tier_floors", "include_zero_weight_entities")
        }
        try:
            ranked = rank_facts(pl.DataFrame(case["candidates"]), **options)
        except InvalidReadOptions as error:
            got = {"error": "WikiInvalidReadOptions", "field": error.field}
        else:
            got = {
                "order": ranked["fact_id"].to_list(),
                "scores": dict(ranked.select("fact_id", "score").iter_rows()),
                "reasons": dict(ranked.select("fact_id", "reason").iter_rows()),
            }
        if got != {key: numbers(value) for key, value in case["expect"].items()}:
            wrong[case["case"]] = got
    assert wrong == {}
    assert len(cases) == 207

"""Laws of the ranking."""

from __future__ import annotations

import math
import random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.ranking import RANKED, RankConfig, rank_candidates

IDS = ("a", "b", "c")
# Few distinct values, so that ties and facts of several ids are common.
SCORES = st.sampled_from([-1.0, -0.0, 0.0, 0.25, 0.5, 1.0, 2.0])
WEIGHTS = st.sampled_from([0.0, 0.25, 1.0, 2.0])


@st.composite
def rankings(draw):
    rows = draw(
        st.lists(st.tuples(st.sampled_from("uvwxyz"), st.sampled_from([*IDS, "other"])), max_size=14, unique=True)
    )
    facts = {fact: (draw(SCORES), draw(st.none() | st.integers(0, 2))) for fact in sorted({fact for fact, _ in rows})}
    max_results = draw(st.integers(0, 6))
    config = RankConfig(
        ids=IDS,
        max_results=max_results,
        weights={name: draw(WEIGHTS) for name in IDS},
        include_zero_weight=draw(st.booleans()),
    )
    floors, left = {}, max_results
    for name in IDS:
        if config.weights[name] > 0 or config.include_zero_weight:
            floors[name] = draw(st.integers(0, left))
            left -= floors[name]
    return frame([(fact, tier, *facts[fact]) for fact, tier in rows]), config, floors


def frame(rows):
    schema = {"fact_id": pl.String, "tier": pl.String, "base_score": pl.Float64, "updated_at": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def with_floors(config, floors):
    return RankConfig(config.ids, config.max_results, config.weights, floors, config.include_zero_weight)


def plain(candidates, config, floors):
    """A slow reference, fact by fact: returns fact ids with reasons."""
    best, homes = {}, {}
    for fact, tier, base, updated_at in candidates.iter_rows():
        weight = config.weights.get(tier)
        if weight is None or (weight == 0 and not config.include_zero_weight):
            continue
        homes.setdefault(fact, set()).add(tier)
        if fact not in best or weight > best[fact][0]:
            best[fact] = (weight, base, updated_at)

    def place(fact):
        weight, base, updated_at = best[fact]
        score = base if weight == 0 else base * weight
        return (weight == 0, -score, updated_at is None, -(updated_at or 0), fact)

    order = sorted(best, key=place)
    kept, taken = set(), dict.fromkeys(config.ids, 0)
    for fact in order:
        for tier in homes[fact]:
            if taken[tier] < floors.get(tier, 0):
                taken[tier] += 1
                kept.add(fact)
    for fact in order:
        if len(kept) < config.max_results:
            kept.add(fact)
    reasons = {
        fact: "filler" if best[fact][0] == 0 else "floor" if at >= config.max_results else "rank"
        for at, fact in enumerate(order)
    }
    return [(fact, reasons[fact]) for fact in order if fact in kept]


@settings(max_examples=150, deadline=None)
@given(rankings())
def test_it_agrees_with_the_plain_reference(ranking):
    candidates, config, floors = ranking
    ranked = rank_candidates(candidates, with_floors(config, floors))
    assert ranked.schema == RANKED
    assert ranked.select("fact_id", "reason").rows() == plain(candidates, config, floors)


@settings(max_examples=60, deadline=None)
@given(rankings(), st.randoms(use_true_random=False))
def test_the_order_of_candidates_and_ids_does_not_matter(ranking, shuffler: random.Random):
    candidates, config, floors = ranking
    rows, ids = candidates.rows(), list(config.ids)
    shuffler.shuffle(rows)
    shuffler.shuffle(ids)
    shuffled = RankConfig(tuple(ids), config.max_results, config.weights, floors, config.include_zero_weight)
    expected = rank_candidates(candidates, with_floors(config, floors)).drop("tier")
    assert rank_candidates(frame(rows), shuffled).drop("tier").equals(expected)


@settings(max_examples=60, deadline=None)
@given(rankings())
def test_floors_never_change_the_order_only_who_is_in(ranking):
    candidates, config, floors = ranking
    everything = RankConfig(config.ids, 100, config.weights, include_zero_weight=config.include_zero_weight)
    unlimited = rank_candidates(candidates, everything)["fact_id"].to_list()
    ranked = rank_candidates(candidates, with_floors(config, floors))
    positions = [unlimited.index(fact) for fact in ranked["fact_id"]]
    assert positions == sorted(positions)
    assert ranked.height == min(config.max_results, len(unlimited))


@settings(max_examples=60, deadline=None)
@given(rankings())
def test_each_floor_is_kept_as_far_as_there_are_facts(ranking):
    candidates, config, floors = ranking
    kept = set(rank_candidates(candidates, with_floors(config, floors))["fact_id"])
    for name, floor in floors.items():
        members = set(candidates.filter(pl.col("tier") == name)["fact_id"])
        assert len(kept & members) >= min(floor, len(members))


@settings(max_examples=60, deadline=None)
@given(rankings())
def test_scores_are_plain_products_and_fillers_come_last_with_zero(ranking):
    candidates, config, floors = ranking
    ranked = rank_candidates(candidates, with_floors(config, floors))
    for row in ranked.iter_rows(named=True):
        assert row["weight"] == config.weights[row["tier"]]
        expected = 0.0 if row["weight"] == 0 else row["base_score"] * row["weight"]
        assert row["score"] == expected
    fillers = ranked["reason"] == "filler"
    assert fillers.to_list() == sorted(fillers.to_list())
    assert config.include_zero_weight or not fillers.any()


@settings(max_examples=60, deadline=None)
@given(rankings())
def test_ranking_what_was_ranked_changes_nothing(ranking):
    candidates, config, floors = ranking
    once = rank_candidates(candidates, with_floors(config, floors))
    again = rank_candidates(
        candidates.filter(pl.col("fact_id").is_in(once["fact_id"].to_list())), with_floors(config, floors)
    )
    assert again.select("fact_id", "score").equals(once.select("fact_id", "score"))


@pytest.mark.parametrize("bad", [None, math.nan])
def test_a_score_that_is_no_number_is_refused(bad):
    candidates = frame([("x", "a", 1.0, 1), ("y", "a", bad, 1)])
    with pytest.raises(ValueError, match="base_score is null or NaN for 1 row"):
        rank_candidates(candidates, RankConfig(("a",), 2, {"a": 1.0}))


def test_times_may_be_datetimes_or_all_unknown():
    config = RankConfig(("a",), 3, {"a": 1.0})
    rows = frame([("x", "a", 1.0, 1), ("y", "a", 1.0, 2), ("z", "a", 1.0, None)])
    dated = rows.with_columns(pl.col("updated_at").cast(pl.Datetime("us", "UTC")))
    unknown = rows.with_columns(pl.lit(None).alias("updated_at"))
    assert rank_candidates(dated, config)["fact_id"].to_list() == ["y", "x", "z"]
    assert rank_candidates(unknown, config)["fact_id"].to_list() == ["x", "y", "z"]

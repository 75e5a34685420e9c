"""Which entities are summarized, from what, and which observations stand: the rules of the seed and beyond it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.observation_bank import NOW, Said, Tables, about, day, inputs, tables
from transforms.observations import ObservationConfig, ObservationInputs, ObservationPlan, plan_observations
from transforms.schemas import OBSERVATION_BACKLOG, OBSERVATIONS

SMALL = ObservationConfig(top_entities=5, min_facts=2, max_facts=50, backlog_per_run=2)


def plan(given_inputs: ObservationInputs, config: ObservationConfig = SMALL, **more: Any) -> ObservationPlan:
    return plan_observations(given_inputs, config, **{"generator": "g/1", "now": NOW, **more})


def selected(result: ObservationPlan) -> list[str]:
    return result.selected["entity_id"].to_list()


def written(now: Tables, config: ObservationConfig = SMALL) -> pl.DataFrame:
    """Returns the observations that a run with no limit leaves."""
    result = plan(inputs(now), replace(config, top_entities=0))
    facts = result.sources.group_by("entity_id", maintain_order=True).agg(pl.col("fact_id").alias("source_fact_ids"))
    return (
        result.inputs.join(facts, on="entity_id")
        .with_columns(
            bank_id=pl.lit("b"), observation_id=pl.col("entity_id"), text=pl.lit("text"), generator=pl.lit("g/1")
        )
        .select(list(OBSERVATIONS.schema))
    )


def waiting(*rows: tuple[str, int]) -> pl.DataFrame:
    return pl.DataFrame(
        [{"bank_id": "b", "entity_id": entity, "fact_count": 2, "since": day(since)} for entity, since in rows],
        schema=OBSERVATION_BACKLOG.schema,
    )


def test_top_five_by_mentions_then_five_facts_each() -> None:
    """The numbers of a peer's recorded case: C is mentioned enough and has too few facts; F misses the cut."""
    new = {"A": 9, "B": 7, "C": 6, "D": 5, "E": 4, "F": 4}
    totals = {"A": 9, "B": 7, "C": 4, "D": 5, "E": 60, "F": 60}
    before: list[Said] = []
    said: list[Said] = []
    for entity, total in totals.items():
        # C has six mentions in four facts: some facts hold two of its names.
        facts = [
            Said(f"{entity}{n}", {entity: entity}, position=n, mentioned=day(n), document=entity) for n in range(total)
        ]
        if entity == "C":
            facts[:2] = [replace(one, who={"C": "C", "Cee": "C"}) for one in facts[:2]]
        said += facts
        before += facts[: max(0, total - new[entity])]
    result = plan(inputs(tables(said), tables(before)), ObservationConfig())
    # E comes before F: both have 4 new mentions and 60 facts, and E is mentioned first in canonical order.
    assert selected(result) == ["A", "B", "D", "E"]
    assert result.backlog["entity_id"].to_list() == ["F"]
    assert result.backlog["since"].to_list() == [NOW]
    window = result.sources.filter(pl.col("entity_id") == "E")["fact_id"].to_list()
    assert window == [f"E{n}" for n in range(59, 9, -1)]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param(
            [Said(f"dated{n}", {"A": "A"}, occurred=day(n)) for n in range(3)] + [Said("un", {"A": "A"})],
            ["dated2", "dated1", "dated0", "un"], id="undated last",
        ),
        pytest.param(
            [Said("said", {"A": "A"}, mentioned=day(2)), Said("both", {"A": "A"}, occurred=day(1), mentioned=day(9)),
             Said("late", {"A": "A"}, occurred=day(3), mentioned=day(0))],
            ["late", "said", "both"], id="occurred_start before mentioned_at",
        ),
        pytest.param(
            [Said("z", {"A": "A"}, document="d1", position=1), Said("y", {"A": "A"}, document="d2", position=0),
             Said("x", {"A": "A"}, document="d1", position=0), Said("w", {"A": "A"}, document="d1", position=1)],
            ["x", "y", "w", "z"], id="ties by position, document, fact",
        ),
    ],
)  # fmt: skip
def test_source_facts_are_the_most_recent(said: list[Said], expected: list[str]) -> None:
    result = plan(inputs(tables(said)))
    assert result.sources["fact_id"].to_list() == expected
    assert result.sources["ordinal"].to_list() == list(range(len(expected)))


def test_undated_facts_do_not_push_dated_ones_out_of_the_window() -> None:
    said = [Said(f"u{n}", {"A": "A"}, position=n) for n in range(20)] + about("A", 50)
    result = plan(inputs(tables(said)), ObservationConfig())
    assert set(result.sources["fact_id"]) == {f"A{n}" for n in range(50)}


def test_opinions_neither_count_nor_feed() -> None:
    said = [
        *about("A", 1),
        *about("A", 4, start=1, kind="opinion"),
        *about("B", 1),
        *about("B", 1, start=1, kind="experience"),
    ]
    result = plan(inputs(tables(said)))
    assert selected(result) == ["B"]
    assert set(result.sources["fact_id"]) == {"B0", "B1"}
    # A new opinion changes nothing.
    more = [*said, Said("o", {"B": "B"}, kind="opinion")]
    assert selected(plan(inputs(tables(more), tables(said)))) == []


def test_one_fact_with_two_names_of_an_entity_is_one_source() -> None:
    said = [Said("f", {"Ann": "A", "Annie": "A"}), Said("g", {"Ann": "A"})]
    assert plan(inputs(tables(said))).sources["fact_id"].to_list() == ["f", "g"]
    assert selected(plan(inputs(tables(said[:1])))) == []


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        pytest.param({"body": "Another."}, ["A"], id="body"),
        pytest.param({"occurred": day(9)}, ["A"], id="date"),
        pytest.param({"superseded_by": "A1"}, ["A"], id="superseded"),
        pytest.param({"kind": "opinion"}, ["A"], id="an opinion now"),
        pytest.param({"position": 7}, [], id="moved in its document"),
    ],
)
def test_an_entity_is_a_candidate_where_its_source_facts_changed(changed: dict[str, Any], expected: list[str]) -> None:
    before = [*about("A", 3), *about("B", 3)]
    now = [replace(before[0], **changed), *before[1:]]
    assert selected(plan(inputs(tables(now), tables(before)))) == expected


def test_a_run_without_changes_selects_nobody_and_leaves_the_backlog() -> None:
    now = tables([*about("A", 3), *about("B", 3)])
    result = plan(inputs(now, now, observations=written(now).head(1), backlog=waiting(("B", 3))))
    assert selected(result) == []
    assert result.backlog.select("entity_id", "since", "fact_count").row(0) == ("B", day(3), 3)
    assert result.valid["entity_id"].to_list() == ["A"]


def test_the_backlog_is_taken_oldest_first_by_runs_with_changes() -> None:
    names = ["A", "B", "C", "D", "E"]
    before = [one for name in names for one in about(name, 3)]
    now = [*before, Said("new", {"A": "A"}, mentioned=day(5))]
    backlog = waiting(("B", 4), ("C", 1), ("D", 2), ("E", 2))
    result = plan(inputs(tables(now), tables(before), backlog=backlog))
    # D and E began to wait together: D ranks first. Two a run.
    assert dict(result.selected.iter_rows()) == {"A": "changed", "C": "backlog", "D": "backlog"}
    assert dict(result.backlog.select("entity_id", "since").iter_rows()) == {"B": day(4), "E": day(2)}


def test_drain_takes_all_that_wait_even_without_changes() -> None:
    now = tables([one for name in "ABC" for one in about(name, 3)])
    result = plan(inputs(now, now, backlog=waiting(("A", 1), ("B", 1), ("C", 1))), drain=True)
    assert sorted(selected(result)) == ["A", "B", "C"]
    assert result.backlog.is_empty()
    first = plan(inputs(now), replace(SMALL, top_entities=1), drain=True)
    assert sorted(selected(first)) == ["A", "B", "C"]


def test_who_begins_to_wait_is_not_taken_in_the_same_run() -> None:
    now = tables([*about("A", 4), *about("B", 3), *about("C", 2)])
    result = plan(inputs(now), replace(SMALL, top_entities=1))
    assert selected(result) == ["A"]
    assert result.backlog["entity_id"].to_list() == ["B", "C"]


def test_who_no_longer_qualifies_or_is_current_stops_waiting() -> None:
    before = [*about("A", 2), *about("B", 2), *about("C", 2)]
    now = tables([before[0], *before[2:]])
    result = plan(inputs(now, tables(before), observations=written(now).filter(pl.col("entity_id") == "B"),
                         backlog=waiting(("A", 1), ("B", 1), ("C", 1), ("gone", 1))),
                  replace(SMALL, backlog_per_run=0))  # fmt: skip
    assert result.backlog["entity_id"].to_list() == ["C"]


def test_retried_entities_are_taken_whatever_the_cut() -> None:
    now = tables([*about("A", 3), *about("B", 3)])
    result = plan(inputs(now, now), retry=frozenset({"B", "gone"}))
    assert dict(result.selected.iter_rows()) == {"B": "retry"}


ONE = ObservationConfig(top_entities=1, min_facts=2, max_facts=50, backlog_per_run=0)
BUSY = about("busy", 9, document="busy")


@pytest.mark.parametrize(
    ("before", "now", "causes", "valid"),
    [
        pytest.param(about("A", 3), about("A", 3)[1:], {"A": "stale"}, [], id="a source fact is gone"),
        pytest.param(about("A", 2), about("A", 1), {}, [], id="too few are left: removed"),
        pytest.param(about("A", 3), [], {}, [], id="the entity is gone: removed"),
        pytest.param(about("A", 3), [replace(about("A", 3)[0], body="Another."), *about("A", 3)[1:]],
                     {"A": "stale"}, [], id="a source fact changed"),
        pytest.param(about("A", 3), about("A", 4), {}, ["A"], id="a fact more: it waits, the old one stands"),
        pytest.param([*about("A", 3), *about("B", 3)], about("A", 3), {}, ["A"], id="another entity's fact is gone"),
        pytest.param([*about("A", 3), *about("B", 3)],
                     [*about("A", 3), *(replace(one, who={"B": "A"}) for one in about("B", 3))],
                     {"A": "stale"}, [], id="merged"),
        pytest.param(about("A", 5), [*about("A", 5)[:2], *(replace(one, who={"A": "C"}) for one in about("A", 5)[2:])],
                     {"A": "stale"}, [], id="split"),
        pytest.param(about("A", 3), [replace(one, who={"A": "Z"}) for one in about("A", 3)], {"Z": "stale"}, [],
                     id="spelled anew: its heir takes over"),
        pytest.param(about("A", 5), [*(replace(one, who={"A": "Y"}) for one in about("A", 5)[:3]),
                                     *(replace(one, who={"A": "Z"}) for one in about("A", 5)[3:])],
                     {"Y": "stale"}, [], id="the heir holds most of its facts"),
    ],
)  # fmt: skip
def test_an_observation_that_no_longer_follows_is_renewed_or_removed_whatever_the_cut(
    before: list[Said], now: list[Said], causes: dict[str, str], valid: list[str]
) -> None:
    past, present = tables(before), tables([*now, *BUSY])
    result = plan(inputs(present, past, observations=written(past)), ONE)
    assert dict(result.selected.filter(pl.col("cause") == "stale").iter_rows()) == causes
    assert result.valid["entity_id"].to_list() == valid
    assert result.selected.filter(pl.col("cause") == "changed")["entity_id"].to_list() == ["busy"]


@pytest.mark.parametrize("what", ["generator", "names", "window"])
def test_another_generator_name_or_window_renews_every_observation(what: str) -> None:
    now = tables([*about("A", 3), *about("B", 3)])
    stored = written(now)
    renamed = tables([*about("A", 3), *about("B", 3)], aliases={"A": ["Al"], "B": ["Bo"]})
    current = renamed if what == "names" else now
    config = replace(ONE, max_facts=2) if what == "window" else ONE
    result = plan(inputs(current, now, observations=stored), config, generator="g/2" if what == "generator" else "g/1")
    assert dict(result.selected.iter_rows()) == {"A": "stale", "B": "stale"}
    assert result.valid.is_empty()


def test_language_of_a_summary_is_that_of_most_facts() -> None:
    said = [
        *about("A", 2, language="ru"),
        *about("A", 1, start=2),
        *about("B", 1),
        *about("B", 1, start=1, language="de"),
    ]
    languages = dict(plan(inputs(tables(said))).inputs.select("entity_id", "language").iter_rows())
    assert languages == {"A": "ru", "B": "de"}


def test_input_hash_tells_apart_what_a_summary_could_say_differently() -> None:
    base = [Said("f", {"A": "A"}, "Ana left.", mentioned=day(1)), Said("g", {"A": "A"}, "Ana came.", mentioned=day(2))]
    variants = [
        tables(base),
        tables([base[0], replace(base[1], body="Ana came back.")]),
        tables([base[0], replace(base[1], mentioned=day(3))]),
        tables([replace(base[0], mentioned=day(3)), base[1]]),
        tables(base, aliases={"A": ["Annie"]}),
    ]
    hashes = [plan(inputs(one)).inputs["input_hash"].item() for one in variants]
    assert len(set(hashes)) == len(variants)


entity = st.sampled_from(["A", "B", "C", "D"])
facts_of = st.lists(
    st.builds(
        lambda number, who, when, kind, body: Said(
            f"f{number}", {name: name for name in who}, body, f"d{number % 3}", number // 3, kind, mentioned=when
        ),
        st.integers(0, 30), st.sets(entity, min_size=1, max_size=3), st.none() | st.integers(0, 5).map(day),
        st.sampled_from(["world", "experience", "opinion"]), st.sampled_from(["x.", "y."]),
    ),
    max_size=16, unique_by=lambda one: one.fact_id,
)  # fmt: skip


def shuffled(now: Tables, seed: int) -> Tables:
    return Tables(*(frame.sample(fraction=1, shuffle=True, seed=seed) for frame in
                    (now.entities, now.resolutions, now.mentions, now.facts)))  # fmt: skip


def reference_order(now: Sequence[Said], before: Sequence[Said]) -> list[str]:
    """Returns the candidates in rank order, written out plainly."""

    def pairs(said: Sequence[Said]) -> set[tuple[str, str, str, object]]:
        return {
            (e, one.fact_id, one.body, one.mentioned) for one in said if one.kind != "opinion" for e in one.who.values()
        }

    old, new = pairs(before), pairs(now)
    changed = {pair[0] for pair in old ^ new}
    fresh = Counter(pair[0] for pair in new - old)
    total = Counter(pair[0] for pair in new)
    late = day(0) + timedelta(days=10_000)
    first: dict[str, tuple[Any, ...]] = {}
    for one in now:
        for surface, name in one.who.items():
            place = (one.mentioned or late, one.document, one.position, f"{one.fact_id}/{surface}")
            first[name] = min(first.get(name, place), place)
    return sorted(changed & set(first), key=lambda name: (-fresh[name], -total[name], first[name]))


@given(before=facts_of, now=facts_of, top=st.integers(1, 3), seed=st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_selection_follows_the_plain_rule_in_any_order_of_rows(
    before: list[Said], now: list[Said], top: int, seed: int
) -> None:
    config = replace(SMALL, top_entities=top)
    result = plan(inputs(tables(now), tables(before)), config)
    counts = Counter(name for one in now if one.kind != "opinion" for name in one.who.values())
    expected = [name for name in reference_order(now, before)[:top] if counts[name] >= config.min_facts]
    assert sorted(selected(result)) == sorted(expected)
    assert set(result.inputs["entity_id"]) == {name for name, count in counts.items() if count >= config.min_facts}
    again = plan(inputs(shuffled(tables(now), seed), shuffled(tables(before), seed)), config)
    for part in ("selected", "inputs", "backlog"):
        assert getattr(again, part).equals(getattr(result, part))
    assert again.sources.sort("entity_id", "ordinal").equals(result.sources.sort("entity_id", "ordinal"))


@given(before=facts_of, other=facts_of, now=facts_of)
@settings(max_examples=25, deadline=None)
def test_without_a_limit_the_past_decides_nothing(before: list[Said], other: list[Said], now: list[Said]) -> None:
    config = replace(SMALL, top_entities=0)
    one = plan(
        inputs(tables(now), tables(before), observations=written(tables(before)), backlog=waiting(("A", 1))), config
    )
    two = plan(inputs(tables(now), tables(other)), config)
    for part in ("selected", "inputs", "sources", "backlog"):
        assert getattr(one, part).equals(getattr(two, part))
    assert one.backlog.is_empty()


@given(now=facts_of, seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_valid_observations_are_those_whose_sources_stand(now: list[Said], seed: int) -> None:
    stored = written(tables(now))
    kept = [one for one in now if random.Random(seed + one.position).random() > 0.2]  # noqa: S311  # a test's choice
    result = plan(inputs(tables(kept), tables(now), observations=stored))
    left = {(name, one.fact_id) for one in kept if one.kind != "opinion" for name in one.who.values()}
    counts = Counter(name for name, _ in left)
    expected = {
        row["entity_id"]
        for row in stored.iter_rows(named=True)
        if all((row["entity_id"], fact) in left for fact in row["source_fact_ids"]) and counts[row["entity_id"]] >= 2
    }
    assert set(result.valid["entity_id"]) == expected

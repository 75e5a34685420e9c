"""Observations as a whole: each input once, replaced whole, failures kept, nothing lost between runs."""

from __future__ import annotations

import doctest
import importlib
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.observation_bank import NOW, CountingSummarizer, Said, about, day, inputs, tables
from tierlake.extractors.base import Failure
from tierlake.observe import ObservationOutcome, observe
from tierlake.quarantine import FAILURE, record_failures
from transforms.ids import stable_id
from transforms.observations import ObservationConfig
from transforms.schemas import OBSERVATION_BACKLOG, OBSERVATIONS, QUARANTINE, SUMMARY_CACHE, conform

FREE = ObservationConfig(top_entities=0, min_facts=2)
ONE = ObservationConfig(top_entities=1, min_facts=2, backlog_per_run=1)
BUSY = Failure("rate_limit", "too many requests", transient=True)
REFUSED = Failure("refusal", "declined", transient=False)


def run(
    now: Sequence[Said],
    before: Sequence[Said] = (),
    *,
    last: ObservationOutcome | None = None,
    summarizer: CountingSummarizer | None = None,
    config: ObservationConfig = FREE,
    **more: Any,
) -> ObservationOutcome:
    stored = {"observations": last.observations, "backlog": last.backlog} if last else {}
    outcome = observe(
        inputs(tables(now), tables(before), **stored),
        summarizer or CountingSummarizer(),
        config,
        cache=last.summary_cache if last else SUMMARY_CACHE.empty(),
        known_failures=last.failures if last else pl.DataFrame(schema=FAILURE),
        now=NOW,
        **more,
    )
    assert outcome.observations.equals(conform(outcome.observations, OBSERVATIONS))
    assert outcome.backlog.equals(conform(outcome.backlog, OBSERVATION_BACKLOG))
    assert outcome.summary_cache.equals(conform(outcome.summary_cache, SUMMARY_CACHE))
    assert outcome.observations["entity_id"].is_unique().all()
    return outcome


def texts(outcome: ObservationOutcome) -> dict[str, str]:
    return dict(outcome.observations.select("entity_id", "text").iter_rows())


def test_an_observation_names_its_sources_its_input_and_how_far_it_saw() -> None:
    outcome = run(about("A", 3))
    row = outcome.observations.row(0, named=True)
    assert row["text"] == "A did 2. A did 1. A did 0."
    assert row["source_fact_ids"] == ["A2", "A1", "A0"]
    assert row["observed_through"] == day(2)
    assert row["generator"] == "joining/none/1"
    assert row["observation_id"] == stable_id("A", row["input_hash"])
    assert (outcome.tokens_in, outcome.tokens_out, outcome.cost_usd) == (10, 2, 0.5)


def test_unchanged_inputs_cost_no_call_and_change_no_row() -> None:
    said = [*about("A", 3), *about("B", 2)]
    for config in (FREE, ONE):
        first = run(said, config=config)
        summarizer = CountingSummarizer()
        second = run(said, said, last=first, summarizer=summarizer, config=config)
        assert summarizer.asked == []
        assert (second.tokens_in, second.cost_usd) == (0, 0)
        for table in ("observations", "backlog", "summary_cache", "failures"):
            assert getattr(second, table).equals(getattr(first, table))


def test_a_second_run_replaces_and_never_appends() -> None:
    first = run(about("A", 3))
    second = run(about("A", 4), about("A", 3), last=first)
    assert texts(second) == {"A": "A did 3. A did 2. A did 1. A did 0."}
    assert (second.counts["written"], second.counts["removed"], second.counts["kept"]) == (1, 1, 0)


def test_six_documents_with_one_fact_each_reach_the_gate_of_five() -> None:
    said = [replace(one, document=f"d{n}", position=0) for n, one in enumerate(about("A", 6))]
    config = ObservationConfig()
    assert list(texts(run(said, config=config))) == ["A"]
    assert texts(run(said[:4], config=config)) == {}


def test_a_text_is_reused_where_an_earlier_input_comes_back() -> None:
    first = run(about("A", 3))
    # A rebuild starts from empty tables and keeps the cache.
    summarizer = CountingSummarizer()
    rebuilt = observe(
        inputs(tables(about("A", 3))), summarizer, FREE, cache=first.summary_cache,
        known_failures=pl.DataFrame(schema=FAILURE), now=NOW,
    )  # fmt: skip
    assert summarizer.asked == []
    assert rebuilt.observations.equals(first.observations)


def test_cached_rows_that_nothing_needs_leave() -> None:
    first = run([*about("A", 3), *about("B", 2)])
    assert first.summary_cache.height == 2
    second = run(about("A", 3), [*about("A", 3), *about("B", 2)], last=first)
    assert second.summary_cache["input_hash"].to_list() == second.observations["input_hash"].to_list()
    gone = run([], about("A", 3), last=second)
    assert (gone.observations.height, gone.summary_cache.height, gone.backlog.height) == (0, 0, 0)


def test_a_passing_failure_keeps_the_old_text_and_is_tried_again_without_changes() -> None:
    before, now = about("A", 3), about("A", 4)
    first = run(before, config=ONE)
    second = run(now, before, last=first, summarizer=CountingSummarizer({"A": BUSY}), config=ONE)
    assert texts(second) == texts(first)
    assert second.failures.select("item", "reason", "transient").rows() == [("A", "rate_limit", True)]
    third = run(now, now, last=second, config=ONE)
    assert texts(third) == {"A": "A did 3. A did 2. A did 1. A did 0."}
    assert third.failures.is_empty()


def test_a_failure_does_not_keep_a_text_whose_sources_are_gone() -> None:
    before = about("A", 3)
    first = run(before)
    second = run(before[1:], before, last=first, summarizer=CountingSummarizer({"A": BUSY}))
    assert texts(second) == {}
    assert second.failures.height == 1


def test_a_lasting_failure_is_not_tried_again_until_the_input_or_the_generator_changes() -> None:
    said = about("A", 3)
    for config in (FREE, ONE):
        first = run(said, summarizer=CountingSummarizer({"A": REFUSED}), config=config)
        again = CountingSummarizer()
        second = run(said, said, last=first, summarizer=again, config=config)
        assert again.asked == []
        assert second.failures.equals(first.failures)
        third = run(about("A", 4), said, last=second, config=config)
        assert (list(texts(third)), third.failures.height) == (["A"], 0)
        newer = run(said, said, last=first, summarizer=CountingSummarizer(version="2"), config=config)
        assert (list(texts(newer)), newer.failures.height) == (["A"], 0)


def test_failures_are_rows_of_quarantine() -> None:
    said = about("A", 3)
    outcome = run(said, summarizer=CountingSummarizer({"A": REFUSED}))
    rows = record_failures(outcome.failures, QUARANTINE.empty(), stage="observations", code_version="g", now=NOW)
    assert rows.select("item", "reason", "attempts").rows() == [("A", "refusal", 1)]
    assert rows.equals(conform(rows, QUARANTINE))


def test_one_failure_leaves_the_others_alone() -> None:
    outcome = run([*about("A", 3), *about("B", 3)], summarizer=CountingSummarizer({"A": REFUSED}))
    assert list(texts(outcome)) == ["B"]
    # Conservation: what was selected is written, reused or failed.
    assert outcome.counts["selected"] == outcome.counts["written"] + outcome.counts["failed"] == 2


def test_an_empty_text_shows_nothing_and_is_not_asked_for_again() -> None:
    said = [Said("f", {"A": "A"}, ""), Said("g", {"A": "A"}, "")]
    for config in (FREE, ONE):
        first = run(said, config=config)
        assert (first.observations.height, first.summary_cache.height) == (0, 1)
        summarizer = CountingSummarizer()
        second = run(said, said, last=first, summarizer=summarizer, config=config)
        assert (summarizer.asked, second.summary_cache.height) == ([], 1)


def test_texts_are_saved_on_the_way() -> None:
    said = [one for n in range(70) for one in about(f"e{n}", 2)]
    saved: list[pl.DataFrame] = []
    outcome = run(said, save=saved.append)
    assert [frame.height for frame in saved] == [64, 6]
    assert conform(pl.concat(saved), SUMMARY_CACHE).equals(outcome.summary_cache)


def test_the_backlog_drains_over_runs_and_at_once() -> None:
    said = [one for name in "ABCD" for one in about(name, 2)]
    first = run(said, config=ONE)
    assert (list(texts(first)), first.counts["waiting"]) == (["A"], 3)
    more = [*said, Said("new", {"A": "A"}, mentioned=day(9))]
    second = run(more, said, last=first, config=ONE)
    assert (sorted(texts(second)), second.counts["waiting"]) == (["A", "B"], 2)
    drained = run(more, more, last=second, config=ONE, drain=True)
    assert (sorted(texts(drained)), drained.counts["waiting"]) == (["A", "B", "C", "D"], 0)


name = st.sampled_from(["A", "B", "C"])
corpora = st.lists(
    st.builds(
        lambda number, who, body: Said(f"f{number}", {one: one for one in who}, body, f"d{number % 3}", number // 3),
        st.integers(0, 14), st.sets(name, min_size=1, max_size=2), st.sampled_from(["x.", "y."]),
    ),
    max_size=10, unique_by=lambda one: one.fact_id,
)  # fmt: skip


@given(history=st.lists(corpora, min_size=1, max_size=3))
@settings(max_examples=20, deadline=None)
def test_without_a_limit_any_history_ends_where_a_rebuild_does(history: list[list[Said]]) -> None:
    last, before = None, []
    for now in history:
        last = run(now, before, last=last)
        before = now
    assert last is not None
    rebuilt = run(history[-1])
    for table in ("observations", "backlog", "summary_cache", "failures"):
        assert getattr(last, table).equals(getattr(rebuilt, table))


@given(history=st.lists(corpora, min_size=1, max_size=3), seed=st.integers(0, 9))
@settings(max_examples=20, deadline=None)
def test_with_a_limit_no_observation_ever_lists_what_is_gone(history: list[list[Said]], seed: int) -> None:
    last, before = None, []
    for now in history:
        # Calls fail now and then, in a way that repeats.
        unlucky = {entity: BUSY for entity in "ABC" if random.Random(f"{seed}{entity}{len(now)}").random() < 0.3}  # noqa: S311  # a test's choice
        last = run(now, before, last=last, summarizer=CountingSummarizer(unlucky), config=ONE)
        before = now
        bodies = {one.fact_id: one.body for one in now}
        of = {entity: {one.fact_id for one in now if entity in one.who} for entity in "ABC"}
        for row in last.observations.iter_rows(named=True):
            assert set(row["source_fact_ids"]) <= of[row["entity_id"]]
            assert row["text"] == " ".join(bodies[fact] for fact in row["source_fact_ids"])
            assert len(of[row["entity_id"]]) >= ONE.min_facts


@pytest.mark.parametrize(
    "module",
    [
        "tierlake.background",
        "tierlake.openai_client",
        "tierlake.extractors.openai",
        "tierlake.extractors.openai_prompt",
        "tierlake.extractors.openai_verify",
        "tierlake.summarizers.absolute_dates",
        "tierlake.summarizers.local",
        "tierlake.summarizers.sentences",
    ],
)
def test_examples_in_docstrings_hold(module: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(module))
    assert (failed, tried > 0) == (0, True)


def test_models_and_clients_are_imported_when_they_are_used() -> None:
    code = (
        "import sys; from tierlake.summarizers.registry import make_summarizer; import tierlake.summarizers.openai; "
        "import tierlake.extractors.openai; import tierlake.observe; import tierlake.summarizers.local; "
        "print(sorted({'openai', 'spacy', 'dagster'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize("config", [FREE, ONE])
def test_another_bank_in_the_lake_is_no_part_of_this(config: ObservationConfig) -> None:
    """The tables given are one bank's: the outcome carries that bank and no other."""
    outcome = run([*about("A", 3), *about("B", 3)], config=config)
    for table in (outcome.observations, outcome.backlog, outcome.summary_cache):
        assert set(table["bank_id"]) <= {"b"}
    assert outcome.observations.height > 0

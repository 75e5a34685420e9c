"""Observations of one bank: planned by rule, written by a summarizer, each input once, replaced whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl

from tierlake.quarantine import FAILURE
from tierlake.summarizers.base import SourceFact, Summarizer, SummaryRequest, SummaryResult
from transforms.ids import stable_id
from transforms.observations import ObservationConfig, ObservationInputs, ObservationPlan, plan_observations
from transforms.schemas import OBSERVATIONS, SUMMARY_CACHE, conform

# Results are kept after so many, so that a run that is killed repeats little.
SAVE_EVERY = 64


@dataclass(frozen=True)
class ObservationOutcome:
    """What a run leaves: whole tables of the bank, to be written in one commit each.

    Attributes:
        observations: Frame of `schemas.OBSERVATIONS`.
        backlog: Frame of `schemas.OBSERVATION_BACKLOG`.
        summary_cache: Frame of `schemas.SUMMARY_CACHE`: rows that a current input or observation needs.
        failures: Frame of `quarantine.FAILURE`: all summaries that stand failed. `item` is the entity, `content_hash`
            the input.
        counts: Entities that qualified, were selected, called, reused, written, kept, failed, and wait.
        tokens_in: Tokens sent in this run.
        tokens_out: Tokens received in this run.
        cost_usd: Cost of this run in US dollars.
    """

    observations: pl.DataFrame
    backlog: pl.DataFrame
    summary_cache: pl.DataFrame
    failures: pl.DataFrame
    counts: dict[str, int]
    tokens_in: int
    tokens_out: int
    cost_usd: float


def generator_of(summarizer: Summarizer) -> str:
    """Returns what decides whether a summary is written again: the summarizer, its model and its version."""
    return f"{summarizer.name}/{summarizer.model}/{summarizer.version}"


def observe(
    inputs: ObservationInputs,
    summarizer: Summarizer,
    config: ObservationConfig,
    *,
    cache: pl.DataFrame,
    known_failures: pl.DataFrame,
    now: datetime,
    drain: bool = False,
    save: Callable[[pl.DataFrame], object] | None = None,
) -> ObservationOutcome:
    """Returns the bank's observations after the run, calling the summarizer only for inputs that have no text.

    An observation is replaced only where its successor exists. Where the summarizer fails, the old one stays if it
    still follows from its facts, and the failure goes to quarantine: a passing one is tried again in the next run
    whatever the cut, a lasting one when the input or the generator changes.

    Args:
        inputs: The bank's tables.
        summarizer: Writes the texts.
        config: The numbers of the rule.
        cache: Frame of `schemas.SUMMARY_CACHE`, as stored.
        known_failures: The stored failures of this stage, whatever code failed (columns of `quarantine.FAILURE`): the
            generator is part of each one's `content_hash`.
        now: The run's time.
        drain: True to take the whole backlog.
        save: Called with new rows of the cache, some at a time.
    """
    generator = generator_of(summarizer)
    # A lasting failure is selected too: it costs no call while its input stands, and has its new try when that changes.
    retry = frozenset(known_failures["item"].to_list())
    plan = plan_observations(inputs, config, generator=generator, now=now, drain=drain, retry=retry)
    # A failure stands as long as its entity would be summarized from the same input.
    same = known_failures.join(
        plan.inputs, left_on=["item", "content_hash"], right_on=["entity_id", "input_hash"], how="semi"
    ).select(list(FAILURE))
    settled = same.filter(~pl.col("transient"))
    texts = _known_texts(inputs.observations, cache, generator)
    wanted = plan.selected.join(plan.inputs, on="entity_id", maintain_order="left")
    missing = wanted.filter(~pl.col("input_hash").is_in([*texts, *settled["content_hash"].to_list()]))
    still_failed = wanted.join(settled, left_on="input_hash", right_on="content_hash", how="semi")
    bank = str(inputs.entities["bank_id"].first()) if inputs.entities.height else ""
    requests = _requests(missing, plan.sources)
    results = _call(summarizer, requests, lambda done: save(_cache_rows(done, bank, generator)) if save else None)
    texts |= {result.input_hash: result.text for result in results if result.text is not None}
    observations = _observations(plan, wanted, texts, bank, generator)
    failed = pl.concat([_failure_rows(results, missing, bank), settled])
    hashes = [*plan.inputs["input_hash"].to_list(), *observations["input_hash"].to_list()]
    rows = pl.concat([cache, _cache_rows(results, bank, generator)]).unique("input_hash", keep="first")
    return ObservationOutcome(
        observations=observations,
        backlog=plan.backlog,
        summary_cache=conform(rows.filter(pl.col("input_hash").is_in(hashes)), SUMMARY_CACHE),
        failures=failed,
        counts={
            "qualified": plan.inputs.height,
            "selected": plan.selected.height,
            "called": len(requests),
            "reused": wanted.height - missing.height - still_failed.height,
            "written": observations.join(inputs.observations, on="observation_id", how="anti").height,
            "kept": observations.join(inputs.observations, on="observation_id", how="semi").height,
            "removed": inputs.observations.join(observations, on="observation_id", how="anti").height,
            "failed": failed.height,
            "waiting": plan.backlog.height,
        },
        tokens_in=sum(result.tokens_in for result in results),
        tokens_out=sum(result.tokens_out for result in results),
        cost_usd=sum(result.cost_usd for result in results),
    )


def _known_texts(observations: pl.DataFrame, cache: pl.DataFrame, generator: str) -> dict[str, str]:
    rows = pl.concat([frame.select("input_hash", "generator", "text") for frame in (cache, observations)])
    mine = rows.filter(pl.col("generator") == generator)
    return dict(mine.select("input_hash", "text").iter_rows())


def _requests(missing: pl.DataFrame, sources: pl.DataFrame) -> list[SummaryRequest]:
    """Returns one request for each input, in the order of its hash: no order of rows shows."""
    facts: dict[str, list[SourceFact]] = {}
    # A loop over the source facts of the entities to summarize: each becomes an argument of the summarizer.
    needed = sources.join(missing, on="entity_id", how="semi").sort("entity_id", "ordinal")
    for row in needed.iter_rows(named=True):
        facts.setdefault(row["entity_id"], []).append(
            SourceFact(
                fact_id=row["fact_id"],
                body=row["body"],
                at=row["at"],
                subject=row["subject"],
                occurred=row["occurred_start"],
                precision=row["occurred_precision"],
                superseded=row["superseded"],
            )
        )
    first = missing.unique("input_hash", keep="any").sort("input_hash")
    return [
        SummaryRequest(
            input_hash=row["input_hash"],
            canonical_name=row["canonical_name"],
            names=tuple(row["names"]),
            kind=row["kind"],
            language=row["language"] or "und",
            facts=tuple(facts[row["entity_id"]]),
        )
        for row in first.iter_rows(named=True)
    ]


def _call(
    summarizer: Summarizer, requests: Sequence[SummaryRequest], save: Callable[[list[SummaryResult]], object]
) -> list[SummaryResult]:
    results: list[SummaryResult] = []
    unsaved: list[SummaryResult] = []
    if not requests:
        return results
    for result in summarizer.summarize(requests):
        results.append(result)
        if result.text is not None:
            unsaved.append(result)
        if len(unsaved) >= SAVE_EVERY:
            save(unsaved)
            unsaved = []
    if unsaved:
        save(unsaved)
    return sorted(results, key=lambda result: result.input_hash)


def _observations(
    plan: ObservationPlan, wanted: pl.DataFrame, texts: dict[str, str], bank: str, generator: str
) -> pl.DataFrame:
    """Returns the whole table: what was written or found for the selected, and what stands of the rest."""
    facts = plan.sources.sort("entity_id", "ordinal").group_by("entity_id").agg(pl.col("fact_id"))
    by_entity: dict[str, list[str]] = dict(facts.iter_rows())
    rows: list[dict[str, Any]] = []
    done: list[str] = []
    # A loop over the entities that were summarized: ids are hashed one by one.
    for row in wanted.iter_rows(named=True):
        text = texts.get(row["input_hash"])
        if text is None:
            continue
        done.append(row["entity_id"])
        if not text:
            # No fact says anything about the entity: it has been looked at, and there is nothing to show.
            continue
        rows.append(
            {
                "bank_id": bank,
                "observation_id": stable_id(row["entity_id"], row["input_hash"]),
                "entity_id": row["entity_id"],
                "text": text,
                "source_fact_ids": by_entity[row["entity_id"]],
                "input_hash": row["input_hash"],
                "generator": generator,
                "observed_through": row["observed_through"],
            }
        )
    stands = plan.valid.filter(~pl.col("entity_id").is_in(done)).select(list(OBSERVATIONS.schema))
    return conform(pl.concat([pl.DataFrame(rows, schema=OBSERVATIONS.schema), stands]), OBSERVATIONS)


def _cache_rows(results: Sequence[SummaryResult], bank: str, generator: str) -> pl.DataFrame:
    rows = [
        {
            "bank_id": bank,
            "input_hash": result.input_hash,
            "generator": generator,
            "text": result.text,
            "tokens_in": result.tokens_in,
            "tokens_out": result.tokens_out,
            "cost_usd": result.cost_usd,
        }
        for result in results
        if result.text is not None
    ]
    return pl.DataFrame(rows, schema=SUMMARY_CACHE.schema)


def _failure_rows(results: Sequence[SummaryResult], missing: pl.DataFrame, bank: str) -> pl.DataFrame:
    failures = {result.input_hash: result.failure for result in results if result.failure is not None}
    rows = [
        {
            "bank_id": bank,
            "item": entity_id,
            "reason": failures[input_hash].reason,
            "detail": failures[input_hash].detail,
            "transient": failures[input_hash].transient,
            "content_hash": input_hash,
        }
        for entity_id, input_hash in missing.select("entity_id", "input_hash").iter_rows()
        if input_hash in failures
    ]
    return pl.DataFrame(rows, schema=FAILURE)

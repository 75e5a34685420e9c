"""Runs of the job `ingest` in this process, and what each did, for people and programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import dagster as dg

from assets.partitions import BANKS
from dagster_project.automation.banks import INPUT_TAG, input_state, known_banks
from dagster_project.failures import CHECK_ERROR, Failure, explain, root_cause
from dagster_project.home import open_instance
from dagster_project.leftovers import close_leftovers, process_tag
from tierlake.config import Settings
from tierlake.errors import SourceMissingError

if TYPE_CHECKING:
    from dagster._core.events.log import EventLogEntry

OnStep = Callable[[str, int, int], None]


@dataclass(frozen=True)
class AssetRow:
    """What a run made of one asset.

    Attributes:
        asset: The asset, named as its table.
        rows: Rows of the bank.
        delta_version: Version of the table; None where the asset is no single table.
        seconds: Seconds of its step; assets that one step makes together have the same.
        changed: Rows that were inserted, updated or deleted; None where that is not told.
    """

    asset: str
    rows: int
    delta_version: int | None
    seconds: float
    changed: int | None


@dataclass(frozen=True)
class FailedCheck:
    """A check that did not pass. Only a blocking one stops the run.

    >>> str(FailedCheck("facts", "critical", "broken: facts.quotes (1 of 9)", blocking=True))
    'facts.critical: broken: facts.quotes (1 of 9)'
    """

    table: str
    name: str
    description: str
    blocking: bool

    def __str__(self) -> str:
        return f"{self.table}.{self.name}: {self.description}"


@dataclass(frozen=True)
class BankRun:
    """The run of one bank.

    Attributes:
        bank: The bank.
        run_id: Dagster's id of the run.
        success: Whether all steps ran and no blocking check failed; only then was it published.
        failed_checks: Checks that did not pass.
        failures: Steps that raised an error.
        rows: What was made of each asset, in the order of making.
    """

    bank: str
    run_id: str
    success: bool
    failed_checks: list[FailedCheck]
    failures: list[Failure]
    rows: list[AssetRow]


def execute_ingest(
    settings: Settings,
    banks: Sequence[str] | None = None,
    *,
    drain: bool = False,
    instance: dg.DagsterInstance | None = None,
    on_step: OnStep | None = None,
) -> list[BankRun]:
    """Returns what each bank's run did, after running job `ingest` for one bank after the other in this process.

    A failed bank does not keep the others from running. Dagster's log goes to its home, not to the terminal.

    Args:
        settings: The settings.
        banks: The banks; default: all that have a source or are still published.
        drain: Whether to summarize all of the observation backlog.
        instance: Where runs are recorded; default: Dagster's home of the settings.
        on_step: Called at the start of a step with `bank: step`, the number of steps done, and of all.
    """
    from dagster_project.definitions import build_definitions

    chosen = known_banks(settings) if banks is None else list(banks)
    opened = open_instance(settings) if instance is None else nullcontext(instance)
    with opened as used:
        job = build_definitions(settings).resolve_job_def("ingest")
        close_leftovers(used)
        used.add_dynamic_partitions(str(BANKS.name), chosen)
        return [_run_bank(job, used, settings, bank, drain=drain, on_step=on_step) for bank in chosen]


def run_tags(settings: Settings, bank: str) -> dict[str, str]:
    """Returns the tags of a run: the state of the bank's inputs before it, so that the sensor knows what was done."""
    try:
        return {INPUT_TAG: input_state(settings, bank)}
    except SourceMissingError:
        # The run itself will say so; without the tag the sensor looks again.
        return {}


def _run_bank(
    job: dg.JobDefinition,
    instance: dg.DagsterInstance,
    settings: Settings,
    bank: str,
    *,
    drain: bool,
    on_step: OnStep | None,
) -> BankRun:
    from dagster._core.utils import make_new_run_id

    run_id = make_new_run_id()
    if on_step is not None:
        instance.add_event_listener(run_id, _progress(bank, len(job.nodes), on_step))
    config = {
        # Dagster logs every event, and a failed step with its traceback: that stands in the log of the run. What a
        # person at the terminal needs is returned.
        "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
        "ops": {"observed_entities": {"config": {"drain": drain}}},
    }
    result = job.execute_in_process(
        run_config=config,
        instance=instance,
        partition_key=bank,
        raise_on_error=False,
        run_id=run_id,
        tags={**run_tags(settings, bank), **process_tag()},
    )
    return summarize(bank, run_id, events_of(instance, run_id), success=result.success)


def _progress(bank: str, total: int, on_step: OnStep) -> Callable[[EventLogEntry], None]:
    done = 0

    def listen(entry: EventLogEntry) -> None:
        nonlocal done
        event = entry.dagster_event
        if event is None or event.step_key is None:
            return
        if event.event_type is dg.DagsterEventType.STEP_START:
            on_step(f"{bank}: {event.step_key}", done, total)
        elif event.is_step_success or event.is_step_failure or event.is_step_skipped:
            done += 1

    return listen


def events_of(instance: dg.DagsterInstance, run_id: str) -> list[dg.DagsterEvent]:
    """Returns all events of a run, in order."""
    return [entry.dagster_event for entry in instance.all_logs(run_id) if entry.dagster_event is not None]


def assets_of_steps(events: Sequence[dg.DagsterEvent]) -> dict[str, str]:
    """Returns step to the assets that it makes or checks, with commas, from what the run planned."""
    planned: dict[str, set[str]] = {}
    for event in events:
        if event.event_type is dg.DagsterEventType.ASSET_MATERIALIZATION_PLANNED:
            key = event.asset_materialization_planned_data.asset_key
        elif event.event_type is dg.DagsterEventType.ASSET_CHECK_EVALUATION_PLANNED:
            key = event.asset_check_planned_data.asset_key
        else:
            continue
        planned.setdefault(str(event.step_key), set()).add(key.to_user_string())
    return {step: ", ".join(sorted(names)) for step, names in planned.items()}


def summarize(
    bank: str, run_id: str, events: Sequence[dg.DagsterEvent], *, success: bool, quote_unknown: bool = True
) -> BankRun:
    """Returns what the events of a run say.

    Args:
        bank: The bank.
        run_id: The run.
        events: The events of the run.
        success: Whether the run succeeded.
        quote_unknown: See `dagster_project.failures.explain`.
    """
    seconds = {
        str(event.step_key): event.step_success_data.duration_ms / 1000 for event in events if event.is_step_success
    }
    rows = [_row(event, seconds.get(str(event.step_key), 0.0)) for event in events if event.is_step_materialization]
    checks = [
        event.asset_check_evaluation_data
        for event in events
        if event.event_type is dg.DagsterEventType.ASSET_CHECK_EVALUATION
    ]
    failed_checks = [
        FailedCheck(
            check.asset_key.to_user_string(), check.check_name, check.description or "", blocking=bool(check.blocking)
        )
        for check in checks
        if not check.passed
    ]
    failures = _failures(bank, run_id, events, quote_unknown=quote_unknown)
    return BankRun(bank, run_id, success, failed_checks, failures, rows)


def _failures(bank: str, run_id: str, events: Sequence[dg.DagsterEvent], *, quote_unknown: bool) -> list[Failure]:
    """Returns what failed in a run, checks apart; a failure of the run as a whole where no step failed."""
    steps = assets_of_steps(events)
    failed = [
        (steps.get(str(event.step_key), str(event.step_key)), event.step_failure_data.error)
        for event in events
        if event.is_step_failure
    ]
    if not failed:
        failed = [("run", event.job_failure_data.error) for event in events if event.is_job_failure]
    return [
        explain(asset, error, bank=bank, run_id=run_id, quote_unknown=quote_unknown)
        for asset, error in failed
        if getattr(root_cause(error), "cls_name", None) != CHECK_ERROR
    ]


def _row(event: dg.DagsterEvent, seconds: float) -> AssetRow:
    materialization = event.step_materialization_data.materialization
    told = {name: value.value for name, value in materialization.metadata.items()}
    counted = [_integer(told.get(name)) for name in ("inserted", "updated", "deleted")]
    changed = [count for count in counted if count is not None]
    return AssetRow(
        asset=materialization.asset_key.to_user_string(),
        rows=_integer(told.get("dagster/row_count")) or 0,
        delta_version=_integer(told.get("delta_version")),
        seconds=round(seconds, 3),
        changed=sum(changed) if changed else None,
    )


def _integer(value: Any) -> int | None:
    return value if isinstance(value, int) else None

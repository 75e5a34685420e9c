"""Starts a bank's run when its inputs changed, and tries again what failed.

What was asked for and how it went stands on the runs themselves (tag `tierlake/input`), so that a run of
`tierlake run` counts, and a lost cursor starts nothing twice. The cursor shows the state that was seen last.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

import dagster as dg

from assets.partitions import BANKS
from dagster_project.automation.banks import INPUT_TAG, input_state, known_banks
from dagster_project.automation.jobs import ingest
from dagster_project.leftovers import close_leftovers
from tierlake.config import Settings
from tierlake.errors import SourceMissingError

# Waits before a failed bank is tried again: a service that is down is often back soon, and after the last wait it is a
# person's turn. A change of the inputs starts anew.
RETRY_WAITS: Final = (timedelta(minutes=5), timedelta(minutes=20), timedelta(minutes=60))
# A run that started so long ago has most likely lost its process; it must not block its bank for ever. Should it live,
# Dagster's queue keeps the next one waiting: one run a bank at a time.
DEAD_AFTER: Final = timedelta(hours=6)
_IN_PROGRESS: Final = (
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
)


@dataclass(frozen=True)
class PastRun:
    """One run of a bank.

    Attributes:
        run_id: Dagster's id.
        status: How it went.
        state: The state of the inputs that it was started for; None where that was not recorded.
        updated_at: When its status last changed (UTC).
    """

    run_id: str
    status: dg.DagsterRunStatus
    state: str | None
    updated_at: datetime


@dataclass(frozen=True)
class Decision:
    """Whether to start a run of a bank, and why."""

    start: bool
    reason: str


def decide(state: str, runs: Sequence[PastRun], now: datetime) -> Decision:
    """Returns whether a bank needs a run.

    Args:
        state: The state of its inputs.
        runs: Its last runs, newest first.
        now: The time (UTC).

    Example:
        >>> decide("s1", [], datetime(2026, 1, 1, tzinfo=UTC))
        Decision(start=True, reason='it was never run')
    """
    for run in runs:
        if run.status in _IN_PROGRESS and now - run.updated_at < DEAD_AFTER:
            return Decision(start=False, reason=f"run {run.run_id} is in progress")
    ended = [run for run in runs if run.status not in _IN_PROGRESS]
    if not ended:
        return Decision(start=True, reason="it was never run")
    last = ended[0]
    if last.state != state:
        return Decision(start=True, reason="its inputs changed")
    if last.status is dg.DagsterRunStatus.SUCCESS:
        return Decision(start=False, reason="nothing changed")
    if last.status is dg.DagsterRunStatus.CANCELED:
        return Decision(start=False, reason=f"run {last.run_id} was canceled; a change of the inputs starts the next")
    return _retry(ended, state, now)


def _retry(ended: Sequence[PastRun], state: str, now: datetime) -> Decision:
    failed = 0
    for run in ended:
        if run.state != state or run.status is not dg.DagsterRunStatus.FAILURE:
            break
        failed += 1
    last = ended[0]
    if failed > len(RETRY_WAITS):
        return Decision(
            start=False,
            reason=f"it failed {failed} times on the same inputs, last in run {last.run_id}; repair it and run "
            "`tierlake run`, or change the inputs",
        )
    due = last.updated_at + RETRY_WAITS[failed - 1]
    if now < due:
        return Decision(start=False, reason=f"run {last.run_id} failed; it is tried again at {due:%Y-%m-%d %H:%M} UTC")
    return Decision(start=True, reason=f"run {last.run_id} failed; attempt {failed + 1} of {len(RETRY_WAITS) + 1}")


def past_runs(instance: dg.DagsterInstance, bank: str) -> list[PastRun]:
    """Returns the last runs of a bank, newest first: as many as `decide` may need."""
    records = instance.get_run_records(
        dg.RunsFilter(job_name=ingest.name, tags={"dagster/partition": bank}), limit=len(RETRY_WAITS) + 3
    )
    return [
        PastRun(
            record.dagster_run.run_id,
            record.dagster_run.status,
            record.dagster_run.tags.get(INPUT_TAG),
            # The time of the last change of status; tags that are added later count as an update, an end does not move.
            datetime.fromtimestamp(record.end_time, UTC) if record.end_time else record.update_timestamp,
        )
        for record in records
    ]


@dg.sensor(
    job=ingest,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Starts a run of each bank whose files, overrides or settings changed, and tries failed ones again.",
)
def changed_sources(context: dg.SensorEvaluationContext, settings: dg.ResourceParam[Settings]) -> dg.SensorResult:
    """Returns a run request for each bank that needs one, or says of each why it does not."""
    return evaluate(context.instance, settings, datetime.now(UTC))


def evaluate(instance: dg.DagsterInstance, settings: Settings, now: datetime) -> dg.SensorResult:
    """Returns what the sensor asks for at a time.

    Args:
        instance: Where the past runs are.
        settings: The banks and their sources.
        now: The time (UTC).
    """
    close_leftovers(instance)
    requests, reasons, seen = [], {}, {}
    banks = known_banks(settings)
    for bank in banks:
        try:
            seen[bank] = state = input_state(settings, bank)
        except SourceMissingError as error:
            # The other banks go on; the nightly run of this one fails, and alerts.
            reasons[bank] = str(error)
            continue
        runs = past_runs(instance, bank)
        decision = decide(state, runs, now)
        reasons[bank] = decision.reason
        if decision.start:
            # The newest run is part of the key: the same state may have to be run again after another one.
            key = ":".join([bank, state, runs[0].run_id if runs else "first"])
            tags = {INPUT_TAG: state, "tierlake/why": decision.reason[:200]}
            requests.append(dg.RunRequest(run_key=key, partition_key=bank, tags=tags))
    missing = sorted(set(banks) - set(instance.get_dynamic_partitions(str(BANKS.name))))
    said = "; ".join(f"{bank}: {reason}" for bank, reason in reasons.items())
    return dg.SensorResult(
        run_requests=requests,
        skip_reason=None if requests else dg.SkipReason(said or "There is no bank: tierlake.toml names no source."),
        dynamic_partitions_requests=[BANKS.build_add_request(missing)] if missing else [],
        cursor=json.dumps(seen, sort_keys=True),
    )

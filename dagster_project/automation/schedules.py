"""Every bank, every night."""

from __future__ import annotations

from collections.abc import Iterator

import dagster as dg

from assets.partitions import BANKS
from dagster_project.automation.banks import known_banks
from dagster_project.automation.jobs import ingest
from dagster_project.runs import run_tags
from tierlake.config import Settings


@dg.schedule(
    job=ingest,
    cron_schedule="0 2 * * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Runs every bank at 02:00 UTC. A bank whose inputs did not change writes nothing.",
)
def nightly(
    context: dg.ScheduleEvaluationContext, settings: dg.ResourceParam[Settings]
) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """Yields a run for each bank."""
    banks = known_banks(settings)
    if not banks:
        yield dg.SkipReason("There is no bank: tierlake.toml names no source.")
        return
    context.instance.add_dynamic_partitions(str(BANKS.name), banks)
    night = context.scheduled_execution_time.date().isoformat()
    for bank in banks:
        yield dg.RunRequest(run_key=f"{night}:{bank}", partition_key=bank, tags=run_tags(settings, bank))

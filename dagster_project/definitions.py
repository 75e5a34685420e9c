"""The code location: everything that Dagster knows about tierlake, said once."""

from __future__ import annotations

from datetime import timedelta

import dagster as dg

import assets
from assets.checks import build_checks
from assets.partitions import BANKS
from dagster_project.automation.alerts import alert_on_failure
from dagster_project.automation.jobs import ingest
from dagster_project.automation.schedules import nightly
from dagster_project.automation.sensors import changed_sources
from dagster_project.resources.lake import build_resources
from tierlake.config import Settings, load_settings

# A bank is run every night even where nothing changed: a warning after one night that was missed, a failure after two.
FRESHNESS = dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=50), warn_window=timedelta(hours=26))


def build_definitions(settings: Settings) -> dg.Definitions:
    """Returns all assets, checks, resources, jobs, schedules and sensors for the given settings."""
    tables = [each for each in dg.load_assets_from_package_module(assets) if isinstance(each, dg.AssetsDefinition)]
    executor = dg.in_process_executor
    if settings.dagster.executor == "multiprocess":
        # Steps are forked from a process that has imported what all of them need.
        server = {"forkserver": {"preload_modules": ["dagster_project.definitions", "great_expectations"]}}
        limits = {"max_concurrent": settings.dagster.max_concurrent, "start_method": server}
        executor = dg.multiprocess_executor.configured(limits)
    return dg.Definitions(
        assets=dg.map_asset_specs(lambda spec: dg.apply_freshness_policy(spec, FRESHNESS), tables),
        asset_checks=build_checks(BANKS),
        resources=build_resources(settings),
        jobs=[ingest],
        schedules=[nightly],
        sensors=[changed_sources, alert_on_failure],
        executor=executor,
    )


@dg.definitions
def defs() -> dg.Definitions:
    """Returns the definitions for the settings that `tierlake.config.find_config` finds."""
    return build_definitions(load_settings())

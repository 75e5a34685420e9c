"""What Dagster is told: a plain list of everything, and what every asset must say of itself."""

import os
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from assets.partitions import BANKS
from dagster_project.definitions import build_definitions
from tierlake.config import Settings
from transforms.schemas import TABLES

GROUPS = {
    "chunks": "ingest",
    "cooccurrences": "entities",
    "documents": "ingest",
    "entities": "entities",
    "entity_redirects": "entities",
    "events": "facts",
    "fact_index": "read",
    "facts": "facts",
    "mentions": "entities",
    "observation_backlog": "observations",
    "observations": "observations",
    "overrides": "ingest",
    "quarantine": "ingest",
    "ranking_evaluation": "evaluation",
    "resolutions": "entities",
    "tasks": "facts",
}
UPSTREAM = {
    "chunks": ["documents"],
    "cooccurrences": ["mentions", "resolutions"],
    "documents": [],
    "entities": ["mentions", "overrides"],
    "facts": ["chunks", "documents", "overrides"],
    "mentions": ["facts"],
    "observations": ["entities", "facts", "mentions", "resolutions"],
    "overrides": [],
    "ranking_evaluation": ["fact_index"],
}
# Assets that are no table of their own name.
NO_TABLE = {"fact_index", "ranking_evaluation"}


@pytest.fixture
def definitions(project: Settings) -> dg.Definitions:
    return build_definitions(project)


def _specs(definitions: dg.Definitions) -> dict[str, dg.AssetSpec]:
    return {spec.key.to_user_string(): spec for spec in definitions.resolve_all_asset_specs()}


def test_the_assets_and_their_groups(definitions: dg.Definitions) -> None:
    assert {name: spec.group_name for name, spec in _specs(definitions).items()} == GROUPS
    tables = set(TABLES) - {"extraction_cache", "summary_cache", "run_manifests"}
    assert set(GROUPS) - NO_TABLE == {name for name in tables if not name.startswith("evaluation_")}


def test_what_depends_on_what(definitions: dg.Definitions) -> None:
    specs = _specs(definitions)
    for name, expected in UPSTREAM.items():
        assert sorted(dep.asset_key.to_user_string() for dep in specs[name].deps) == expected, name


def test_jobs_schedules_and_sensors(definitions: dg.Definitions) -> None:
    repository = definitions.get_repository_def()
    assert sorted(name for name in repository.job_names if not name.startswith("__")) == ["ingest"]
    (nightly,) = repository.schedule_defs
    assert (nightly.name, nightly.cron_schedule, nightly.execution_timezone) == ("nightly", "0 2 * * *", "UTC")
    assert {sensor.name: sensor.default_status.value for sensor in repository.sensor_defs} == {
        "alert_on_failure": "RUNNING",
        "changed_sources": "RUNNING",
    }


def test_every_table_has_a_blocking_and_a_warning_check(definitions: dg.Definitions) -> None:
    checks = [
        spec
        for each in definitions.asset_checks or []
        if isinstance(each, dg.AssetChecksDefinition)
        for spec in each.check_specs
    ]
    assert sorted((spec.asset_key.to_user_string(), spec.name, spec.blocking) for spec in checks) == sorted(
        (asset, name, name == "critical")
        for asset in GROUPS
        if asset != "fact_index"
        for name in ("critical", "warnings")
    )


def test_the_job_holds_every_asset_and_check(definitions: dg.Definitions) -> None:
    job = definitions.resolve_job_def("ingest")
    graph = job.asset_layer.asset_graph
    assert {key.to_user_string() for key in job.asset_layer.executable_asset_keys} == set(GROUPS)
    assert len(graph.asset_check_keys) == 2 * (len(GROUPS) - 1)
    assert job.partitions_def == BANKS


def test_every_asset_says_what_it_is(definitions: dg.Definitions) -> None:
    for name, spec in _specs(definitions).items():
        assert spec.owners, name
        assert spec.kinds, name
        assert len(spec.description or "") > 20, name
        assert spec.code_version, name
        assert spec.partitions_def == BANKS, name
        assert spec.freshness_policy is not None, name
        if name not in NO_TABLE:
            schema = spec.metadata["dagster/column_schema"]
            assert {column.name: column.type for column in schema.columns} == {
                column: str(dtype) for column, dtype in TABLES[name].schema.items()
            }
            assert all(column.description for column in schema.columns), name


def test_column_lineage_names_columns_that_exist(definitions: dg.Definitions) -> None:
    specs = _specs(definitions)
    with_lineage = {name for name, spec in specs.items() if "dagster/column_lineage" in spec.metadata}
    assert with_lineage >= {"chunks", "facts", "mentions", "entities", "resolutions", "cooccurrences", "observations"}
    for name in with_lineage:
        lineage = specs[name].metadata["dagster/column_lineage"]
        for column, sources in lineage.deps_by_column.items():
            assert column in TABLES[name].schema, f"{name}.{column}"
            for source in sources:
                table = source.asset_key.to_user_string()
                assert source.column_name in TABLES[table].schema, f"{name}.{column} <- {table}.{source.column_name}"


@pytest.mark.parametrize(("setting", "name"), [("in_process", "in_process"), ("multiprocess", "multiprocess")])
def test_the_executor_is_a_setting(project: Settings, setting: str, name: str) -> None:
    chosen = project.model_copy(update={"dagster": project.dagster.model_copy(update={"executor": setting})})
    assert build_definitions(chosen).resolve_job_def("ingest").executor_def.name == name


def test_dg_check_defs(project: Settings) -> None:
    """The code location loads from nothing but TIERLAKE_CONFIG, as `dg` and the UI load it."""
    root = Path(__file__).resolve().parents[2]
    home = project.base / "dagster_home"
    home.mkdir()
    (home / "dagster.yaml").write_text("telemetry: {enabled: false}\n", encoding="utf-8")
    environment = {**os.environ, "DAGSTER_HOME": str(home), "DAGSTER_DG_TELEMETRY_ENABLED": "0"}
    environment["VIRTUAL_ENV"] = str(Path(sys.executable).parents[1])
    done = subprocess.run(
        [str(Path(sys.executable).with_name("dg")), "check", "defs"],
        cwd=root, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Warning" not in done.stdout + done.stderr

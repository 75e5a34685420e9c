"""Runs in this process, on a real lake and a real instance."""

import json
from dataclasses import asdict
from pathlib import Path

import dagster as dg
import pytest

from dagster_project.failures import explain, own_errors
from dagster_project.home import open_instance
from dagster_project.runs import execute_ingest, summarize
from tierlake.config import Settings, load_settings
from tierlake.lake import Lake
from tierlake.manifest import read_published

ASSETS = [
    "documents", "overrides", "chunks", "facts", "mentions", "entities", "resolutions", "entity_redirects",
    "cooccurrences", "observations", "observation_backlog", "tasks", "events", "quarantine", "fact_index",
    "ranking_evaluation",
]  # fmt: skip


def test_a_project_is_run_again_and_loses_a_bank(project: Settings, capfd: pytest.CaptureFixture[str]) -> None:
    seen: list[tuple[str, int, int]] = []
    runs = execute_ingest(project, on_step=lambda *step: seen.append(step))
    assert [(run.bank, run.success, run.failures, run.failed_checks) for run in runs] == [
        ("one", True, [], []),
        ("two", True, [], []),
    ]
    # Nothing but what the caller prints reaches the terminal.
    assert capfd.readouterr() == ("", "")
    lake = Lake(project.lake_root)
    rows = {row.asset: row for row in runs[0].rows}
    assert set(rows) == set(ASSETS)
    assert (rows["documents"].rows, rows["documents"].changed) == (1, 1)
    assert rows["facts"].rows == lake.count("facts", "one") == 2
    assert rows["facts"].delta_version == 1
    assert rows["facts"].seconds > 0
    assert rows["fact_index"].delta_version is None
    json.dumps([asdict(run) for run in runs])

    published = read_published(project.lake_root, "one")
    assert published is not None
    assert published.run_id == runs[0].run_id

    first = [step for step in seen if step[0].startswith("one: ")]
    assert [done for _, done, _ in first] == list(range(len(first)))
    assert {total for _, _, total in seen} == {len(first)}

    with open_instance(project) as instance:
        recorded = instance.get_run_by_id(runs[0].run_id)
        assert recorded is not None
        assert recorded.status is dg.DagsterRunStatus.SUCCESS
        assert recorded.tags["dagster/partition"] == "one"
        latest = instance.get_latest_materialization_event(dg.AssetKey("facts"))
        assert latest is not None
        assert latest.asset_materialization is not None
        assert latest.asset_materialization.metadata["delta_version"].value == lake.version("facts")

    # The second bank loses its source: it is still run, and emptied. Of the first nothing changes.
    versions = {name: lake.version(name) for name in ("facts", "documents", "run_manifests")}
    file = project.base / "tierlake.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text[: text.index('[[sources]]\nname = "two"')], encoding="utf-8")
    less = load_settings(file)
    assert less.banks == ["one"]
    again = execute_ingest(less)
    assert [(run.bank, run.success) for run in again] == [("one", True), ("two", True)]
    assert [row.asset for row in again[0].rows if row.changed] == []
    assert lake.count("documents", "two") == lake.count("facts", "two") == 0
    assert lake.count("facts", "one") == 2
    assert {name: lake.version(name) for name in versions} == {
        name: (version or 0) + 1 for name, version in versions.items()
    }


def test_a_failure_names_asset_reason_and_next_step(
    project: Settings, instance: dg.DagsterInstance, broken_override: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (run,) = execute_ingest(project, ["one"], instance=instance)
    assert not run.success
    (failure,) = run.failures
    assert failure.asset == "overrides"
    assert f"{broken_override.name}:1" in failure.message
    assert "Traceback" not in failure.message
    assert failure.next_step == "do what the message says, then `tierlake run --bank one`"
    assert read_published(project.lake_root, "one") is None
    assert "Traceback" not in "".join(capfd.readouterr())


def test_a_failed_blocking_check_is_a_failed_check_and_no_failure(instance: dg.DagsterInstance) -> None:
    @dg.asset
    def facts() -> None: ...

    @dg.asset_check(asset=facts, blocking=True)
    def critical() -> dg.AssetCheckResult:
        return dg.AssetCheckResult(passed=False, description="broken: facts.keys (1 of 2)")

    @dg.asset_check(asset=facts)
    def warnings() -> dg.AssetCheckResult:
        return dg.AssetCheckResult(passed=False, severity=dg.AssetCheckSeverity.WARN, description="odd")

    result = dg.materialize([facts, critical, warnings], instance=instance, raise_on_error=False)
    events = [entry.dagster_event for entry in instance.all_logs(result.run_id) if entry.dagster_event]
    run = summarize("one", result.run_id, events, success=result.success)
    assert run.failures == []
    assert sorted((str(check), check.blocking) for check in run.failed_checks) == [
        ("facts.critical: broken: facts.keys (1 of 2)", True),
        ("facts.warnings: odd", False),
    ]


def test_own_errors_are_quoted_and_others_only_where_allowed() -> None:
    assert {"TierlakeError", "LakeError", "ConfigError", "SourceMissingError", "InvalidReadOptions"} <= own_errors()

    class Told:
        cause = None
        cls_name = "ValueError"
        message = "ValueError: salary of Alice\n"

    shown = explain("facts", Told(), bank="one", run_id="r1", quote_unknown=True)
    assert shown.message == "ValueError: salary of Alice"
    sent = explain("facts", Told(), bank="one", run_id="r1", quote_unknown=False)
    assert sent.message == "ValueError (its message stands in the log of the run)"
    assert "r1" in sent.next_step
    nothing = explain("run", None, bank="one", run_id="r1", quote_unknown=False)
    assert nothing.next_step == "run `tierlake run --bank one` again"

"""The sensor on the sources and the nightly schedule, over real runs in a real instance."""

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from dagster_project.automation.banks import INPUT_TAG, input_state
from dagster_project.automation.schedules import nightly
from dagster_project.automation.sensors import (
    DEAD_AFTER,
    RETRY_WAITS,
    Decision,
    PastRun,
    changed_sources,
    decide,
    evaluate,
)
from dagster_project.definitions import build_definitions
from dagster_project.home import open_instance
from dagster_project.runs import execute_ingest
from tierlake.config import Settings

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
OK, FAILED, STARTED = dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.STARTED


def _run(name: str, status: dg.DagsterRunStatus, state: str | None, minutes_ago: float) -> PastRun:
    return PastRun(name, status, state, NOW - timedelta(minutes=minutes_ago))


@pytest.mark.parametrize(
    ("runs", "start", "reason"),
    [
        ([], True, "it was never run"),
        ([_run("a", OK, "s", 1)], False, "nothing changed"),
        ([_run("a", OK, "old", 1)], True, "its inputs changed"),
        ([_run("a", OK, None, 1)], True, "its inputs changed"),
        ([_run("a", STARTED, "old", 1), _run("b", OK, "old", 9)], False, "run a is in progress"),
        ([_run("a", STARTED, "s", 361), _run("b", OK, "s", 400)], False, "nothing changed"),
        ([_run("a", STARTED, "s", 361)], True, "it was never run"),
        ([_run("a", FAILED, "s", 4)], False, "run a failed; it is tried again at 2026-05-01 12:01 UTC"),
        ([_run("a", FAILED, "s", 5)], True, "run a failed; attempt 2 of 4"),
        (
            [_run("b", FAILED, "s", 6), _run("a", FAILED, "s", 90)],
            False,
            "run b failed; it is tried again at 2026-05-01 12:14 UTC",
        ),
        ([_run("b", FAILED, "s", 20), _run("a", FAILED, "s", 90)], True, "run b failed; attempt 3 of 4"),
        ([_run("b", FAILED, "s", 5), _run("a", FAILED, "old", 90)], True, "run b failed; attempt 2 of 4"),
        ([_run("b", FAILED, "s", 5), _run("a", OK, "s", 90)], True, "run b failed; attempt 2 of 4"),
        ([_run("b", FAILED, "old", 0)], True, "its inputs changed"),
    ],
)
def test_decisions(runs: list[PastRun], start: bool, reason: str) -> None:  # noqa: FBT001  # a table's column
    assert decide("s", runs, NOW) == Decision(start=start, reason=reason)


def test_a_canceled_run_waits_for_a_change() -> None:
    canceled = [_run("a", dg.DagsterRunStatus.CANCELED, "s", 600)]
    assert not decide("s", canceled, NOW).start
    assert decide("t", canceled, NOW).start


def test_attempts_are_bounded() -> None:
    runs = [_run(f"r{number}", FAILED, "s", 10_000 + number) for number in range(len(RETRY_WAITS) + 1)]
    decision = decide("s", runs, NOW)
    assert not decision.start
    assert "failed 4 times" in decision.reason
    assert decide("changed", runs, NOW).start
    assert max(RETRY_WAITS) < DEAD_AFTER


def _evaluate(instance: dg.DagsterInstance, settings: Settings) -> dg.SensorResult:
    with dg.build_sensor_context(instance=instance, resources={"settings": settings}) as context:
        result = changed_sources(context)
    assert isinstance(result, dg.SensorResult)
    for request in result.dynamic_partitions_requests or []:
        instance.add_dynamic_partitions(request.partitions_def_name, list(request.partition_keys))
    return result


def _launch(instance: dg.DagsterInstance, settings: Settings, request: dg.RunRequest) -> bool:
    job = build_definitions(settings).resolve_job_def("ingest")
    return job.execute_in_process(
        run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        instance=instance,
        partition_key=request.partition_key,
        tags=dict(request.tags),
        raise_on_error=False,
    ).success


def _asked(result: dg.SensorResult) -> list[str]:
    return [str(request.partition_key) for request in result.run_requests or []]


def _skipped(result: dg.SensorResult) -> str:
    assert isinstance(result.skip_reason, dg.SkipReason)
    return str(result.skip_reason.skip_message)


def test_only_changed_banks_are_asked_for(project: Settings, instance: dg.DagsterInstance) -> None:
    first = _evaluate(instance, project)
    assert _asked(first) == ["one", "two"]
    assert sorted(instance.get_dynamic_partitions("bank")) == ["one", "two"]
    # What the command runs counts as much as what the sensor asked for.
    assert _launch(instance, project, (first.run_requests or [])[0])
    assert [run.success for run in execute_ingest(project, ["two"], instance=instance)] == [True]

    quiet = _evaluate(instance, project)
    assert _asked(quiet) == []
    assert _skipped(quiet) == "one: nothing changed; two: nothing changed"
    assert json.loads(quiet.cursor or "") == {bank: input_state(project, bank) for bank in ("one", "two")}

    (project.base / "two" / "more.md").write_text("The depot opens at nine.\n", encoding="utf-8")
    changed = _evaluate(instance, project)
    assert _asked(changed) == ["two"]
    assert (changed.run_requests or [])[0].tags["tierlake/why"] == "its inputs changed"
    # Asked for and not yet launched: asking again is the same run, by its key.
    assert [r.run_key for r in _evaluate(instance, project).run_requests or []] == [
        r.run_key for r in changed.run_requests or []
    ]
    # Taking the file back gives an earlier state, and needs a run all the same once that one has been done.
    assert _launch(instance, project, (changed.run_requests or [])[0])
    (project.base / "two" / "more.md").unlink()
    back = _evaluate(instance, project)
    assert _asked(back) == ["two"]
    assert (back.run_requests or [])[0].run_key != (first.run_requests or [])[1].run_key


def test_a_failed_bank_is_tried_again_and_then_left_to_people(
    project: Settings, instance: dg.DagsterInstance, broken_override: Path
) -> None:
    first = _evaluate(instance, project)
    assert not _launch(instance, project, (first.run_requests or [])[0])
    started = datetime.now(UTC)
    assert "one" not in _asked(evaluate(instance, project, started))
    now = started
    for attempt, wait in enumerate(RETRY_WAITS, start=2):
        now = datetime.now(UTC) + wait
        again = evaluate(instance, project, now)
        (request,) = [each for each in again.run_requests or [] if each.partition_key == "one"]
        assert f"attempt {attempt} of 4" in request.tags["tierlake/why"]
        assert not _launch(instance, project, request)
    assert "one" not in _asked(evaluate(instance, project, now + timedelta(days=30)))
    # Repairing it changes the inputs: that is a new start.
    broken_override.unlink()
    repaired = [each for each in _evaluate(instance, project).run_requests or [] if each.partition_key == "one"]
    assert _launch(instance, project, repaired[0])
    assert "one" not in _asked(_evaluate(instance, project))


def test_a_missing_source_stops_its_own_bank_only(project: Settings, instance: dg.DagsterInstance) -> None:
    shutil.rmtree(project.base / "one")
    result = _evaluate(instance, project)
    assert _asked(result) == ["two"]
    assert list(json.loads(result.cursor or "")) == ["two"]
    shutil.rmtree(project.base / "two")
    skipped = _skipped(_evaluate(instance, project))
    assert "one: " in skipped
    assert str(project.base / "two") in skipped


def test_the_night_runs_every_bank(project: Settings) -> None:
    with (
        open_instance(project) as instance,
        dg.build_schedule_context(
            instance=instance,
            scheduled_execution_time=datetime(2026, 5, 2, 2, tzinfo=UTC),
            resources={"settings": project},
        ) as context,
    ):
        requests = list(nightly(context))
        assert sorted(instance.get_dynamic_partitions("bank")) == ["one", "two"]
    assert [(r.partition_key, r.run_key) for r in requests] == [
        ("one", "2026-05-02:one"),
        ("two", "2026-05-02:two"),
    ]
    assert requests[0].tags[INPUT_TAG] == input_state(project, "one")


def test_what_the_state_of_a_bank_depends_on(project: Settings) -> None:
    before = {bank: input_state(project, bank) for bank in ("one", "two")}
    (project.base / "one" / "more.md").write_text("x", encoding="utf-8")
    after = {bank: input_state(project, bank) for bank in ("one", "two")}
    assert after["one"] != before["one"]
    assert after["two"] == before["two"]
    (project.base / "overrides" / "o.jsonl").write_text("\n", encoding="utf-8")
    assert input_state(project, "two") != after["two"]

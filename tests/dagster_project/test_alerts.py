"""Alerts, delivered to a real HTTP server and a real command."""

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import dagster as dg
import pytest

from dagster_project.automation.alerts import AlertError, alert_on_failure, alert_payload, deliver
from dagster_project.runs import execute_ingest
from tierlake.config import AlertSettings, Settings

BANKS = dg.DynamicPartitionsDefinition(name="bank")


class Hook:
    """A server that answers with the given statuses, then 200, and keeps what it was sent."""

    def __init__(self) -> None:
        self.answers: list[int] = []
        self.received: list[dict] = []
        hook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hook.received.append(json.loads(body))
                self.send_response(hook.answers.pop(0) if hook.answers else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """The terminal is for the tests."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook?token=s3cret"


@pytest.fixture
def hook() -> Iterator[Hook]:
    made = Hook()
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


@dg.asset(partitions_def=BANKS)
def facts() -> None:
    raise ValueError("cannot parse: Alice earns 90,000")


def _failed(instance: dg.DagsterInstance) -> dg.DagsterRun:
    instance.add_dynamic_partitions("bank", ["one"])
    result = dg.materialize([facts], instance=instance, partition_key="one", raise_on_error=False)
    assert not result.success
    return result.dagster_run


def test_what_is_told_of_a_failure_and_never_a_documents_text(instance: dg.DagsterInstance) -> None:
    run = _failed(instance)
    payload = alert_payload(instance, run)
    assert payload["run"] == run.run_id
    assert payload["bank"] == "one"
    assert payload["asset"] == "facts"
    assert payload["reason"] == "ValueError (its message stands in the log of the run)"
    assert "tierlake run --bank one" in payload["next_step"]
    assert payload["failures"] == [{name: payload[name] for name in ("asset", "reason", "next_step")}]
    assert "Alice" not in json.dumps(payload)


def test_tierlakes_own_reason_is_told(project: Settings, instance: dg.DagsterInstance, broken_override: Path) -> None:
    (run,) = execute_ingest(project, ["two"], instance=instance)
    recorded = instance.get_run_by_id(run.run_id)
    assert recorded is not None
    payload = alert_payload(instance, recorded)
    assert payload["asset"] == "overrides"
    assert f"{broken_override.name}:1" in payload["reason"]


def test_a_failed_check_is_told(instance: dg.DagsterInstance) -> None:
    @dg.asset
    def chunks() -> None: ...

    @dg.asset_check(asset=chunks, blocking=True)
    def critical() -> dg.AssetCheckResult:
        return dg.AssetCheckResult(passed=False, description="broken: chunks.keys (1 of 2)")

    result = dg.materialize([chunks, critical], instance=instance, raise_on_error=False)
    payload = alert_payload(instance, result.dagster_run)
    assert payload["asset"] == "chunks"
    assert payload["reason"] == "check chunks.critical: broken: chunks.keys (1 of 2)"
    assert payload["failed_checks"] == ["chunks.critical: broken: chunks.keys (1 of 2)"]


@pytest.mark.parametrize("answers", [[], [503], [500, 429, 502]])
def test_a_webhook_that_recovers_is_reached(hook: Hook, answers: list[int]) -> None:
    hook.answers = list(answers)
    deliver(AlertSettings(webhook=hook.url), {"run": "r1"})
    assert hook.received == [{"run": "r1"}] * (len(answers) + 1)


def test_a_refusal_is_not_repeated_and_the_address_not_told(hook: Hook) -> None:
    hook.answers = [400]
    with pytest.raises(AlertError, match=r"\[alerts\] webhook: HTTPStatusError") as caught:
        deliver(AlertSettings(webhook=hook.url), {"run": "r1"})
    assert len(hook.received) == 1
    assert "s3cret" not in str(caught.value)


def test_a_command_gets_json_on_its_standard_input(tmp_path: Path) -> None:
    script = "import pathlib, sys; pathlib.Path(sys.argv[1]).write_bytes(sys.stdin.buffer.read())"
    target = tmp_path / "alert $(touch never).json"
    deliver(AlertSettings(command=[sys.executable, "-c", script, str(target)]), {"run": "r1", "bank": "büro"})
    assert json.loads(target.read_text(encoding="utf-8")) == {"run": "r1", "bank": "büro"}


def test_a_broken_command_does_not_keep_the_webhook_from_being_told(hook: Hook) -> None:
    alerts = AlertSettings(webhook=hook.url, command=[sys.executable, "-c", "raise SystemExit(3)"])
    with pytest.raises(AlertError, match=r"\[alerts\] command"):
        deliver(alerts, {"run": "r1"})
    assert hook.received == [{"run": "r1"}]
    with pytest.raises(AlertError, match="FileNotFoundError"):
        deliver(AlertSettings(command=["no-such-program-here"]), {"run": "r1"})


def _sensor_context(instance: dg.DagsterInstance, run: dg.DagsterRun, settings: Settings) -> dg.RunFailureSensorContext:
    (event,) = [
        entry.dagster_event
        for entry in instance.all_logs(run.run_id)
        if entry.dagster_event is not None and entry.dagster_event.is_job_failure
    ]
    return dg.build_run_status_sensor_context(
        sensor_name=alert_on_failure.name,
        dagster_event=event,
        dagster_instance=instance,
        dagster_run=run,
        resources={"settings": settings},
    ).for_run_failure()


def test_the_sensor_delivers(project: Settings, instance: dg.DagsterInstance, hook: Hook) -> None:
    run = _failed(instance)
    told = project.model_copy(update={"alerts": AlertSettings(webhook=hook.url)})
    assert alert_on_failure(_sensor_context(instance, run, told)) is None
    assert [sent["run"] for sent in hook.received] == [run.run_id]


def test_the_sensor_says_that_nobody_is_to_be_told(project: Settings, instance: dg.DagsterInstance) -> None:
    skipped = alert_on_failure(_sensor_context(instance, _failed(instance), project))
    assert isinstance(skipped, dg.SkipReason)

"""Tells a webhook or a command that a run failed: run, bank, asset, reason, next step; never text of a document."""

from __future__ import annotations

import json
import subprocess
from typing import Any, Final

import dagster as dg
import httpx2
from tenacity import retry, retry_if_exception, stop_after_attempt, wait_exponential

from dagster_project.runs import FailedCheck, events_of, summarize
from tierlake.config import AlertSettings, Settings

TIMEOUT_SECONDS: Final = 10.0
ATTEMPTS: Final = 4
SERVER_ERRORS: Final = 500
TOO_MANY: Final = 429


class AlertError(Exception):
    """An alert could not be delivered everywhere; says where and why."""


@dg.run_failure_sensor(
    default_status=dg.DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=30,
    description="Posts every failed run to the webhook or command of [alerts].",
)
def alert_on_failure(context: dg.RunFailureSensorContext, settings: dg.ResourceParam[Settings]) -> dg.SkipReason | None:
    """Delivers the alert of one failed run; says so where no one is to be told."""
    if not (settings.alerts.webhook or settings.alerts.command):
        return dg.SkipReason("[alerts] of tierlake.toml names neither a webhook nor a command.")
    deliver(settings.alerts, alert_payload(context.instance, context.dagster_run))
    return None


def alert_payload(instance: dg.DagsterInstance, run: dg.DagsterRun) -> dict[str, Any]:
    """Returns what is told of a failed run.

    `asset`, `reason` and `next_step` are of the first failure; `failures` holds all, `failed_checks` the checks that
    did not pass. Messages of errors that are not tierlake's own are left out, since they may quote a document.

    Args:
        instance: Where the run is recorded.
        run: The run.
    """
    bank = run.tags.get("dagster/partition", "")
    done = summarize(bank, run.run_id, events_of(instance, run.run_id), success=False, quote_unknown=False)
    blocking = [check for check in done.failed_checks if check.blocking]
    failures = [
        {"asset": failure.asset, "reason": failure.message, "next_step": failure.next_step} for failure in done.failures
    ]
    failures += [_of_check(check, bank) for check in blocking]
    first = failures[0] if failures else {"asset": "", "reason": "no reason was recorded", "next_step": ""}
    return {
        "run": run.run_id,
        "job": run.job_name,
        "bank": bank,
        **first,
        "failures": failures,
        "failed_checks": [str(check) for check in done.failed_checks],
    }


def _of_check(check: FailedCheck, bank: str) -> dict[str, str]:
    return {
        "asset": check.table,
        "reason": f"check {check}",
        "next_step": f"look at the check's metadata in `tierlake ui` (asset {check.table}), repair its input, then "
        f"`tierlake run --bank {bank}`; readers keep the last good set until then",
    }


def deliver(alerts: AlertSettings, payload: dict[str, Any]) -> None:
    """Sends an alert everywhere that the settings name; one that fails does not keep the other from being tried.

    Args:
        alerts: The settings `[alerts]`.
        payload: What to tell, as JSON.

    Raises:
        AlertError: It could not be delivered everywhere.
    """
    faults = []
    if alerts.webhook:
        try:
            post(alerts.webhook, payload)
        except httpx2.HTTPError as error:
            # The address may hold a secret: it is not repeated.
            faults.append(f"[alerts] webhook: {type(error).__name__} after {ATTEMPTS} attempts")
    if alerts.command:
        try:
            run_command(alerts.command, payload)
        except (OSError, subprocess.SubprocessError) as error:
            faults.append(f"[alerts] command {alerts.command[0]!r}: {type(error).__name__}: {error}")
    if faults:
        raise AlertError("; ".join(faults) + ". Check [alerts] of tierlake.toml.")


def _worth_another_try(error: BaseException) -> bool:
    """Returns whether the same request may succeed later: no answer, a server's fault, or too many requests."""
    if isinstance(error, httpx2.HTTPStatusError):
        return error.response.status_code >= SERVER_ERRORS or error.response.status_code == TOO_MANY
    return isinstance(error, httpx2.TransportError)


@retry(
    retry=retry_if_exception(_worth_another_try),
    stop=stop_after_attempt(ATTEMPTS),
    # Seconds: 0.5, 1, 2. Longer waits would hold up the daemon, whose sensors take turns.
    wait=wait_exponential(multiplier=0.5, max=5),
    reraise=True,
)
def post(url: str, payload: dict[str, Any]) -> None:
    """Posts JSON, and tries again where that may help.

    Raises:
        httpx2.HTTPError: It was refused, or nobody answered.
    """
    httpx2.post(url, json=payload, timeout=TIMEOUT_SECONDS).raise_for_status()


def run_command(command: list[str], payload: dict[str, Any]) -> None:
    """Runs a command, without a shell, with the alert as one line of JSON on its standard input.

    Raises:
        OSError: It cannot be started.
        subprocess.SubprocessError: It failed or took too long.
    """
    # One line, so that a command which appends to a file makes JSON Lines.
    line = json.dumps(payload, ensure_ascii=False) + "\n"
    subprocess.run(  # noqa: S603  # the person who runs tierlake chose the command; nothing else is in it
        command, input=line.encode(), check=True, timeout=60, capture_output=True
    )

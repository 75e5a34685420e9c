"""A run whose process is killed does not stay in progress."""

import signal
import subprocess
import sys
from datetime import UTC, datetime

import dagster as dg

from dagster_project.automation.sensors import evaluate
from dagster_project.home import open_instance
from dagster_project.leftovers import PROCESS_TAG, close_leftovers, process_tag
from tierlake.config import Settings

KILLED = """
import os, pathlib, signal, sys
from dagster_project.runs import execute_ingest
from tierlake.config import load_settings

settings = load_settings(pathlib.Path(sys.argv[1]))
def die(name, *_):
    if name == "one: chunks":
        os.kill(os.getpid(), signal.SIGKILL)

execute_ingest(settings, ["one"], on_step=die)
"""


def test_a_killed_run_is_closed_and_tried_again(project: Settings) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(project.base / "tierlake.toml")], check=False)
    assert done.returncode == -signal.SIGKILL
    with open_instance(project) as instance:
        (run,) = instance.get_runs()
        assert run.status is dg.DagsterRunStatus.STARTED
        waiting = evaluate(instance, project, datetime.now(UTC))
        assert [request.partition_key for request in waiting.run_requests or []] == ["two"]
        closed = instance.get_run_by_id(run.run_id)
        assert closed is not None
        assert closed.status is dg.DagsterRunStatus.FAILURE
        assert close_leftovers(instance) == []


def test_a_run_of_a_living_process_is_left_alone(instance: dg.DagsterInstance) -> None:
    @dg.op
    def look(context: dg.OpExecutionContext) -> list[str]:
        return close_leftovers(context.instance)

    @dg.job
    def looking() -> None:
        look()

    assert list(process_tag()) == [PROCESS_TAG]
    result = looking.execute_in_process(instance=instance, tags=process_tag())
    assert result.output_for_node("look") == []
    elsewhere = looking.execute_in_process(instance=instance, tags={PROCESS_TAG: "another-host:1"})
    assert elsewhere.output_for_node("look") == []

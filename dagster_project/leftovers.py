"""Runs whose process died without a word: they would be in progress for ever.

The daemon looks after the runs that it launched. A run of `tierlake run` belongs to a process that only its own tag
knows, so tierlake looks after these.
"""

from __future__ import annotations

import os
import socket
from typing import Final

import dagster as dg

# Host and process id of a run in the process of `tierlake run`.
PROCESS_TAG: Final = "tierlake/process"


def process_tag() -> dict[str, str]:
    """Returns the tag of a run in this process."""
    return {PROCESS_TAG: f"{socket.gethostname()}:{os.getpid()}"}


def close_leftovers(instance: dg.DagsterInstance) -> list[str]:
    """Returns the ids of the runs that are marked as failed now, since their process on this host is gone.

    Args:
        instance: Where the runs are recorded.
    """
    closed = []
    for run in instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED])):
        host, _, process = run.tags.get(PROCESS_TAG, "").rpartition(":")
        if host == socket.gethostname() and not _is_alive(int(process)):
            instance.report_run_failed(run, f"Process {process}, which ran it, has ended without a word.")
            closed.append(run.run_id)
    return closed


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        # It is there, and somebody else's.
        return True
    return True

"""Dagster's home: its settings, an instance over it that is quick on SQLite, and the UI."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tierlake.config import Settings
from tierlake.errors import TierlakeError

if TYPE_CHECKING:
    from dagster import DagsterInstance

# Dagster's own name for the settings of an instance; and ours for the same instance as `tierlake run` opens it.
SERVICE_FILE: Final = "dagster.yaml"
IN_PROCESS_FILE: Final = "in_process.yaml"
_QUIET: Final[dict[str, Any]] = {"telemetry": {"enabled": False}, "nux": {"enabled": False}}


def prepare_home(settings: Settings) -> Path:
    """Returns Dagster's home after writing its settings files where they are missing or out of date.

    `dagster.yaml` is what the UI, the daemon and `dg launch` use. `in_process.yaml` is the same home without captured
    output and without pools: output that Dagster captures is no terminal any more, so that progress bars would vanish,
    and a slot of a pool that a killed process held would make the next run wait for the daemon to free it.

    Args:
        settings: `[dagster] home` and `max_concurrent`.
    """
    home = settings.path(settings.dagster.home)
    home.mkdir(parents=True, exist_ok=True)
    for name, content in ((SERVICE_FILE, _service(settings)), (IN_PROCESS_FILE, _in_process())):
        text = "# Written by tierlake from [dagster] of its settings; changes here are lost.\n"
        # Every JSON document is YAML.
        text += json.dumps(content, indent=2) + "\n"
        file = home / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
    return home


def _service(settings: Settings) -> dict[str, Any]:
    limit = settings.dagster.max_concurrent
    one_run_a_bank = {"key": "dagster/partition", "value": {"applyLimitPerUniqueValue": True}, "limit": 1}
    return {
        **_QUIET,
        "freshness": {"enabled": True},
        "concurrency": {
            "runs": {"max_concurrent_runs": limit, "tag_concurrency_limits": [one_run_a_bank]},
            "pools": {"default_limit": limit, "granularity": "op"},
        },
        # Finds runs whose process died, and frees their slots.
        "run_monitoring": {"enabled": True, "free_slots_after_run_end_seconds": 60},
        # Days. Dagster has no such setting for runs: they are kept, and are what the sensor knows the past from.
        "retention": {
            "sensor": {"purge_after_days": {"skipped": 1, "started": 30, "success": 30, "failure": 90}},
            "schedule": {"purge_after_days": {"skipped": 7, "started": 90, "success": 90, "failure": 90}},
        },
    }


def _in_process() -> dict[str, Any]:
    no_capture = {"module": "dagster._core.storage.noop_compute_log_manager", "class": "NoOpComputeLogManager"}
    return {**_QUIET, "compute_logs": no_capture}


@contextmanager
def open_instance(settings: Settings) -> Iterator[DagsterInstance]:
    """Gives an instance over Dagster's home for runs in this process, and closes it."""
    from dagster import DagsterInstance

    home = prepare_home(settings)
    with quick_sqlite(home), DagsterInstance.from_config(str(home), IN_PROCESS_FILE) as instance:
        yield instance


@contextmanager
def quick_sqlite(folder: Path) -> Iterator[None]:
    """Makes this process wait less for the disk when it writes SQLite databases below a folder.

    Dagster opens a connection for each event and closes it. SQLite copies its write-ahead log into the database when
    the last connection closes, which is several waits for the disk an event. With one more connection kept open for
    each database, and the log synchronized when it is copied only, an event costs none. A process that is killed
    loses nothing; a power cut may lose the last events, and never damages the database.

    Measured with a disk that takes 4 ms to synchronize, for 15 assets with two checks each: 8.5 s before, 1.2 s after.
    """
    from sqlalchemy import Engine, event

    kept: dict[str, sqlite3.Connection] = {}

    def on_connect(connection: Any, _record: object) -> None:
        if not isinstance(connection, sqlite3.Connection):
            return
        file = connection.execute("PRAGMA database_list").fetchone()[2]
        if not file or folder.resolve() not in Path(file).resolve().parents:
            return
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        if file not in kept:
            # Threads of Dagster connect too; nobody uses this connection, so that no thread can disturb another.
            kept[file] = sqlite3.connect(file, check_same_thread=False)
            # A connection joins the write-ahead log with its first look at the database.
            kept[file].execute("SELECT count(*) FROM sqlite_master").fetchall()

    event.listen(Engine, "connect", on_connect)
    try:
        yield
    finally:
        event.remove(Engine, "connect", on_connect)
        for connection in kept.values():
            connection.close()


def service_environment(settings: Settings, config: Path) -> dict[str, str]:
    """Returns the environment in which Dagster's own commands find these settings and this home."""
    return {
        **os.environ,
        "DAGSTER_HOME": str(prepare_home(settings)),
        "TIERLAKE_CONFIG": str(config.resolve()),
    }


class PortError(TierlakeError):
    """The UI cannot listen on a port."""

    def __init__(self, port: int, why: str) -> None:
        self.port = port
        super().__init__(
            f"the UI cannot listen on 127.0.0.1:{port} ({why}); name another with --port, or 0 for a free one"
        )


def free_port() -> int:
    """Returns a port of 127.0.0.1 that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _check_port(port: int) -> None:
    """Raises where nothing can listen on the port now."""
    with socket.socket() as probe:
        # As the server does it: a port that an ended server has just left is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as error:
            raise PortError(port, str(error)) from error


def serve_ui(settings: Settings, config: Path, port: int) -> int:
    """Returns the exit code of the Dagster UI and daemon after they have ended (Ctrl-C, or SIGTERM).

    Args:
        settings: The settings.
        config: The file that they come from.
        port: Port on 127.0.0.1; 0 takes a free one.

    Raises:
        PortError: Something else listens on the port, or it is none.
    """
    port = port or free_port()
    _check_port(port)
    environment = service_environment(settings, config)
    # Dagster recommends `dg dev` instead, which is made for developers: it needs a project's folder.
    environment["PYTHONWARNINGS"] = "ignore:Function `dev_command`"
    sys.stderr.write(f"Dagster UI: http://127.0.0.1:{port}  (Ctrl-C ends it)\n")
    command = [sys.executable, "-m", "dagster", "dev", "-m", "dagster_project.definitions"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--log-level", "warning"]
    # Started in Dagster's home, since a tierlake.toml in the working directory would come before TIERLAKE_CONFIG.
    process = subprocess.Popen(command, env=environment, cwd=environment["DAGSTER_HOME"])  # noqa: S603  # our own command
    before = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        return process.wait()
    except KeyboardInterrupt:
        # The terminal has sent the signal to Dagster too; it ends by itself.
        return process.wait() and 0
    finally:
        signal.signal(signal.SIGTERM, before)

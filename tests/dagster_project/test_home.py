"""Dagster's home: its files, the UI's environment, and what a killed process leaves."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from dagster_project.home import (
    PortError,
    free_port,
    open_instance,
    prepare_home,
    quick_sqlite,
    serve_ui,
    service_environment,
)
from tierlake.config import Settings

KILLED = """
import os, signal, sys
from pathlib import Path
from sqlalchemy import create_engine, text
from dagster_project.home import quick_sqlite

folder = Path(sys.argv[1])
with quick_sqlite(folder):
    engine = create_engine(f"sqlite:///{folder}/events.db")
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE events (number INTEGER)"))
    for number in range(50):
        with engine.begin() as connection:
            connection.execute(text(f"INSERT INTO events VALUES ({number})"))
    os.kill(os.getpid(), signal.SIGKILL)
"""


def _content(home: Path, name: str) -> dict:
    text = (home / name).read_text(encoding="utf-8")
    return json.loads("\n".join(line for line in text.splitlines() if not line.startswith("#")))


def test_a_home_is_written_once(project: Settings) -> None:
    home = prepare_home(project)
    assert home == project.base / "home"
    before = {file.name: file.stat().st_mtime_ns for file in home.iterdir()}
    assert set(before) == {"dagster.yaml", "in_process.yaml"}
    prepare_home(project)
    assert {file.name: file.stat().st_mtime_ns for file in home.iterdir()} == before


def test_what_a_home_says(project: Settings) -> None:
    home = prepare_home(project)
    service = _content(home, "dagster.yaml")
    assert service["telemetry"] == {"enabled": False}
    assert service["nux"] == {"enabled": False}
    assert service["freshness"] == {"enabled": True}
    assert service["concurrency"]["runs"]["max_concurrent_runs"] == 2
    assert service["concurrency"]["pools"]["default_limit"] == 2
    assert "concurrency" not in _content(home, "in_process.yaml")


def test_changed_settings_change_the_home(project: Settings) -> None:
    prepare_home(project)
    more = project.model_copy(update={"dagster": project.dagster.model_copy(update={"max_concurrent": 5})})
    assert _content(prepare_home(more), "dagster.yaml")["concurrency"]["pools"]["default_limit"] == 5


def test_dagster_understands_both_files(project: Settings) -> None:
    home = prepare_home(project)
    with dg.DagsterInstance.from_config(str(home)) as service:
        assert service.telemetry_enabled is False
        assert service.nux_enabled is False
        service.add_dynamic_partitions("bank", ["one"])
    with open_instance(project) as instance:
        # The same home: what one wrote, the other sees.
        assert list(instance.get_dynamic_partitions("bank")) == ["one"]


def test_the_environment_of_dagsters_commands(project: Settings) -> None:
    file = project.base / "tierlake.toml"
    environment = service_environment(project, file)
    assert environment["DAGSTER_HOME"] == str(project.base / "home")
    assert environment["TIERLAKE_CONFIG"] == str(file)
    assert environment["PATH"] == os.environ["PATH"]


def test_a_free_port_is_free() -> None:
    assert 1024 <= free_port() <= 65535


def test_a_killed_process_loses_no_event(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert done.returncode == -signal.SIGKILL
    connection = sqlite3.connect(tmp_path / "events.db")
    assert connection.execute("SELECT count(*) FROM events").fetchone() == (50,)
    connection.close()


def test_only_databases_of_the_folder_are_changed(tmp_path: Path) -> None:
    from sqlalchemy import create_engine, text
    from sqlalchemy.pool import NullPool

    inside, outside = tmp_path / "inside", tmp_path / "outside"
    modes = {}
    with quick_sqlite(inside):
        for folder in (inside, outside):
            folder.mkdir()
            with create_engine(f"sqlite:///{folder}/a.db", poolclass=NullPool).begin() as connection:
                modes[folder.name] = connection.execute(text("PRAGMA journal_mode")).scalar()
    assert modes == {"inside": "wal", "outside": "delete"}
    # Nothing is held open afterwards: the write-ahead log went away with the last connection.
    assert sorted(file.name for file in inside.iterdir()) == ["a.db"]


@pytest.mark.parametrize("port", [None, 99_999])
def test_a_port_that_is_taken_or_none_is_refused_before_anything_starts(tmp_path: Path, port: int | None) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        wanted = port or taken.getsockname()[1]
        with pytest.raises(PortError, match=f"127.0.0.1:{wanted} .* name another with --port"):
            serve_ui(Settings(base=tmp_path), tmp_path / "tierlake.toml", wanted)
    assert not any(tmp_path.iterdir())

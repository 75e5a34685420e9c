"""`tierlake ui` starts, answers at the address that it prints, and ends when it is told to."""

import json
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

pytestmark = pytest.mark.ui

SETTINGS = (
    '[lake]\nroot = "lake"\n[dagster]\nhome = "home"\n[[sources]]\nname = "notes"\npath = "notes"\nbank = "one"\n'
)
SERVE = """
import pathlib, sys
from dagster_project.home import serve_ui
from tierlake.config import load_settings

file = pathlib.Path(sys.argv[1])
sys.exit(serve_ui(load_settings(file), file, 0))
"""


def _default_signals() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _locations(url: str) -> str:
    query = "{workspaceOrError{... on Workspace{locationEntries{name loadStatus}}}}"
    request = urllib.request.Request(  # noqa: S310  # our own address
        f"{url}/graphql", json.dumps({"query": query}).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=5) as answer:  # noqa: S310  # our own address
        return answer.read().decode()


def test_the_printed_address_works_and_sigterm_ends_it(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    # Not named tierlake.toml: only the environment tells Dagster where it is.
    config = tmp_path / "settings.toml"
    config.write_text(SETTINGS, encoding="utf-8")
    log = tmp_path / "ui.log"
    with log.open("wb") as sink:
        process = subprocess.Popen(
            [sys.executable, "-c", SERVE, str(config)],
            stdout=sink,
            stderr=subprocess.STDOUT,
            cwd=tmp_path,
            start_new_session=True,
            preexec_fn=_default_signals,  # noqa: PLW1509  # nothing else runs between fork and exec
        )
        try:
            deadline, answer = time.monotonic() + 90, ""
            while "LOADED" not in answer and time.monotonic() < deadline:
                time.sleep(0.5)
                printed = re.search(r"http://127\.0\.0\.1:\d+", log.read_text(encoding="utf-8"))
                try:
                    answer = _locations(printed.group(0)) if printed else ""
                except (urllib.error.URLError, ConnectionError, TimeoutError):
                    continue
            assert "LOADED" in answer, log.read_text(encoding="utf-8")
            (location,) = json.loads(answer)["data"]["workspaceOrError"]["locationEntries"]
            assert location["name"] == "dagster_project.definitions"
        finally:
            process.send_signal(signal.SIGTERM)
            code = process.wait(timeout=60)
    assert code == 0
    assert "Warning" not in log.read_text(encoding="utf-8")

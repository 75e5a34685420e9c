"""The Dagster UI over a home in which the sample was run, and a browser."""

import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from dagster_project.home import free_port, service_environment
from dagster_project.runs import BankRun, execute_ingest
from tierlake.config import load_settings

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 90
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# No sandbox: CI runs as root. The others keep the browser from looking for hosts of its maker.
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@dataclass(frozen=True)
class Ui:
    """Where the UI answers, and what was run."""

    url: str
    runs: dict[str, BankRun]

    def rows(self, bank: str, asset: str) -> int:
        (found,) = [row for row in self.runs[bank].rows if row.asset == asset]
        return found.rows


def _default_signals() -> None:
    # A background process of a shell without job control ignores SIGINT, and Dagster gives SIGTERM the same handler:
    # without this the server could not be ended but by SIGKILL.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _await(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            urllib.request.urlopen(f"{url}/server_info", timeout=5).close()  # noqa: S310  # our own address
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
        else:
            return
    pytest.fail(f"the Dagster webserver did not answer at {url}:\n{log.read_text(encoding='utf-8')[-3000:]}")


@pytest.fixture(scope="session")
def ui(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ui]:
    base = tmp_path_factory.mktemp("sample")
    shutil.copy(ROOT / "tierlake.toml", base)
    # The lake and Dagster's home of the project itself, where there are any, stay where they are.
    shutil.copytree(ROOT / "data", base / "data", ignore=shutil.ignore_patterns("lake", "dagster", "__pycache__"))
    settings = load_settings(base / "tierlake.toml")
    runs = {run.bank: run for run in execute_ingest(settings)}
    assert all(run.success for run in runs.values()), runs
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    environment = service_environment(settings, base / "tierlake.toml")
    command = [sys.executable, "-m", "dagster_webserver", "-m", "dagster_project.definitions"]
    log = base / "webserver.log"
    with log.open("wb") as sink:
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)],
            cwd=environment["DAGSTER_HOME"],
            env=environment,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_default_signals,  # noqa: PLW1509  # nothing else runs between fork and exec
        )
        try:
            _await(url, process, log)
            yield Ui(url, runs)
        finally:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                # Its own session: the code server that it started ends with it.
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("browser"),
            executable_path=CHROMIUM,
            args=FLAGS,
            viewport={"width": 1600, "height": 1000},
        )
        yield context.pages[0]
        context.close()

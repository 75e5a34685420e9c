"""A folder with settings and two small banks, and an instance of Dagster in memory."""

import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import dagster as dg
import pytest

from tierlake.config import Settings, load_settings

SETTINGS = """
[lake]
root = "lake"

[dagster]
home = "home"

[overrides]
path = "overrides"

[evaluation]
gold = "gold"

[[sources]]
name = "one"
path = "one"
bank = "one"

[[sources]]
name = "two"
path = "two"
bank = "two"
"""
NOTE = "Alice Moreau leads the harbor team. Alice Moreau moved to Lisbon on 3 March 2026.\n"


@pytest.fixture
def make_project(tmp_path: Path) -> Callable[..., Settings]:
    """Returns a function that writes a project (sources of two banks) and gives its settings."""

    def make(more: str = "") -> Settings:
        for name in ("one", "two", "overrides"):
            (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / "one" / "note.md").write_text(NOTE, encoding="utf-8")
        (tmp_path / "two" / "note.md").write_text("The depot is closed on Sundays.\n", encoding="utf-8")
        (tmp_path / "tierlake.toml").write_text(textwrap.dedent(SETTINGS) + more, encoding="utf-8")
        return load_settings(tmp_path / "tierlake.toml")

    return make


@pytest.fixture
def project(make_project: Callable[..., Settings]) -> Settings:
    return make_project()


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as made:
        yield made


@pytest.fixture
def broken_override(project: Settings) -> Path:
    """A line that cannot be understood: the asset `overrides` of every bank fails on it."""
    file = project.path("overrides") / "broken.jsonl"
    file.write_text('{"what": "nonsense"}\n', encoding="utf-8")
    return file

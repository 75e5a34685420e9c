"""Options that every command shares, and what they open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tierlake.config import Settings, load_settings

if TYPE_CHECKING:
    from tierlake.lake import Lake

Config = Annotated[
    Path | None,
    typer.Option(
        "--config", help="Settings file. Default: tierlake.toml here, else TIERLAKE_CONFIG.", show_default=False
    ),
]
Bank = Annotated[
    str | None,
    typer.Option(
        "--bank", help="The bank. Default: default_bank of the settings, else the only bank.", show_default=False
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of a table for people.")]


def open_lake(config: Path | None) -> tuple[Settings, Lake]:
    """Returns the settings of the file, and their lake."""
    from tierlake.lake import Lake

    settings = load_settings(config)
    return settings, Lake(settings.lake_root)


def print_json(value: Any) -> None:
    """Prints a value for programs; what JSON does not know is shown as text."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))

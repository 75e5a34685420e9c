"""Which banks there are, and what state their inputs are in."""

from __future__ import annotations

import json
from typing import Final

from tierlake.config import Settings
from tierlake.manifest import published_banks
from tierlake.sources import source_state
from transforms.ids import stable_id

# Stands on every run of job `ingest` that tierlake starts: the state of the inputs that the run was started for.
INPUT_TAG: Final = "tierlake/input"


def known_banks(settings: Settings) -> list[str]:
    """Returns the banks that have a source, and those that have none any more but are still published; sorted."""
    return sorted({*settings.banks, *published_banks(settings.lake_root)})


def input_state(settings: Settings, bank: str) -> str:
    """Returns a hash of what a bank's tables follow from: its files, the overrides and the settings.

    Files are told by size and time of change: cheap, and different after a change.

    Raises:
        SourceMissingError: A source's path is not there.
    """
    overrides = {
        file.name: f"{status.st_size}:{status.st_mtime_ns}"
        for file in settings.path(settings.overrides.path).glob("*.jsonl")
        for status in [file.stat()]
    }
    state = {"sources": source_state(settings, bank), "overrides": overrides}
    return stable_id(settings.fingerprint(), json.dumps(state, sort_keys=True))

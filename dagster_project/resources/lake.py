"""What assets and checks are given: the lake, the settings, and how tables are stored."""

from __future__ import annotations

from typing import Any

from assets.lake_io import LakeIOManager
from tierlake.config import Settings
from tierlake.lake import Lake


def build_resources(settings: Settings) -> dict[str, Any]:
    """Returns the resources `lake`, `settings` and `lake_io`."""
    lake = Lake(settings.lake_root)
    return {
        "lake": lake,
        "settings": settings,
        "lake_io": LakeIOManager(lake, preview_text=settings.dagster.preview_text),
    }

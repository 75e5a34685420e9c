"""The extractor that the settings name."""

from __future__ import annotations

from tierlake.config import ExtractorSettings
from tierlake.extractors.base import Extractor


def make_extractor(settings: ExtractorSettings) -> Extractor:
    """Returns the extractor of the settings.

    Raises:
        ExtractorError: It cannot be used as set up (a missing key).
    """
    if settings.name == "openai":
        from tierlake.extractors.openai import OpenAIExtractor

        return OpenAIExtractor(settings)
    from tierlake.extractors.local import LocalExtractor

    return LocalExtractor()

"""The summarizer that the settings name."""

from __future__ import annotations

from tierlake.config import SummarizerSettings
from tierlake.summarizers.base import Summarizer


def make_summarizer(settings: SummarizerSettings) -> Summarizer:
    """Returns the summarizer of the settings.

    Raises:
        ExtractorError: It cannot be used as set up (a missing key).
    """
    if settings.name == "openai":
        from tierlake.summarizers.openai import OpenAISummarizer

        return OpenAISummarizer(settings)
    from tierlake.summarizers.local import LocalSummarizer

    return LocalSummarizer()

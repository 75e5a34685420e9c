"""The local extractor: facts, names, dates, tasks and events without a model service."""

from tierlake.extractors.local.extractor import LocalExtractor

__all__ = ["LocalExtractor"]

"""The errors of tierlake: each says what failed, where, why, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path


class TierlakeError(Exception):
    """Base of all errors that tierlake raises on purpose."""


class ConfigError(TierlakeError):
    """The configuration cannot be used; carries every fault at once."""

    def __init__(self, path: Path, faults: Sequence[str]) -> None:
        self.path = path
        self.faults = list(faults)
        listing = "\n".join(f"  - {fault}" for fault in self.faults)
        super().__init__(f"{path}: {len(self.faults)} fault(s) in the configuration\n{listing}")


class UnknownNameError(TierlakeError):
    """A bank, table, entity or similar that does not exist; lists what does."""

    def __init__(self, what: str, name: str, available: Sequence[str]) -> None:
        self.what = what
        self.name = name
        self.available = list(available)
        near = get_close_matches(name, self.available, n=3)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        known = ", ".join(self.available[:20]) or "none"
        named = f" {name!r}" if name else ""
        super().__init__(f"no {what}{named}.{hint} Available: {known}.")


class LakeError(TierlakeError):
    """The lake cannot be read or written as asked."""


class SourceMissingError(TierlakeError):
    """A source's path is not there; the run stops, so that a mount that vanished does not empty its bank.

    Attributes:
        source: Name of the source.
        path: What is missing.
    """

    def __init__(self, source: str, path: Path) -> None:
        self.source = source
        self.path = path
        advice = "mount or create it, or take the source out of the configuration to remove its documents"
        super().__init__(f"source {source!r}: {path} does not exist; {advice}")


class LoadError(TierlakeError):
    """A file that cannot be read as a document; becomes a row of quarantine.

    Attributes:
        reason: Reason code: unreadable, unknown_format, link, encoding, damaged, password, too_large, empty,
            duplicate_id or invalid_record.
        detail: What is wrong and what to do.
    """

    def __init__(self, reason: str, detail: str) -> None:
        self.reason = reason
        self.detail = detail
        super().__init__(f"{reason}: {detail}")


class ExtractorError(TierlakeError):
    """The extractor or summarizer cannot be used at all (a missing key, an unknown name)."""


class InvalidReadOptions(ValueError):  # noqa: N818  # the name that the peer's users know
    """Read options that contradict each other; raised before anything is read.

    Attributes:
        field: The option at fault, e.g. `tier_floors`.
        reason: Why.
    """

    def __init__(self, field: str, reason: str) -> None:
        self.field = field
        self.reason = reason
        super().__init__(f"{field}: {reason}")


WikiInvalidReadOptions = InvalidReadOptions

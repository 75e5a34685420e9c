"""tierlake: documents in, ranked and explained memory out.

Importing it costs nothing: each name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tierlake.errors import InvalidReadOptions, TierlakeError, WikiInvalidReadOptions
    from tierlake.read.bundle import Bundle
    from tierlake.read.context import format_context
    from tierlake.read.filters import Filters
    from tierlake.read.librarian import (
        DEFAULT_LIBRARIAN_SYNTHESIS_PROMPT,
        hydrate_librarian_prompt,
        map_librarian_options_to_read_options,
        validate_librarian_prompt_template,
    )
    from tierlake.read.memory import Memory
    from tierlake.read.rank import rank_facts
    from transforms.resolution import ResolutionConfig, ResolutionResult, resolve_mentions

__all__ = [
    "DEFAULT_LIBRARIAN_SYNTHESIS_PROMPT",
    "Bundle",
    "Filters",
    "InvalidReadOptions",
    "Memory",
    "ResolutionConfig",
    "ResolutionResult",
    "TierlakeError",
    "WikiInvalidReadOptions",
    "format_context",
    "hydrate_librarian_prompt",
    "map_librarian_options_to_read_options",
    "rank_facts",
    "resolve_mentions",
    "validate_librarian_prompt_template",
]

_HOMES: Final = {
    "DEFAULT_LIBRARIAN_SYNTHESIS_PROMPT": "tierlake.read.librarian",
    "Bundle": "tierlake.read.bundle",
    "Filters": "tierlake.read.filters",
    "InvalidReadOptions": "tierlake.errors",
    "Memory": "tierlake.read.memory",
    "ResolutionConfig": "transforms.resolution",
    "ResolutionResult": "transforms.resolution",
    "TierlakeError": "tierlake.errors",
    "WikiInvalidReadOptions": "tierlake.errors",
    "format_context": "tierlake.read.context",
    "hydrate_librarian_prompt": "tierlake.read.librarian",
    "map_librarian_options_to_read_options": "tierlake.read.librarian",
    "rank_facts": "tierlake.read.rank",
    "resolve_mentions": "transforms.resolution",
    "validate_librarian_prompt_template": "tierlake.read.librarian",
}


def __getattr__(name: str) -> Any:
    """Returns a public name from the module that defines it."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tierlake' has no attribute {name!r}; public names: {', '.join(__all__)}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """Returns the public names."""
    return sorted(__all__)

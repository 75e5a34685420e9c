"""Markdown with YAML front matter."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import yaml

from tierlake.errors import LoadError
from tierlake.loaders.base import BadRecord, LoadedDocument
from tierlake.loaders.dates import note_date
from tierlake.loaders.decoding import clean_line, clean_text, decode
from tierlake.loaders.records import json_value, language_code, names_line
from tierlake.loaders.web import markup_text

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# Front matter is a few lines; a parser in pure Python reads more than this too slowly.
_MAX_FRONT_MATTER: Final = 64_000
_MAX_YAML_DEPTH: Final = 20
# Blocks in blocks; beyond its limit the parser drops text without a word, so that the limit is checked.
_MAX_NESTING: Final = 60
_TITLES: Final = ("title",)
_DATES: Final = ("date", "authored_at", "created", "created_at", "published")
_AUTHORS: Final = ("author", "authors")
_LANGUAGES: Final = ("language", "lang")


class _FrontMatterLoader(yaml.SafeLoader):
    """Safe YAML without aliases (no bombs), without deep nesting, and with dates left as they are written."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not allowed in front matter")
        self.depth += 1
        if self.depth > _MAX_YAML_DEPTH:
            raise yaml.YAMLError(f"nested deeper than {_MAX_YAML_DEPTH}")
        node: yaml.Node | None = super().compose_node(parent, index)
        self.depth -= 1
        return node


# YAML's own dates fail on `2025-99-99`; left as text, every date goes one way, through `loaders.dates`.
_FrontMatterLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def load_markdown(data: bytes, *, name: str, options: dict[str, Any]) -> Iterator[LoadedDocument | BadRecord]:
    """Yields the file as one document; see `tierlake.loaders.base.Loader`."""
    del name
    front, body = split_front_matter(clean_text(decode(data, forced=options.get("encoding"))))
    tokens = _parser().parse(body)
    if any(token.level >= _MAX_NESTING - 1 for token in tokens):
        raise LoadError("damaged", f"blocks are nested deeper than {_MAX_NESTING}")
    metadata = {str(key): json_value(value) for key, value in front.items()}
    title = _take(metadata, _TITLES)
    author, language = _take(metadata, _AUTHORS), _take(metadata, _LANGUAGES)
    yield LoadedDocument(
        key="",
        title=clean_line(str(title)) if title is not None else _heading(tokens),
        authored_at=note_date(_take(metadata, _DATES), metadata),
        author=names_line(author),
        language=language_code(language),
        text=markup_text(str(_parser().renderer.render(tokens, _parser().options, {}))),
        media_type="text/markdown",
        metadata=metadata,
    )


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    r"""Returns the front matter and the rest; an empty table where there is none.

    A text that merely starts with a rule (`---`) is left whole.

    Raises:
        LoadError: `damaged`: there is front matter and it is not YAML, or it is too large, too deep or uses aliases.
            To load such a document without it could lift it to a tier that it says it is not of.

    Example:
        >>> split_front_matter("---\ntier: tier_working\n---\nHello")
        ({'tier': 'tier_working'}, 'Hello')
    """
    from frontmatter.default_handlers import YAMLHandler  # slow to import

    handler = YAMLHandler()
    if not handler.detect(text):
        return {}, text
    try:
        raw, body = handler.split(text)
    except ValueError:  # one rule and no second: not front matter
        return {}, text
    if len(raw) > _MAX_FRONT_MATTER:
        raise LoadError("damaged", f"the front matter is longer than {_MAX_FRONT_MATTER:,} characters")
    try:
        front = handler.load(raw, Loader=_FrontMatterLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise LoadError("damaged", f"the front matter is not plain YAML: {error}") from error
    return (front, body.lstrip("\n")) if isinstance(front, dict) else ({}, text)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # slow to import

    return MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable(["table", "strikethrough"])


def _heading(tokens: list[Token]) -> str:
    for place, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0:
            return clean_line(markup_text(_parser().renderer.render([tokens[place + 1]], _parser().options, {})))
    return ""


def _take(metadata: dict[str, Any], names: tuple[str, ...]) -> Any:
    """Returns the first value that stands under one of the names, and takes it out of the metadata."""
    for name in names:
        if metadata.get(name) not in (None, ""):
            return metadata.pop(name)
    return None

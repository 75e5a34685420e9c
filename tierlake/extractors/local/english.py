"""English text into an extraction: blocks, statements, names, pronouns, judgements, tasks and events, put together."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tierlake.extractors.base import ExtractionRequest
from tierlake.extractors.local import models
from tierlake.extractors.local.blocks import Block, split_blocks
from tierlake.extractors.local.concepts import concepts_of
from tierlake.extractors.local.discourse import Discourse
from tierlake.extractors.local.first_person import Resolved
from tierlake.extractors.local.grammar import sentence, short_title
from tierlake.extractors.local.judgements import confidence_of, kind_of, when_of
from tierlake.extractors.local.names import Name, find_names
from tierlake.extractors.local.pairs import Found, add_pair, add_row, inside, mentions, row_headers
from tierlake.extractors.local.predicates import predicate_of
from tierlake.extractors.local.pronouns import THIRD
from tierlake.extractors.local.statements import Statement, statements_of
from tierlake.extractors.local.work import event_of, task_of
from transforms.payload import ExtractedFact, Extraction

if TYPE_CHECKING:
    from spacy.tokens import Doc

_EMAIL: Final = re.compile(r"[^\s@<>]+@[^\s@<>]+")
# A pronoun this near the start of a chunk may stand for something in the context: only then is the context parsed.
_OPENING: Final = 200
_MAX_QUOTE: Final = 1_500


def extract_english(request: ExtractionRequest, blocks: list[Block]) -> Extraction:
    """Returns what an English chunk states.

    Args:
        request: The chunk.
        blocks: Its blocks.
    """
    found = Found()
    text = request.text
    headers = row_headers(text, blocks)
    kept = [block for block in blocks if block.role != "quoted" and not (block.role == "row" and block not in headers)]
    for block in blocks:
        if block.role == "quoted":
            found.skip("quoted")
        elif block not in kept:
            found.skip("heading")
    docs = models.parse(text[block.start : block.end].replace("\n", " ") for block in kept)
    parsed = list(zip(kept, docs, strict=True))
    author = author_name(request.author)
    known = sorted({*(block.speaker for block in blocks if block.speaker), *([author] if author else [])})
    names = find_names(text, parsed, known=known, around=f"{request.title}. {request.context}")
    discourse = Discourse(author)
    _read_context(request, discourse, kept)
    for block, doc in parsed:
        if block.role == "row":
            add_row(text, block, headers[block], names, found)
        else:
            _block_facts(request, block, doc, names, discourse=discourse, found=found)
    return found.result()


def author_name(author: str | None) -> str | None:
    """Returns the author where it is a name that can stand in a sentence; None for addresses and lists.

    Example:
        >>> author_name("Priya Nair"), author_name("ops@example.org"), author_name("A, B")
        ('Priya Nair', None, None)
    """
    if author is None or _EMAIL.search(author) or any(sign in author for sign in ",;<>/\n"):
        return None
    name = " ".join(author.split())
    return name if name == author and any(character.isalpha() for character in name) else None


def _read_context(request: ExtractionRequest, discourse: Discourse, kept: list[Block]) -> None:
    """Lets the discourse know what the context named, where the chunk opens with a pronoun."""
    if not request.context.strip() or not kept:
        return
    opening = request.text[kept[0].start : kept[0].start + _OPENING]
    if not set(re.findall(r"[a-z]+", opening.casefold())) & THIRD:
        return
    blocks = [block for block in split_blocks(request.context) if block.role in {"prose", "item"}]
    docs = models.parse(request.context[block.start : block.end].replace("\n", " ") for block in blocks)
    parsed = list(zip(blocks, docs, strict=True))
    names = find_names(request.context, parsed, around=request.title)
    ignored: dict[str, int] = {}
    for block, doc in parsed:
        for statement in statements_of(block, doc, ignored):
            discourse.resolve(statement, inside(names, statement.start, statement.end))


def _block_facts(
    request: ExtractionRequest, block: Block, doc: Doc, names: list[Name], *, discourse: Discourse, found: Found
) -> None:
    before = len(found.facts)
    counts: dict[str, int] = {}
    statements = list(statements_of(block, doc, counts))
    if block.label and statements and all(statement.form == "other" for statement in statements):
        # "Root cause: an expired certificate." says more with its label than without.
        counts, statements = {"fragment": len(statements)}, []
    for statement in statements:
        _add(request.text, statement, names, discourse, found)
    # `Owner: Priya Nair`, `- [x] Account in Zendesk`: no verb, and yet it states something.
    is_silent = len(found.facts) == before and "question" not in counts
    if is_silent and add_pair(request.text, block, names, found, title=request.title):
        return
    for reason, number in counts.items():
        found.skip(reason, number)


def _add(text: str, statement: Statement, names: list[Name], discourse: Discourse, found: Found) -> None:
    start, end = statement.start, min(statement.end, statement.start + _MAX_QUOTE)
    within = inside(names, start, end)
    resolved = discourse.resolve(statement, within)
    quote = text[start:end]
    body = _body(quote, start, resolved)
    when = when_of(statement, text)
    predicate = predicate_of(statement)
    own = [name for name in within if not _is_date(name, when.start, when.expression)]
    concepts = list(concepts_of(statement, names, text))
    subject = resolved.subject or (predicate.subject if predicate else None)
    index = len(found.facts)
    found.facts.append(
        ExtractedFact(
            title=short_title(body),
            body=body,
            kind=kind_of(statement, resolved),
            confidence=confidence_of(statement, resolved),
            quote=quote,
            start=start,
            when=when.expression,
            when_direction=when.direction,
            entities=mentions(own, resolved.extra, concepts),
            subject=subject,
            predicate=predicate.predicate if predicate and subject else None,
            value=predicate.value if predicate and subject else None,
        )
    )
    task = task_of(statement, index, body, when, [*own, *resolved.extra], owner=resolved.subject)
    if task is not None:
        found.tasks.append(task)
    # Work that is still to be done has not happened.
    event = event_of(statement, index, body, when) if task is None else None
    if event is not None:
        found.events.append(event)


def _is_date(name: Name, start: int, expression: str | None) -> bool:
    return expression is not None and start <= name.start < start + len(expression)


def _body(quote: str, start: int, resolved: Resolved) -> str:
    """Returns the statement's own words, pronouns replaced."""
    words = quote
    for first, last, replacement in sorted(resolved.edits, reverse=True):
        words = words[: first - start] + replacement + words[last - start :]
    return f"{resolved.prefix}{sentence(words, resolved.extra[0].surface if resolved.extra else None)}"

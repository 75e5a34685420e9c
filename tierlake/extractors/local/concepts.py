"""Concepts: noun phrases that may be a theme of the bank ("career growth", "blue/green deploys").

Only one that recurs becomes an entity, which is decided when mentions are made; so this is generous, but clean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tierlake.extractors.local import lexicon as words
from tierlake.extractors.local.names import Name
from tierlake.extractors.local.statements import Statement

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_WORD: Final = re.compile(r"[^\W\d_]+(?:[-/'’&][^\W\d_]+)*$")
_MAX_WORDS: Final = 4
_DROP: Final = frozenset({"DET", "PRON", "NUM", "SPACE", "ADV", "INTJ", "CCONJ", "ADP", "PART", "SCONJ"})


def concepts_of(statement: Statement, taken: Sequence[Name], text: str) -> Iterator[Name]:
    """Yields the concepts of a statement, apart from its names and dates.

    Args:
        statement: The statement.
        taken: Names of the chunk, which no concept overlaps, and which stand as they are.
        text: The chunk.
    """
    offset = statement.block.start
    names = [name for name in taken if name.start < statement.end and statement.start < name.end]
    for first, last in noun_phrases(statement.doc):
        if not statement.first <= first < last <= statement.last:
            continue
        span = _core(_whole(statement.doc[first:last]))
        if span is None:
            continue
        start, end = offset + span.start_char, offset + span.end_char
        if "\n" not in text[start:end] and not any(name.start < end and start < name.end for name in names):
            yield Name(start, end, text[start:end], "concept")


def noun_phrases(doc: Doc) -> list[tuple[int, int]]:
    """Returns the noun phrases of a document as token spans; spaCy would walk the whole document for each statement."""
    found: list[tuple[int, int]] | None = doc.user_data.get("noun_phrases")
    if found is None:
        found = [(chunk.start, chunk.end) for chunk in doc.noun_chunks]
        doc.user_data["noun_phrases"] = found
    return found


def _whole(phrase: Span) -> Span:
    """Returns the phrase with what a hyphen ties to it, where the parser cut it there ("on-[call] rotation")."""
    doc, first, last = phrase.doc, phrase.start, phrase.end
    if doc[first].text == "-":
        first += 1
    if first > 1 and doc[first - 1].text == "-" and not doc[first - 1].whitespace_ and not doc[first - 2].whitespace_:
        first -= 2
        while last < len(doc) and doc[last].pos_ == "NOUN":
            last += 1
    return doc[first:last]


def _core(phrase: Span) -> Span | None:
    """Returns the phrase without articles, numbers and vague adjectives at its start; None where no concept is left."""
    first, last = phrase.start, phrase.end
    while first < last and _is_edge(phrase.doc[first]):
        first += 1
    while last > first and (phrase.doc[last - 1].is_punct or phrase.doc[last - 1].is_space):
        last -= 1
    span = phrase.doc[first:last]
    if not 0 < len(span.text.split()) <= _MAX_WORDS or "\n" in span.text:
        return None
    head = span.root
    if head.pos_ != "NOUN" or head.lower_ in words.EMPTY_NOUNS or head.lemma_ in words.EMPTY_NOUNS:
        return None
    if not all(_WORD.match(part) and part.casefold() not in words.CALENDAR for part in span.text.split()):
        return None
    if any(token.ent_type_ in {"DATE", "TIME", "MONEY", "PERCENT", "QUANTITY", "ORDINAL"} for token in span):
        return None
    is_many = len(span.text.split()) > 1 or "/" in span.text
    return span if is_many or words.ABSTRACT.match(span.text) else None


def _is_edge(token: Token) -> bool:
    if token.i + 1 < len(token.doc) and token.doc[token.i + 1].text in {"-", "/"} and not token.whitespace_:
        return False  # "on-call rotation"
    is_vague = token.lower_ in words.VAGUE or token.tag_ in {"JJR", "JJS"}
    return token.pos_ in _DROP or token.is_punct or is_vague or token.lower_ in {"'s", "’s"} or token.pos_ == "PROPN"

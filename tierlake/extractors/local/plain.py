"""Texts in other languages than English: sentences by their marks, names by the language's tagger or by their shape.

Here a fact is a whole sentence: without a parse nothing is cut, and a pronoun is replaced only where it opens a
sentence and the sentence before opens with a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast

from tierlake.extractors.base import ExtractionRequest
from tierlake.extractors.local import idioms
from tierlake.extractors.local.blocks import Block
from tierlake.extractors.local.english import author_name
from tierlake.extractors.local.grammar import short_title
from tierlake.extractors.local.lexicon import GREETING, SIGN_OFF, TASK_HEADING
from tierlake.extractors.local.names import Name
from tierlake.extractors.local.names_by_language import names_in
from tierlake.extractors.local.pairs import Found, add_row, inside, mentions, row_headers
from tierlake.extractors.local.scripts import Engine
from tierlake.extractors.local.work import Status, priority_of, status_of
from transforms.dates import find_dates
from transforms.payload import ExtractedEvent, ExtractedFact, ExtractedTask, Extraction

# After an end mark in any script; Latin and Cyrillic marks need a space and something that can start a sentence.
_END: Final = re.compile(
    r"(?<=[。！？；])(?![”’」』）)])\s*|(?<=[。！？][”’」』）)])\s*|(?<=[.!?…؟।])[\"'”’»)]*\s+(?=[^\sa-zа-яё])"
)
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:[A-ZА-ЯÄÖÜ]|Dr|Hr|Fr|Sr|Sra|Ud|Nr|bzw|ca|etc|evtl|inkl|usw|vgl|z\.\s?B|u\.\s?a|d\.\s?h|т\.\s?е|т\.\s?д|г|ул|им|р|руб|тыс|млн"
    r"|p\.\s?ej|núm|Abs|St|M|Mme)\.|(?<![\d.])\d{1,2}\.)$"
)
_MIN_LETTERS: Final = 6
_MIN_WIDE_LETTERS: Final = 4
_QUESTION: Final = ("?", "？", "؟")


@dataclass(frozen=True)
class _Sentence:
    start: int
    end: int
    block: Block


def extract_plain(request: ExtractionRequest, blocks: Sequence[Block], engine: Engine) -> Extraction:
    """Returns what a chunk in another language than English states.

    Args:
        request: The chunk.
        blocks: Its blocks.
        engine: Which names to look for and which words to know.
    """
    found = Found()
    text = request.text
    headers = row_headers(text, blocks)
    author = author_name(request.author)
    known = sorted({*(block.speaker for block in blocks if block.speaker), *([author] if author else [])})
    idiom = idioms.idiom_of(engine, request.language)
    names = names_in(text, blocks, engine, language=idiom.language, known=known)
    opener: Name | None = None
    for block in blocks:
        if block.role == "quoted" or (block.role == "row" and block not in headers):
            found.skip("quoted" if block.role == "quoted" else "heading")
        elif block.role == "row":
            add_row(text, block, headers[block], names, found)
        else:
            for sentence in _sentences(text, block):
                reason = _nothing(text, sentence, engine, idiom.language)
                if reason:
                    found.skip(reason)
                else:
                    opener = _add(text, sentence, names, opener, idiom=idiom, found=found)
            opener = opener if block.role == "prose" else None
    return found.result()


def _sentences(text: str, block: Block) -> Iterator[_Sentence]:
    """Yields the sentences of a block, trimmed."""
    start = block.start
    cuts = [match for match in _END.finditer(text, block.start, block.end) if match.start() > block.start]
    for stop, following in [*((m.start(), m.end()) for m in cuts), (block.end, block.end)]:
        if stop < block.end and _ABBREVIATION.search(text[start:stop]):
            continue
        first, last = start, stop
        while first < last and text[first].isspace():
            first += 1
        while last > first and text[last - 1].isspace():
            last -= 1
        if first < last:
            yield _Sentence(first, last, block)
        start = following


def _nothing(text: str, sentence: _Sentence, engine: Engine, language: str) -> str | None:
    words = text[sentence.start : sentence.end]
    letters = sum(1 for character in words if character.isalpha())
    # Greek asks with a semicolon.
    if words.endswith(_QUESTION) or (language == "el" and words.endswith(";")):
        return "question"
    if GREETING.match(words) and len(words.split()) <= _MIN_LETTERS:
        return "greeting"
    if SIGN_OFF.match(words):
        return "sign_off"
    is_wide = engine in {"chinese", "japanese"}
    if sentence.block.role == "heading":
        return "heading"
    if letters < (_MIN_WIDE_LETTERS if is_wide else _MIN_LETTERS) or not (is_wide or " " in words):
        return "fragment"
    return None


def _add(
    text: str, sentence: _Sentence, names: Sequence[Name], opener: Name | None, *, idiom: idioms.Idiom, found: Found
) -> Name | None:
    """Adds one sentence as a fact; returns the name that opens it, for a pronoun in the next."""
    quote = text[sentence.start : sentence.end]
    own = inside(names, sentence.start, sentence.end)
    first = next((name for name in own if name.start == sentence.start), None)
    pronoun = idiom.pronoun.match(quote)
    body, extra, clear, subject = quote, [], True, first
    if pronoun is not None:
        if opener is not None and opener.kind in {"person", "organization"}:
            body = opener.surface + quote[pronoun.end() :]
            extra, subject = [opener], opener
        else:
            clear = False
    speaker = sentence.block.speaker
    spoken = bool(idiom.first_person.search(quote))
    if speaker is not None and spoken:
        body, extra = f"{speaker}: {body}", [*extra, Name(-1, -1, speaker, "person")]
    body = _ended(" ".join(body.split()), idiom.stop)
    dates = find_dates(quote, language=idiom.language)
    when = quote[dates[0][0] : dates[0][1]] if dates else None
    future = bool(idiom.future.search(quote))
    index = len(found.facts)
    found.facts.append(
        ExtractedFact(
            title=short_title(body),
            body=body,
            kind="opinion" if idiom.opinion.search(quote) else "world",
            confidence="tentative"
            if idiom.tentative.search(quote)
            else "inferred"
            if not clear or idiom.inferred.search(quote)
            else "certain",
            quote=quote,
            start=sentence.start,
            when=when,
            when_direction="future" if future else "past" if idiom.past.search(quote) else None,
            entities=mentions(own, extra),
            subject=subject.surface if subject else None,
        )
    )
    _add_work(quote, sentence.block, index, body, idiom=idiom, found=found)
    return subject if subject is not None else first


def _add_work(quote: str, block: Block, index: int, body: str, *, idiom: idioms.Idiom, found: Found) -> None:
    """Adds the task or the event of a sentence."""
    dates = find_dates(quote, language=idiom.language)
    last = quote[dates[-1][0] : dates[-1][1]] if dates else None
    listed = block.role == "item" and bool(TASK_HEADING.match(block.heading))
    bare = body.rstrip(".。")
    if block.is_task or listed or idiom.task.search(quote):
        status = cast("Status", status_of(quote, block.status))
        found.tasks.append(
            ExtractedTask(fact=index, description=bare, priority=priority_of(quote), status=status, due=last)
        )
        return
    event = next((kind for pattern, kind in idiom.events if pattern.search(quote)), None)
    if event is not None and last is not None:
        found.events.append(ExtractedEvent(fact=index, event_type=event, summary=bare))


def _ended(text: str, stop: str) -> str:
    text = text.strip(" ,;:–—-，；：、")
    return text if text.endswith((".", "!", "。", "！", "…", ".»", ".“", ".”")) else f"{text}{stop}"

"""A model's answer held against the document: quotes and names become spans, or faults with their reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tierlake.extractors.base import ExtractionRequest, Failure
from tierlake.extractors.openai_prompt import ExtractionAnswer, FactAnswer
from transforms.payload import EntityMention, ExtractedEvent, ExtractedFact, ExtractedTask, Extraction

# Models set these characters straight while they copy; the document's own spelling is what is kept.
_SAME: Final = ("'\u2018\u2019\u02bc", '"\u201c\u201d\u201e', "-\u2010\u2011\u2013\u2014")
# Enough of a name or quote to find it by, in a fault.
SHOWN: Final = 80


@dataclass(frozen=True)
class Fault:
    """A fact that does not match the document, by its number in the answer."""

    number: int
    failure: Failure


@dataclass(frozen=True)
class Checked:
    """The facts that match the document, and why the others do not."""

    extraction: Extraction
    faults: tuple[Fault, ...]


def locate(text: str, wanted: str, start: int = 0) -> tuple[int, int] | None:
    r"""Returns the span of `wanted` in `text`, from `start` on and else from the beginning; None where it is not there.

    White space, quotation marks and hyphens may differ in kind: the span is the document's own words.

    Example:
        >>> locate("Ana said:\n  it\u2019s done.", "said: it's done")
        (4, 21)
        >>> locate("Ana left.", "Bo left") is None
        True
    """
    if not wanted.strip():
        return None
    for begin in dict.fromkeys((start, 0)):
        place = text.find(wanted, begin)
        if place >= 0:
            return place, place + len(wanted)
    pattern = re.compile(r"\s+".join(map(_tolerant, wanted.split())))
    match = pattern.search(text, start) or pattern.search(text)
    return match.span() if match else None


def _tolerant(word: str) -> str:
    return "".join(next((f"[{same}]" for same in _SAME if letter in same), re.escape(letter)) for letter in word)


def numbered(answer: ExtractionAnswer) -> ExtractionAnswer:
    """Returns the answer with facts numbered by their place, where the model's own numbers are not distinct."""
    if len({fact.number for fact in answer.facts}) == len(answer.facts):
        return answer
    facts = [fact.model_copy(update={"number": place}) for place, fact in enumerate(answer.facts, start=1)]
    return answer.model_copy(update={"facts": facts})


def check_answer(answer: ExtractionAnswer, request: ExtractionRequest) -> Checked:
    """Returns the answer as an extraction of the chunk, without the facts that do not match it.

    Every quote stands in the chunk; every name in the chunk, its context, its title or its author. Tasks and events
    go with their fact; one that names no fact at all is a fault of its own.
    """
    facts: list[ExtractedFact] = []
    faults: list[Fault] = []
    index: dict[int, int] = {}
    skipped: Counter[str] = Counter()
    said: set[tuple[str, str]] = set()
    after = 0
    for fact in answer.facts:
        if (fact.quote, fact.body) in said:
            skipped["repeated"] += 1
            continue
        said.add((fact.quote, fact.body))
        read = _fact(fact, request, after, skipped)
        if isinstance(read, Failure):
            faults.append(Fault(fact.number, read))
            continue
        index.setdefault(fact.number, len(facts))
        facts.append(read)
        after = read.start or 0
    numbers = {fact.number for fact in answer.facts}
    faults += _dangling(answer, numbers)
    tasks = tuple(
        ExtractedTask(
            fact=index[task.fact],
            description=task.description,
            priority=task.priority,
            status=task.status,
            due=task.due,
        )
        for task in answer.tasks
        if task.fact in index and task.description.strip()
    )
    events = tuple(
        ExtractedEvent(fact=index[event.fact], event_type=event.event_type.strip().lower(), summary=event.summary)
        for event in answer.events
        if event.fact in index and event.summary.strip()
    )
    extraction = Extraction(facts=tuple(facts), tasks=tasks, events=events, skipped=dict(sorted(skipped.items())))
    return Checked(extraction, tuple(faults))


def _dangling(answer: ExtractionAnswer, numbers: set[int]) -> list[Fault]:
    pointers = [(task.fact, task.description) for task in answer.tasks]
    pointers += [(event.fact, event.summary) for event in answer.events]
    return [
        Fault(number, Failure("dangling_reference", detail, transient=False, item=words or str(number)))
        for number, words in pointers
        if number not in numbers and (detail := f"it names fact {number}, which is not listed")
    ]


def _fact(fact: FactAnswer, request: ExtractionRequest, after: int, skipped: Counter[str]) -> ExtractedFact | Failure:
    span = locate(request.text, fact.quote, after)
    if span is None:
        detail = f"the quote {_short(fact.quote)} does not stand in the passage; copy its words exactly"
        return Failure("quote_not_found", detail, transient=False, item=fact.quote or fact.body or str(fact.number))
    if not fact.body.strip():
        return Failure("empty_statement", "the fact has no body", transient=False, item=fact.quote)
    entities: list[EntityMention] = []
    for entity in fact.entities:
        mention = _mention(entity.surface, request, span)
        if mention is None:
            detail = f"the name {_short(entity.surface)} does not stand in the document; copy its spelling exactly"
            return Failure("entity_not_found", detail, transient=False, item=fact.quote)
        entities.append(EntityMention(surface=mention[0], kind=entity.kind, start=mention[1]))
    subject = _mention(fact.subject, request, span) if fact.subject else None
    is_named = subject is not None and subject[0] in {entity.surface for entity in entities}
    when = fact.when and locate(request.text, fact.when, span[0])
    skipped.update({"when_not_in_text": 1} if fact.when and not when else {})
    return ExtractedFact(
        title=fact.title.strip() or fact.body.strip().rstrip("."),
        body=fact.body.strip(),
        kind=fact.kind,
        confidence=fact.confidence,
        quote=request.text[slice(*span)],
        start=span[0],
        when=request.text[slice(*when)] if when else None,
        when_direction=fact.when_direction,
        entities=tuple(dict.fromkeys(entities)),
        tags=tuple(sorted({tag.strip().casefold() for tag in fact.tags if tag.strip()})),
        subject=subject[0] if subject and is_named else None,
        predicate=fact.predicate if is_named and fact.value else None,
        value=fact.value if is_named and fact.predicate else None,
    )


def _mention(surface: str, request: ExtractionRequest, quote: tuple[int, int]) -> tuple[str, int | None] | None:
    """Returns the document's spelling of a name and its place in the quote; no place where only a pronoun stands."""
    here = _locate_name(request.text[slice(*quote)], surface)
    if here is not None:
        start = quote[0] + here[0]
        return request.text[start : quote[0] + here[1]], start
    for place in _elsewhere(request):
        span = _locate_name(place, surface)
        if span is not None:
            return place[slice(*span)], None
    return None


def _locate_name(text: str, name: str) -> tuple[int, int] | None:
    """Returns the span of a name as a word of its own (`Ann` does not stand in `Anna`).

    Scripts without upper case, such as Chinese, do not part their words either: there any place will do.
    """
    if not name.strip():
        return None
    words = r"\s+".join(map(_tolerant, name.split()))
    is_cased = any(letter.isupper() or letter.islower() for letter in name)
    match = re.search(rf"(?<!\w){words}(?!\w)" if is_cased else words, text)
    return match.span() if match else None


def _elsewhere(request: ExtractionRequest) -> Sequence[str]:
    return (request.text, request.context, request.title, request.author or "")


def _short(words: str) -> str:
    return repr(words if len(words) <= SHOWN else f"{words[:SHOWN]}...")

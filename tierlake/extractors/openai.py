"""The `openai` extractor: structured output from any OpenAI-compatible endpoint, every quote and name verified."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tierlake.config import ExtractorSettings
from tierlake.extractors.base import ExtractionRequest, ExtractionResult, Failure
from tierlake.extractors.openai_prompt import PROMPT_VERSION, ExtractionAnswer, messages_for
from tierlake.extractors.openai_verify import Checked, Fault, check_answer, numbered
from tierlake.openai_client import UNUSABLE, Endpoint, Message, Reply, Session, Usage, repair
from transforms.payload import Extraction

# Where a passage may be cut in two, best first: between paragraphs, sentences, words.
_CUTS: Final = (re.compile(r"\n\s*\n"), re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s*"), re.compile(r"\s+"))
# The end of the first half that the second half is given as its context, in characters.
HALF_CONTEXT: Final = 200


@dataclass(frozen=True)
class _Outcome:
    """What one passage came to: an extraction, or the failure that stands for it."""

    extraction: Extraction | None
    failures: tuple[Failure, ...]
    usage: Usage


class OpenAIExtractor:
    """Asks a model for the facts of each chunk.

    Raises:
        ExtractorError: No key is set and the settings name no `base_url`.
    """

    name = "openai"
    version = PROMPT_VERSION

    def __init__(self, settings: ExtractorSettings) -> None:
        self.settings = settings
        self.model = settings.model
        self._endpoint = Endpoint(settings, "extractor")

    def extract(
        self, requests: Sequence[ExtractionRequest], on_done: Callable[[ExtractionResult], None]
    ) -> Iterator[ExtractionResult]:
        """Yields one result a request, as they come, with `max_concurrency` calls in flight.

        Raises:
            ExtractorError: The endpoint refuses the key or does not know the model.
        """
        for result in self._endpoint.stream(requests, self._extract):
            on_done(result)
            yield result

    async def _extract(self, session: Session, request: ExtractionRequest) -> ExtractionResult:
        outcome = await _read(session, request)
        return ExtractionResult(
            input_hash=request.input_hash,
            extraction=outcome.extraction,
            failures=outcome.failures,
            tokens_in=outcome.usage.tokens_in,
            tokens_out=outcome.usage.tokens_out,
            cost_usd=outcome.usage.cost(self.settings),
        )


async def _read(session: Session, request: ExtractionRequest) -> _Outcome:
    """Returns what a chunk states; it is read in two halves where the answer for the whole stays unusable."""
    outcome = await _read_whole(session, request)
    if outcome.extraction is not None or not outcome.failures or outcome.failures[0].reason not in UNUSABLE:
        return outcome
    cut = find_cut(request.text)
    if cut is None:
        return outcome
    usage = outcome.usage
    parts: list[Extraction] = []
    failures: list[Failure] = []
    before, after = request.text[:cut], request.text[cut:]
    context = f"{request.context}\n{before[-HALF_CONTEXT:]}".strip()
    for start, half in ((0, replace(request, text=before)), (cut, replace(request, text=after, context=context))):
        read = await _read_whole(session, half)
        usage += read.usage
        if read.extraction is None:
            failed = read.failures[0]
            detail = f"{failed.detail} (also after the chunk was split in two)"
            return _Outcome(None, (replace(failed, detail=detail),), usage)
        parts.append(shifted(read.extraction, start, facts_before=sum(len(part.facts) for part in parts)))
        failures += read.failures
    return _Outcome(joined(parts), tuple(failures), usage)


async def _read_whole(session: Session, request: ExtractionRequest) -> _Outcome:
    messages = messages_for(
        request.text, context=request.context, title=request.title, author=request.author, language=request.language
    )
    reply = await session.ask_with_repair(messages, ExtractionAnswer)
    if reply.value is None:
        return _Outcome(None, (reply.failure,) if reply.failure else (), reply.usage)
    answer = numbered(reply.value)
    checked = check_answer(answer, request)
    usage = reply.usage
    # A task that names no fact is dropped with its reason; only facts are worth another call.
    faulty = [fault for fault in checked.faults if fault.failure.reason != "dangling_reference"]
    if faulty:
        second = await session.ask(_ask_for_facts(messages, reply, faulty), ExtractionAnswer)
        usage += second.usage
        if second.failure is not None and second.failure.transient:
            # The facts may be right after all: the chunk waits as a whole rather than lose them.
            return _Outcome(None, (second.failure,), usage)
        checked = _corrected(checked, answer, second.value, request)
    return _Outcome(checked.extraction, tuple(fault.failure for fault in checked.faults), usage)


def _ask_for_facts(
    messages: Sequence[Message], reply: Reply[ExtractionAnswer], faults: Sequence[Fault]
) -> list[Message]:
    listed = "; ".join(f"fact {fault.number}: {fault.failure.detail}" for fault in faults)
    return repair(messages, reply.raw, f"some facts do not match the document: {listed}. Keep every fact's number.")


def _corrected(
    checked: Checked, first: ExtractionAnswer, second: ExtractionAnswer | None, request: ExtractionRequest
) -> Checked:
    """Returns the first answer's good facts with the second answer's versions of the faulty ones."""
    wanted = {fault.number for fault in checked.faults}
    again = {fact.number: fact for fact in second.facts if fact.number in wanted} if second else {}
    facts = [again.get(fact.number, fact) for fact in first.facts]
    return check_answer(first.model_copy(update={"facts": facts}), request)


def find_cut(text: str) -> int | None:
    """Returns where to cut a passage in two near its middle; None where it cannot be cut.

    Example:
        >>> find_cut("Ana left. Bo stayed.")
        10
        >>> find_cut("Ana") is None
        True
    """
    first, last = len(text) - len(text.lstrip()), len(text.rstrip())
    for pattern in _CUTS:
        places = [match.end() for match in pattern.finditer(text) if first < match.end() < last]
        if places:
            return min(places, key=lambda place: (abs(place - len(text) // 2), place))
    return None


def shifted(extraction: Extraction, start: int, *, facts_before: int) -> Extraction:
    """Returns the extraction of a part as that of the whole.

    Args:
        extraction: What the part states.
        start: Where the part begins in the whole.
        facts_before: Facts of the parts before it.
    """
    facts = tuple(
        fact.model_copy(
            update={
                "start": None if fact.start is None else fact.start + start,
                "entities": tuple(
                    entity if entity.start is None else entity.model_copy(update={"start": entity.start + start})
                    for entity in fact.entities
                ),
            }
        )
        for fact in extraction.facts
    )
    tasks = tuple(task.model_copy(update={"fact": task.fact + facts_before}) for task in extraction.tasks)
    events = tuple(event.model_copy(update={"fact": event.fact + facts_before}) for event in extraction.events)
    return extraction.model_copy(update={"facts": facts, "tasks": tasks, "events": events})


def joined(parts: Sequence[Extraction]) -> Extraction:
    """Returns the parts, already shifted, as one extraction."""
    skipped: dict[str, int] = {}
    for part in parts:
        for reason, count in part.skipped.items():
            skipped[reason] = skipped.get(reason, 0) + count
    return Extraction(
        facts=tuple(fact for part in parts for fact in part.facts),
        tasks=tuple(task for part in parts for task in part.tasks),
        events=tuple(event for part in parts for event in part.events),
        skipped=skipped,
    )

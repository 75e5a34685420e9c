"""Names in parsed English text: where they stand, and what kind of thing each is.

The tagger's entities are candidates; shapes (identifiers, capitals inside a word, teams) and capitalized nouns that it
missed are others. Kinds are decided once per chunk by votes: the tagger's label, the shape, and the words beside every
occurrence, so that the same name never has two kinds in one chunk.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tierlake.extractors.local.blocks import Block
from tierlake.extractors.local.kinds import decide_kinds
from tierlake.extractors.local.name_spans import PROPER, Candidate, capitals_in, entities_in, shapes_in, teams_in
from transforms.payload import EntityKind

if TYPE_CHECKING:
    from spacy.tokens import Doc


@dataclass(frozen=True)
class Name:
    """A name: where it stands in the chunk, as written, and its kind."""

    start: int
    end: int
    surface: str
    kind: EntityKind


def find_names(
    text: str, parsed: Sequence[tuple[Block, Doc]], *, known: Iterable[str] = (), around: str = ""
) -> list[Name]:
    """Returns the names of a chunk, in order, without overlap, one kind a name.

    Args:
        text: The chunk.
        parsed: Its blocks and their parses.
        known: Names of people that are known (author, speakers).
        around: Title and context: a word capitalized there is a name at the start of a sentence here.
    """
    candidates: list[Candidate] = []
    seen = _capitalized_inside(parsed, around)
    for block, doc in parsed:
        found = [
            *shapes_in(block, doc),
            *teams_in(block, doc),
            *entities_in(block, doc),
            *capitals_in(block, doc, seen),
        ]
        candidates += _joined(_without_overlap(found))
    candidates = _everywhere(candidates, parsed, known=tuple(known))
    kinds = decide_kinds(candidates, known=tuple(known))
    names = []
    for candidate in candidates:
        start = candidate.block.start + candidate.doc[candidate.first].idx
        end = start + len(candidate.text)
        kind = kinds.get(candidate.text)
        if kind is not None:
            names.append(Name(start, end, text[start:end], kind))
    return sorted(names, key=lambda name: name.start)


def _everywhere(
    candidates: list[Candidate], parsed: Sequence[tuple[Block, Doc]], *, known: tuple[str, ...]
) -> list[Candidate]:
    """Returns the candidates and every other place where one of their names stands, spelled the same.

    The tagger often misses at the start of a sentence what it sees in the middle of another.
    """
    surfaces = {candidate.text for candidate in candidates if candidate.kind != "concept"} | set(known)
    tokenized = {surface: tuple(surface.split()) for surface in surfaces if surface[:1].isupper()}
    by_first: dict[str, list[tuple[str, ...]]] = {}
    for parts in sorted(set(tokenized.values()), key=lambda parts: (-len(parts), parts)):
        by_first.setdefault(parts[0], []).append(parts)
    taken = {id(doc): [False] * len(doc) for _, doc in parsed}
    for candidate in candidates:
        for index in range(candidate.first, candidate.last):
            taken[id(candidate.doc)][index] = True
    found = list(candidates)
    for block, doc in parsed:
        texts = [token.text for token in doc]
        for index, text in enumerate(texts):
            for parts in by_first.get(text, ()):
                last = index + len(parts)
                if tuple(texts[index:last]) == parts and not any(taken[id(doc)][index:last]):
                    found.append(Candidate(block, doc, index, last, None))
                    taken[id(doc)][index:last] = [True] * len(parts)
    return found


def _capitalized_inside(parsed: Sequence[tuple[Block, Doc]], around: str) -> Counter[str]:
    """Returns words that stand capitalized where grammar does not ask for it."""
    seen: Counter[str] = Counter()
    for _, doc in parsed:
        for token in doc:
            text = token.text
            if text[:1].isupper() and token.i and not token.is_sent_start and token.tag_ in PROPER:
                seen[text] += 1
    for sentence in re.split(r"[.!?\n:]\s*", around):
        seen.update(word for word in re.findall(r"\b[A-Z]\w+", sentence.strip()[1:]))
    return seen


def _joined(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Returns the candidates, where the tagger cut one name in two ("Nadia" place, "Haddad" person) as one."""
    joined: list[Candidate] = []
    for candidate in candidates:
        before = joined[-1] if joined else None
        if (
            before is not None
            and before.last == candidate.first
            and not (before.is_sure or candidate.is_sure)
            and candidate.doc[before.last - 1].head == candidate.doc[candidate.first : candidate.last].root
            and candidate.doc[before.last - 1].dep_ == "compound"
            and candidate.kind == "person"
        ):
            joined[-1] = replace(candidate, first=before.first)
        else:
            joined.append(candidate)
    return joined


def _without_overlap(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Returns candidates without overlap: sure shapes first, then the tagger's, then the longest, then the first."""
    chosen: list[Candidate] = []
    ordered = sorted(
        enumerate(candidates),
        key=lambda item: (
            not item[1].is_sure,
            item[1].kind is None,
            item[1].first - item[1].last,
            item[1].first,
            item[0],
        ),
    )
    for _, candidate in ordered:
        if all(candidate.last <= taken.first or taken.last <= candidate.first for taken in chosen):
            chosen.append(candidate)
    return sorted(chosen, key=lambda candidate: candidate.first)

"""One bank, laid out as lists of numbers: what the procedure loops over."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import compress
from typing import Any

from transforms.resolution.blocking import Candidates, NameTable, find_candidates
from transforms.resolution.config import ResolutionConfig
from transforms.resolution.documents import fuller_names
from transforms.resolution.overrides import Decisions


@dataclass(frozen=True)
class MentionRows:
    """Mentions of one bank in canonical order, one list a column; `at` in microseconds since 1970, None undated."""

    bank_id: str
    mention: Sequence[str]
    fact: Sequence[str]
    document: Sequence[str]
    surface: Sequence[str]
    key: Sequence[str]
    kind: Sequence[str | None]
    at: Sequence[int | None]
    context: Sequence[Sequence[str]]

    def __len__(self) -> int:
        return len(self.mention)

    def filter(self, keep: Sequence[bool]) -> MentionRows:
        """Returns the rows where `keep` is true."""
        columns: dict[str, Any] = {
            column.name: list(compress(getattr(self, column.name), keep))
            for column in fields(self)
            if column.name != "bank_id"
        }
        return replace(self, **columns)


@dataclass(frozen=True)
class Bank:
    """A bank, prepared.

    Attributes:
        rows: The mentions.
        candidates: Its names and which are candidates for which.
        own: For each mention the number of its name.
        meant: The number of the name that it means: a fuller one of its document, or what an alias stands for.
        in_document: The fuller name comes from the document (step 0), not from an alias.
        neighbors: Numbers of what stands beside it: names of its fact, then its context terms.
        weight: For each neighbor number, its rarity: 1 for rare ones, towards 0 for hubs.
        neighbor_weight: For each mention the sum of the weights of its neighbors, but at least 1, so that a hub
            alone is not the whole of the evidence.
        decisions: Overrides.
    """

    rows: MentionRows
    candidates: Candidates
    own: list[int]
    meant: list[int]
    in_document: list[bool]
    neighbors: list[tuple[int, ...]]
    weight: list[float]
    neighbor_weight: list[float]
    decisions: Decisions = field(default_factory=Decisions)


def prepare_bank(rows: MentionRows, decisions: Decisions, config: ResolutionConfig) -> Bank:
    """Returns the bank of the rows: names numbered, candidates found, shorter forms replaced, neighbors weighed."""
    aliases = decisions.aliases
    keys = sorted({*rows.key, *(aliases[key] for key in set(rows.key) if key in aliases)})
    number = {key: n for n, key in enumerate(keys)}
    own = [number[key] for key in rows.key]
    names = NameTable.of(keys, _majority_kinds(own, rows.kind, len(keys)))
    terms: dict[str, set[int]] = defaultdict(set)
    for name, held in zip(own, rows.context, strict=True):
        for term in held:
            terms[term].add(name)
    candidates = find_candidates(names, terms, config)
    meant, in_document = _meant(rows, own, candidates, decisions, number)
    neighbors, weight = _neighbors(rows, meant, len(keys), config)
    return Bank(
        rows=rows,
        candidates=candidates,
        own=own,
        meant=meant,
        in_document=in_document,
        neighbors=neighbors,
        weight=weight,
        neighbor_weight=[max(1.0, sum(weight[n] for n in beside)) for beside in neighbors],
        decisions=decisions,
    )


def _majority_kinds(own: Sequence[int], kinds: Sequence[str | None], size: int) -> list[str | None]:
    counts: list[Counter[str]] = [Counter() for _ in range(size)]
    for name, kind in zip(own, kinds, strict=True):
        if kind is not None:
            counts[name][kind] += 1
    return [majority(count) for count in counts]


def majority(count: Counter[str]) -> str | None:
    """Returns the most frequent kind; of equally frequent ones the first by name; None for no kind."""
    return min(count, key=lambda kind: (-count[kind], kind)) if count else None


def _meant(
    rows: MentionRows, own: list[int], candidates: Candidates, decisions: Decisions, number: dict[str, int]
) -> tuple[list[int], list[bool]]:
    by_document: dict[str, list[int]] = defaultdict(list)
    for i, document in enumerate(rows.document):
        by_document[document].append(i)
    keys = candidates.names.keys
    alias = {n: number[decisions.aliases[key]] for n, key in enumerate(keys) if key in decisions.aliases}
    meant = [alias.get(name, name) for name in own]
    in_document = [False] * len(own)
    # A loop over documents: what a short form means depends on the other names that stand there.
    for mentions in by_document.values():
        kinds: dict[int, Counter[str]] = defaultdict(Counter)
        large: set[int] = set()
        for i in mentions:
            kinds[own[i]].update([kind] if (kind := rows.kind[i]) is not None else [])
            if rows.surface[i].isupper():
                large.add(own[i])
        if len(kinds) == 1:
            continue
        found = fuller_names(
            kinds,
            {name: majority(count) for name, count in kinds.items()},
            candidates,
            is_written_large=large.__contains__,
            is_forbidden=lambda a, b: decisions.keeps_apart(keys[a], keys[b]),
        )
        for i in mentions if found else ():
            if own[i] in found and own[i] not in alias:
                root = found[own[i]]
                meant[i] = alias.get(root, root)
                in_document[i] = True
    return meant, in_document


def _neighbors(
    rows: MentionRows, meant: list[int], size: int, config: ResolutionConfig
) -> tuple[list[tuple[int, ...]], list[float]]:
    facts: dict[str, set[int]] = defaultdict(set)
    for fact, name in zip(rows.fact, meant, strict=True):
        facts[fact].add(name)
    beside = {fact: tuple(sorted(names)) for fact, names in facts.items()}
    terms = {term: size + n for n, term in enumerate(sorted({term for held in rows.context for term in held}))}
    counts = [0] * (size + len(terms))
    for names in beside.values():
        for name in names:
            counts[name] += 1
    for fact, term in {(fact, term) for fact, held in zip(rows.fact, rows.context, strict=True) for term in held}:
        counts[terms[term]] += 1 if fact else 0
    neighbors = []
    for fact, name, held in zip(rows.fact, meant, rows.context, strict=True):
        others = tuple(other for other in beside[fact] if other != name)
        neighbors.append(others + tuple(sorted({terms[term] for term in held})) if held else others)
    return neighbors, [rarity(count, config) for count in counts]


def rarity(fact_count: int, config: ResolutionConfig) -> float:
    """Returns what a neighbor that stands in `fact_count` facts is worth, 0 to 1, in buckets of powers of two.

    Example:
        >>> [round(rarity(count, ResolutionConfig()), 3) for count in (1, 7, 8, 16, 100)]
        [1.0, 1.0, 0.562, 0.141, 0.009]
    """
    if not config.hub_damping or fact_count < config.free_facts:
        return 1.0
    bucket = 1 << (fact_count.bit_length() - 1)
    return min(1.0, (config.free_facts / bucket) ** 2)

"""Candidate pairs of names, by shared keys: no step looks at all pairs.

Every rule here proposes at least the pairs that `similarity.relation` accepts; each proposal is then compared.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final

from transforms.names import NameFeatures, features, nicknames
from transforms.resolution.alignment import TYPO_LETTERS, is_typo
from transforms.resolution.config import ResolutionConfig
from transforms.resolution.guards import Guard
from transforms.resolution.similarity import CLIPPED_LETTERS, PART_LETTERS, Comparison, acronyms, compare, german

# Spellings of one name that are tried for typos: 2 to the power of its words with a neighbor; more is no name.
SPELLINGS: Final = 64


@dataclass(frozen=True)
class NameTable:
    """The distinct names of a bank.

    Attributes:
        keys: Name keys, sorted; a name's number is its place here.
        kinds: The kind that most mentions of each have; None where unknown.
        features: Features of each.
    """

    keys: tuple[str, ...]
    kinds: tuple[str | None, ...]
    features: tuple[NameFeatures, ...]

    @classmethod
    def of(cls, keys: Sequence[str], kinds: Sequence[str | None]) -> NameTable:
        """Returns the table of sorted keys and their kinds."""
        return cls(tuple(keys), tuple(kinds), tuple(map(features, keys)))


@dataclass
class Candidates:
    """Which names are candidates for which.

    Attributes:
        of: For each name its candidates (other name, similarity, relation), most similar first, ties by key.
        forbidden: For each name those that a guard keeps from it, with the guard.
    """

    names: NameTable
    vouched: frozenset[tuple[int, int]]
    of: list[list[tuple[int, float, str]]]
    forbidden: list[list[tuple[int, Guard]]]

    def __post_init__(self) -> None:
        self._compared: dict[tuple[int, int], Comparison] = {}
        self._similar = [{other: similarity for other, similarity, _ in row} for row in self.of]

    def similarity(self, one: int, other: int) -> float:
        """Returns the similarity of two candidate names; 0 where they are none."""
        return 1.0 if one == other else self._similar[one].get(other, 0.0)

    def compare(self, one: int, other: int) -> Comparison:
        """Returns the comparison of any two names of the table."""
        pair = (one, other) if one < other else (other, one)
        found = self._compared.get(pair)
        if found is None:
            found = self._compared[pair] = compare_names(self.names, *pair, vouched=pair in self.vouched)
        return found


def compare_names(names: NameTable, one: int, other: int, *, vouched: bool) -> Comparison:
    """Returns the comparison of two names of a table, by number."""
    kinds = (names.kinds[one], names.kinds[other])
    return compare(names.features[one], names.features[other], kinds=kinds, vouched=vouched)


def find_candidates(names: NameTable, terms: dict[str, set[int]], config: ResolutionConfig) -> Candidates:
    """Returns the candidates of every name.

    Args:
        names: The names of the bank.
        terms: Context term to the names that it stands with.
        config: How rare a term must be, and how many candidates a name keeps.
    """
    sharing, vouched = _vouched(terms, config.rare_names)
    proposed = {pair for rule in _RULES for pair in rule(names)} | sharing
    of: list[list[tuple[int, float, str]]] = [[] for _ in names.keys]
    forbidden: list[list[tuple[int, Guard]]] = [[] for _ in names.keys]
    # A loop over pairs: each comparison looks at the words of two names, which no column expression can.
    for one, other in sorted(proposed):
        found = compare_names(names, one, other, vouched=(one, other) in vouched)
        if not found.relation and (one, other) not in sharing:
            continue
        if found.guard is not None:
            forbidden[one].append((other, found.guard))
            forbidden[other].append((one, found.guard))
            continue
        of[one].append((other, found.similarity, found.relation))
        of[other].append((one, found.similarity, found.relation))
    for row in of:
        row.sort(key=lambda entry: (-entry[1], entry[0]))
        del row[config.candidates_per_name :]
    return Candidates(names, vouched, of, forbidden)


def _vouched(terms: dict[str, set[int]], most: int) -> tuple[set[tuple[int, int]], frozenset[tuple[int, int]]]:
    """Returns the pairs that share a rare term, and those of them that share two, or all that one of them has.

    One term of several in common may be chance (a first name as a mailbox); it makes candidates, but lifts no guard.
    """
    shared: Counter[tuple[int, int]] = Counter()
    held: Counter[int] = Counter()
    for names in terms.values():
        held.update(names)
        if 1 < len(names) <= most:
            shared.update(combinations(sorted(names), 2))
    strong = (pair for pair, count in shared.items() if count >= min(2, held[pair[0]], held[pair[1]]))
    return set(shared), frozenset(strong)


def _groups(keyed: Iterable[tuple[object, int]]) -> Iterator[list[int]]:
    groups: dict[object, list[int]] = defaultdict(list)
    for key, name in keyed:
        groups[key].append(name)
    return (sorted(set(group)) for group in groups.values() if len(group) > 1)


def _spelled_alike(names: NameTable) -> Iterator[tuple[int, int]]:
    for group in _groups((f.bag, n) for n, f in enumerate(names.features)):
        yield from combinations(group, 2)
    # A name and its spelling with umlauts written out are both looked up.
    for group in _groups((key, n) for n, f in enumerate(names.features) for key in {f.squashed, german(f)}):
        yield from combinations(group, 2)


def typo_neighbors(words: Iterable[str]) -> dict[str, list[str]]:
    """Returns for each word those one typo apart; words that share no deletion of one letter are never compared.

    Example:
        >>> typo_neighbors(["merrivale", "merryvale", "alice"])
        {'merrivale': ['merryvale'], 'merryvale': ['merrivale']}
    """
    deletions: dict[str, list[str]] = defaultdict(list)
    for word in sorted({word for word in words if len(word) >= TYPO_LETTERS}):
        # First and last letters of a typo are equal, so only inner letters are deleted.
        for variant in {word} | {word[:i] + word[i + 1 :] for i in range(1, len(word) - 1)}:
            deletions[variant].append(word)
    found: dict[str, set[str]] = defaultdict(set)
    for group in deletions.values():
        for one, other in combinations(group, 2):
            if is_typo(one, other):
                found[one].add(other)
                found[other].add(one)
    return {word: sorted(found[word]) for word in sorted(found)}


def _typos(names: NameTable) -> Iterator[tuple[int, int]]:
    neighbors = typo_neighbors(word for f in names.features for word in f.bag)
    by_bag: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for n, f in enumerate(names.features):
        by_bag[f.bag].append(n)
    for n, f in enumerate(names.features):
        choices = [(word, *neighbors.get(word, ())) for word in f.bag]
        if all(len(choice) == 1 for choice in choices):
            continue
        for count, spelling in enumerate(product(*choices)):
            if count == SPELLINGS:
                break
            for other in by_bag.get(tuple(sorted(spelling)), ()):
                if n < other:
                    yield n, other


def _persons(names: NameTable) -> list[int]:
    return [n for n, kind in enumerate(names.kinds) if kind in {"person", None}]


def _initials(names: NameTable) -> Iterator[tuple[int, int]]:
    slots: dict[tuple[str, str, str], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for n in _persons(names):
        core = names.features[n].core
        if len(core) > 1:
            slots["first", core[0][0], core[-1]][len(core[0]) > 1].append(n)
            slots["last", core[0], core[-1][0]][len(core[-1]) > 1].append(n)
    for short, full in slots.values():
        yield from ((min(one, other), max(one, other)) for one in short for other in full)


def _middles(names: NameTable) -> Iterator[tuple[int, int]]:
    ends: dict[tuple[str, str], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for n in _persons(names):
        core = names.features[n].core
        if len(core) > 1:
            ends[core[0], core[-1]][len(core) > 2].append(n)  # noqa: PLR2004  # a middle name
    for short, long in ends.values():
        yield from ((min(one, other), max(one, other)) for one in short for other in long)
        yield from combinations(sorted(long), 2)


def _by_core(names: NameTable) -> dict[tuple[str, ...], list[int]]:
    table: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for n in _persons(names):
        table[names.features[n].core].append(n)
    return table


def _nicknames(names: NameTable) -> Iterator[tuple[int, int]]:
    table = _by_core(names)
    for n in _persons(names):
        core = names.features[n].core
        for nickname in sorted(nicknames(core[0])):
            for wanted in {(nickname, *core[1:]), (nickname,)}:
                yield from ((min(n, other), max(n, other)) for other in table.get(wanted, ()) if other != n)


def _parts(names: NameTable) -> Iterator[tuple[int, int]]:
    table = _by_core(names)
    for n in _persons(names):
        core = names.features[n].core
        for size in range(1, len(core)):
            for start in range(len(core) - size + 1):
                part = core[start : start + size]
                if sum(map(len, part)) >= PART_LETTERS:
                    yield from ((min(n, other), max(n, other)) for other in table.get(part, ()))


def _clippings(names: NameTable) -> Iterator[tuple[int, int]]:
    table = _by_core(names)
    for n in _persons(names):
        core = names.features[n].core
        if len(core) == 1:
            for size in range(PART_LETTERS, len(core[0]) - CLIPPED_LETTERS + 1):
                yield from ((min(n, other), max(n, other)) for other in table.get((core[0][:size],), ()))


def _acronyms(names: NameTable) -> Iterator[tuple[int, int]]:
    single: dict[str, list[int]] = defaultdict(list)
    for n, f in enumerate(names.features):
        if len(f.core) == 1:
            single[f.squashed].append(n)
    for n, f in enumerate(names.features):
        for acronym in sorted(acronyms(f)):
            yield from ((min(n, other), max(n, other)) for other in single.get(acronym, ()))


_RULES: Final = (_spelled_alike, _typos, _initials, _middles, _nicknames, _parts, _clippings, _acronyms)

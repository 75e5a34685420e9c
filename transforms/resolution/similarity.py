"""How alike two names are, and what makes them candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from rapidfuzz.distance import Indel

from transforms.names import GERMAN, SMALL_WORDS, NameFeatures, nicknames, tokens
from transforms.resolution.alignment import is_contiguous_part, is_initial, is_typo
from transforms.resolution.guards import Guard, find_guard

Relation = Literal[
    "equal", "variant", "title", "typo", "initial", "middle", "nickname", "acronym", "part", "context", ""
]

# Least similarity by relation, where letters alone say too little. Above 0.8 two names meet within a week of each other
# without context (0.5 * 0.8 + 0.2 = 0.6, not above it); at 0.8 and below they need a neighbour in common. So spelling
# variants and initials stand above, acronyms, bare titles and bare nicknames do not.
FLOORS: Final[dict[Relation, float]] = {
    "variant": 0.95, "title": 0.80, "initial": 0.82, "middle": 0.85, "nickname": 0.82, "acronym": 0.80,
}  # fmt: skip
BARE_NICKNAME: Final = 0.70
NEARLY: Final = 0.99  # 1 is kept for equal keys
PART_LETTERS: Final = 3
ACRONYM_LETTERS: Final = range(2, 9)


@dataclass(frozen=True)
class Comparison:
    """Two names, compared.

    Attributes:
        relation: What makes them candidates; empty where nothing does.
        similarity: 0 to 1, symmetric, 1 only for equal keys.
        guard: Why they are never one entity; None where nothing forbids it.
    """

    relation: Relation
    similarity: float
    guard: Guard | None


def compare(
    a: NameFeatures, b: NameFeatures, *, kinds: tuple[str | None, str | None] = (None, None), vouched: bool = False
) -> Comparison:
    """Returns the comparison of two names.

    Args:
        a: One name.
        b: The other.
        kinds: Their kinds: parts, initials and nicknames are for persons (or unknown), acronyms for all others.
        vouched: They share a rare context term, which makes them candidates even when they look unlike.

    Example:
        >>> from transforms.names import features
        >>> c = compare(features("alice"), features("alice chen"))
        >>> c.relation, round(c.similarity, 3), c.guard
        ('part', 0.667, None)
        >>> compare(features("sprint 14"), features("sprint 15")).guard
        'digits'
    """
    if a.key == b.key:
        return Comparison("equal", 1.0, None)
    if a.key > b.key:
        a, b, kinds = b, a, (kinds[1], kinds[0])  # pairing words is greedy: one order makes it symmetric
    found = relation(a, b, kinds=kinds) or ("context" if vouched else "")
    return Comparison(found, name_similarity(a, b, found), find_guard(a, b, kinds=kinds, vouched=vouched))


def name_similarity(a: NameFeatures, b: NameFeatures, found: Relation) -> float:
    """Returns the normalized Indel similarity, raised to what the relation is worth."""
    if a.key == b.key:
        return 1.0
    letters = max(Indel.normalized_similarity(a.key, b.key), Indel.normalized_similarity(a.squashed, b.squashed))
    if found in {"title", "part"}:
        letters = Indel.normalized_similarity(a.key, b.key)
    floor = FLOORS.get(found, 0.0)
    if found == "nickname" and min(len(a.core), len(b.core)) == 1:
        floor = BARE_NICKNAME
    return min(NEARLY, max(letters, floor))


def relation(a: NameFeatures, b: NameFeatures, *, kinds: tuple[str | None, str | None]) -> Relation:
    """Returns the first relation that makes two different names candidates; empty where none does."""
    persons = all(kind in {"person", None} for kind in kinds)
    if a.bag == b.bag or a.squashed == b.squashed or german(a) == german(b):
        bare = persons and len(a.core) == 1 and a.titled != b.titled
        return "title" if bare else "variant"
    if len(a.bag) == len(b.bag) and _typo_apart(a, b):
        return "typo"
    if persons:
        return _person_relation(a, b)
    return "acronym" if "person" not in kinds and (is_acronym(a, b) or is_acronym(b, a)) else ""


def _person_relation(a: NameFeatures, b: NameFeatures) -> Relation:
    if _initials_agree(a.core, b.core):
        return "initial"
    if _middle_left_out(a.core, b.core) or _middle_left_out(b.core, a.core):
        return "middle"
    if _nicknames_agree(a.core, b.core):
        return "nickname"
    if is_part(a, b) or is_part(b, a):
        return "part"
    return "acronym" if is_acronym(a, b) or is_acronym(b, a) else ""


def german(f: NameFeatures) -> str:
    """Returns the squashed core with umlauts written out: Müller is Mueller."""
    if f.key.isascii():
        return f.squashed
    return "".join(tokens(f.key.translate(GERMAN)))


def _typo_apart(a: NameFeatures, b: NameFeatures) -> bool:
    left = [word for word in a.bag if word not in b.bag]
    right = [word for word in b.bag if word not in a.bag]
    if len(left) != len(right):
        return False
    for word in left:
        other = next((candidate for candidate in right if is_typo(word, candidate)), None)
        if other is None:
            return False
        right.remove(other)
    return True


def _initials_agree(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    if min(len(a), len(b)) < 2:  # noqa: PLR2004  # an initial stands beside another word
        return False
    if a[-1] == b[-1] and len(a[-1]) > 1:
        return is_initial(a[0], b[0]) or is_initial(b[0], a[0])
    if a[0] == b[0] and len(a[0]) > 1:
        return is_initial(a[-1], b[-1]) or is_initial(b[-1], a[-1])
    return False


def _middle_left_out(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    if len(short) < 2 or len(long) < 3 or short[0] != long[0] or short[-1] != long[-1]:  # noqa: PLR2004  # a middle
        return False
    rest = iter(long[1:-1])
    return all(any(w == x or is_initial(w, x) or is_initial(x, w) for x in rest) for w in short[1:-1])


def _nicknames_agree(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    if b[0] not in nicknames(a[0]):
        return False
    return a[1:] == b[1:] or min(len(a), len(b)) == 1


def is_part(short: NameFeatures, long: NameFeatures) -> bool:
    """Returns whether a name is a contiguous part of a longer one, at word boundaries, with 3 letters or more."""
    return len(short.squashed) >= PART_LETTERS and is_contiguous_part(short.core, long.core)


def acronyms(f: NameFeatures) -> frozenset[str]:
    """Returns the initials of a name of several words, with and without its small words.

    Example:
        >>> from transforms.names import features
        >>> sorted(acronyms(features("bank of england")))
        ['be', 'boe']
    """
    if len(f.core) < 2:  # noqa: PLR2004  # an acronym stands for several words
        return frozenset()
    large = [word for word in f.core if word not in SMALL_WORDS]
    return frozenset({"".join(word[0] for word in f.core), "".join(word[0] for word in large)})


def is_acronym(short: NameFeatures, long: NameFeatures) -> bool:
    """Returns whether a name of one word is the initials of the other."""
    return (
        len(short.core) == 1
        and len(short.squashed) in ACRONYM_LETTERS
        and short.squashed.isalpha()
        and short.squashed in acronyms(long)
    )

"""How alike two names are, and what makes them candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from rapidfuzz.distance import Indel

from transforms.names import GERMAN, SMALL_WORDS, NameFeatures, nicknames, tokens
from transforms.resolution.alignment import is_contiguous_part, is_initial, is_typo
from transforms.resolution.guards import Guard, find_guard

Relation = Literal[
    "equal", "variant", "title", "typo", "initial", "middle", "nickname", "acronym", "part", "clipping", ""
]

# What a relation is worth where letters say too little or too much. At 0.8 two names a moment apart do not meet on
# names alone (0.5 * 0.8 + 0.2 = 0.6, not above it) but do with any neighbor in common; at 0.7 they need a good share.
WORTH: Final[dict[Relation, float]] = {
    "title": 0.80,
    "initial": 0.80,
    "nickname": 0.80,
    "acronym": 0.80,
    "clipping": 0.70,
}
BARE_NICKNAME: Final = 0.70  # Bob for any Robert
PART_WORTH: Final = 0.80  # at most: however long the part, a partial name without context makes a new entity
VARIANT: Final = 0.95  # order, accents, punctuation or an organization form: one name, spelled differently
NEARLY: Final = 0.99  # 1 is kept for equal keys
PART_LETTERS: Final = 3
CLIPPED_LETTERS: Final = 2
ACRONYM_LETTERS: Final = range(2, 9)


@dataclass(frozen=True)
class Comparison:
    """Two names, compared.

    Attributes:
        relation: What makes the names candidates; empty where nothing does (a shared context term still may).
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
        vouched: They share rare context terms, enough to lift the guard `words`.

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
    found = relation(a, b, kinds=kinds)
    return Comparison(found, name_similarity(a, b, found), find_guard(a, b, kinds=kinds, vouched=vouched))


def name_similarity(a: NameFeatures, b: NameFeatures, found: Relation) -> float:
    """Returns the normalized Indel similarity of the letters, or what the relation is worth."""
    if a.key == b.key:
        return 1.0
    if found == "nickname" and min(len(a.core), len(b.core)) == 1:
        return BARE_NICKNAME
    if found in WORTH:
        return WORTH[found]
    letters = Indel.normalized_similarity(a.key, b.key)
    if found == "part":
        return min(letters, PART_WORTH)
    letters = max(letters, Indel.normalized_similarity(a.squashed, b.squashed))
    return min(NEARLY, max(letters, VARIANT if found == "variant" else 0.0))


def relation(a: NameFeatures, b: NameFeatures, *, kinds: tuple[str | None, str | None]) -> Relation:
    """Returns the first relation that makes two different names candidates; empty where none does."""
    persons = all(kind in {"person", None} for kind in kinds)
    if a.bag == b.bag or a.squashed == b.squashed or german(a) == german(b):
        bare = persons and len(a.core) == 1 and a.titled != b.titled
        return "title" if bare else "variant"
    if len(a.bag) == len(b.bag) and _typo_apart(a, b):
        return "typo"
    if persons:
        return _person_relation(a, b) or ("clipping" if kinds == ("person", "person") and _is_clipped(a, b) else "")
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


def _is_clipped(a: NameFeatures, b: NameFeatures) -> bool:
    # Rach for Rachel: a first name cut short by two letters or more (Alex and Alexa are two names), in Latin letters
    # (in other scripts an ending makes a last name of a first name).
    short, long = sorted((a.core, b.core), key=lambda core: (len(core[0]), core))
    return (
        len(short) == len(long) == 1
        and not (a.titled or b.titled)  # Dr. Wall is a last name
        and short[0].isascii()
        and len(short[0]) >= PART_LETTERS
        and len(long[0]) >= len(short[0]) + CLIPPED_LETTERS
        and long[0].startswith(short[0])
    )


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

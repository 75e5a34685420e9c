"""Named guards: pairs of names that are never one entity, whatever the score says."""

from __future__ import annotations

from typing import Final, Literal

from transforms.names import NameFeatures
from transforms.resolution.alignment import Alignment, align, answers, is_contiguous_part

Guard = Literal["label", "digits", "letters", "honorifics", "negation", "first_names", "words", "kinds", "override"]

MEANING: Final[dict[Guard, str]] = {
    "label": "labels are one only where they are equal",
    "digits": "different numbers or versions",
    "letters": "different single letters",
    "honorifics": "conflicting titles",
    "negation": "one says the opposite of the other",
    "first_names": "one last name, different first names",
    "words": "each has a word that the other lacks",
    "kinds": "kinds that cannot be one thing",
    "override": "an override says that they differ",
}

NEGATIONS: Final = frozenset({"not", "no", "non", "never", "without", "anti"})
NEGATING_PREFIXES: Final = ("un", "non", "in", "im", "dis", "anti", "de", "mis")
# Below this a prefix is part of another word (in + door).
NEGATED_LETTERS: Final = 4
_PAIRS: Final = (
    "internal/external inbound/outbound incoming/outgoing upstream/downstream north/south east/west northern/southern "
    "eastern/western old/new senior/junior major/minor upper/lower before/after start/end first/last open/closed "
    "public/private frontend/backend front/back buy/sell import/export male/female increase/decrease enable/disable "
    "enabled/disabled allow/deny left/right minimum/maximum min/max input/output client/server morning/evening "
    "day/night read/write staging/production planned/actual primary/secondary positive/negative success/failure "
    "accepted/rejected legacy/modern online/offline summer/winter pre/post"
)
ANTONYMS: Final = frozenset(frozenset(pair.split("/")) for pair in _PAIRS.split())
# A person is no place, thing or company, and a place no product; organizations pass for places ("Japan won") and
# products ("Slack"), and a concept may be anything.
CONFLICTING_KINDS: Final = frozenset(
    {
        frozenset({"person", "place"}), frozenset({"person", "product"}), frozenset({"person", "organization"}),
        frozenset({"place", "product"}),
    }
)  # fmt: skip


def kinds_conflict(one: str | None, other: str | None) -> bool:
    """Returns whether two kinds cannot be one thing; unknown kinds conflict with none, a label with all others.

    Example:
        >>> kinds_conflict("person", "place"), kinds_conflict("concept", "place"), kinds_conflict(None, "place")
        (True, False, False)
    """
    if one is None or other is None or one == other:
        return False
    return "label" in {one, other} or frozenset({one, other}) in CONFLICTING_KINDS


def equal_names_conflict(name: NameFeatures, one: str | None, other: str | None) -> bool:
    """Returns whether an equal name with two kinds may be two things, so that the context must agree.

    Kinds are guesses. A name of several words is one thing whatever was guessed; a single word may be a person and a
    place (Paris, Jordan), and a label is never what it labels.

    Example:
        >>> from transforms.names import features
        >>> equal_names_conflict(features("paris"), "person", "place")
        True
        >>> equal_names_conflict(features("ada king"), "person", "place")
        False
    """
    if not kinds_conflict(one, other):
        return False
    return "label" in {one, other} or (len(name.core) == 1 and {one, other} == {"person", "place"})


def find_guard(
    a: NameFeatures, b: NameFeatures, *, kinds: tuple[str | None, str | None], vouched: bool
) -> Guard | None:
    """Returns the guard that keeps two different names apart, or None.

    Args:
        a: One name.
        b: The other.
        kinds: Their kinds; initials, nicknames and first names are looked at only where both may be persons.
        vouched: They share a rare context term; then `words` does not apply, since people change names.
    """
    if a.key == b.key:
        return None
    if a.is_label or b.is_label or "label" in kinds:
        return "label"
    if _numbers_differ(a, b):
        return "digits"
    if _titles_conflict(a, b):
        return "honorifics"
    if a.squashed == b.squashed:
        return None
    return _words_guard(a, b, kinds=kinds, vouched=vouched)


def _words_guard(
    a: NameFeatures, b: NameFeatures, *, kinds: tuple[str | None, str | None], vouched: bool
) -> Guard | None:
    """Returns the guard that the pairing of the words of two names calls for, or None."""
    persons = all(kind in {"person", None} for kind in kinds)
    alignment = align(a, b, persons=persons)
    if _letters_differ(a, b, alignment, certain="person" in kinds):
        return "letters"
    if _says_opposite(a, b, alignment):
        return "negation"
    if persons and _first_names_differ(a, b):
        return "first_names"
    # Of two persons' full names with no word in common, only shared identifiers say that they are one.
    comparable = alignment.pairs > 0 or (persons and min(len(a.core), len(b.core)) > 1)
    return "words" if comparable and not vouched and alignment.left and alignment.right else None


def _numbers_differ(a: NameFeatures, b: NameFeatures) -> bool:
    if sorted(a.numbers) == sorted(b.numbers):
        return False
    if a.numbers and b.numbers:
        return True
    # Python is not Python 3.11; but a handle with digits may be anybody's.
    return a.stands_numbered or b.stands_numbered


def _letters_differ(a: NameFeatures, b: NameFeatures, alignment: Alignment, *, certain: bool) -> bool:
    left = [word for word in alignment.left if word in a.letters]
    right = [word for word in alignment.right if word in b.letters]
    if left and right:
        return True
    # Team A is not Team; but John T. Doe may be John Doe, and of a person any initial may be left out.
    name, lone = (a, left) if left else (b, right)
    return bool(lone) and not certain and name.core[-1] in lone and len(name.core) > 1


def _titles_conflict(a: NameFeatures, b: NameFeatures) -> bool:
    generations = [{"jr", "junior"} & set(f.tokens) for f in (a, b)], [{"sr"} & set(f.tokens) for f in (a, b)]
    (a_junior, b_junior), (a_senior, b_senior) = generations
    if (a_junior and b_senior) or (a_senior and b_junior):
        return True
    if not a.gender or not b.gender or a.gender == b.gender:
        return False
    return "m" in {a.gender, b.gender} or {a.gender, b.gender} == {"f-wed", "f-unwed"}


def _says_opposite(a: NameFeatures, b: NameFeatures, alignment: Alignment) -> bool:
    if (NEGATIONS & set(a.core)) != (NEGATIONS & set(b.core)):
        return True
    return any(_are_opposites(one, other) for one in alignment.left for other in alignment.right)


def _are_opposites(one: str, other: str) -> bool:
    if frozenset({one, other}) in ANTONYMS:
        return True
    short, long = sorted((one, other), key=lambda word: (len(word), word))
    return len(short) >= NEGATED_LETTERS and any(long == prefix + short for prefix in NEGATING_PREFIXES)


def _first_names_differ(a: NameFeatures, b: NameFeatures) -> bool:
    if min(len(a.core), len(b.core)) < 2 or a.core[-1] != b.core[-1]:  # noqa: PLR2004  # a first and a last name
        return False
    if is_contiguous_part(a.core, b.core) or is_contiguous_part(b.core, a.core):
        return False
    return not answers(a.core[0], b.core[0], persons=True)

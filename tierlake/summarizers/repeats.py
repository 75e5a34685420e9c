"""Statements that repeat another, say less than it, or are contradicted by a newer one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, TypeVar

from rapidfuzz import fuzz

from tierlake.summarizers.clauses import Clause
from tierlake.summarizers.sentences import Said

# Two statements with the same verb, numbers and names are one where this share of their letters agrees (0 to 100):
# a word more or less, another inflection; not another object.
SAME_WORDS: Final = 88.0
# Whole sentences carry more words that agree by chance.
SAME_TEXT: Final = 92.0
# Verbs that say what something is: `becomes the lead` adds nothing to `is the lead of search`.
COPULAS: Final = frozenset(("be", "become", "remain", "stay"))
_NUMBER: Final = re.compile(r"\d+")
# Numbers, and the words that dates are spelled with (`absolute_dates`): what a state has one of at a time.
_VALUE: Final = re.compile(
    r"\d|^(?:january|february|march|april|may|june|july|august|september|october|november|december|week)$"
)
_WORD: Final = re.compile(r"\w+")

Text = TypeVar("Text", str, Said)


def drop_repeats(statements: Sequence[Said]) -> list[Said]:
    """Returns the statements, most recent first, without those that another one makes needless or untrue.

    A statement goes where a more recent one says the same; where another says the same and more; and where a more
    recent one denies it or gives another number for the same state.
    """
    kept: list[Said] = []
    for said in statements:
        fate = next((index for index, other in enumerate(kept) if _is_repeat(said, other)), None)
        if fate is None:
            kept.append(said)
        elif _says_more(said.clause, kept[fate].clause) and not _is_contradicted(said, kept[fate]):
            kept[fate] = said
    return kept


def _is_repeat(said: Said, other: Said) -> bool:
    return (
        _is_contradicted(said, other)
        or _says_more(other.clause, said.clause)
        or _says_more(said.clause, other.clause)
        or _is_alike(said.clause, other.clause)
    )


def _says_more(more: Clause, less: Clause) -> bool:
    """Returns True where `more` holds every word of `less`, about the same verb, in the same time."""
    if more.is_negated != less.is_negated or not more.fixed >= less.fixed:
        return False
    if more.head in COPULAS and less.head in COPULAS and "event" not in (more.group, less.group):
        return more.words - COPULAS >= less.words - COPULAS
    return (more.head, more.group) == (less.head, less.group) and more.words >= less.words


def _is_alike(one: Clause, other: Clause) -> bool:
    if (one.group, one.is_negated, one.fixed) != (other.group, other.is_negated, other.fixed):
        return False
    return fuzz.token_sort_ratio(" ".join(sorted(one.words)), " ".join(sorted(other.words))) >= SAME_WORDS


def _is_contradicted(older: Said, newer: Said) -> bool:
    if older.at is None or newer.at is None or older.at >= newer.at:
        return False
    one, other = older.clause, newer.clause
    if one.head != other.head or one.group != other.group:
        return False
    if one.is_negated != other.is_negated:
        return one.words - {"not"} <= other.words or other.words - {"not"} <= one.words
    numbers = [frozenset(word for word in clause.words if _VALUE.search(word)) for clause in (one, other)]
    # Happenings with other numbers are other happenings; a state holds one.
    is_state = one.group != "event" and bool(numbers[0]) and bool(numbers[1])
    return is_state and numbers[0] != numbers[1] and one.words - numbers[0] == other.words - numbers[1]


def drop_similar_texts(texts: Sequence[Text], than: Sequence[Said] = ()) -> list[Text]:
    """Returns the texts, in order, without those that nearly equal another or whose words another holds all of.

    Numbers must agree; of two that are nearly equal the first stays.

    Args:
        texts: Statements.
        than: Statements that count as standing before all of them.
    """
    kept: list[Text] = []
    before: list[str] = [said.clause.text for said in than]
    for item in texts:
        text = _text(item)
        if any(_is_same_text(text, other) or _is_part(text, other) for other in [*before, *map(_text, kept)]):
            continue
        kept = [other for other in kept if not _is_part(_text(other), text)]
        kept.append(item)
    return kept


def _text(item: str | Said) -> str:
    return item if isinstance(item, str) else item.clause.text


def _is_part(less: str, more: str) -> bool:
    words, others = (set(_WORD.findall(text.casefold())) for text in (less, more))
    return words <= others


def _is_same_text(one: str, other: str) -> bool:
    if _NUMBER.findall(one) != _NUMBER.findall(other):
        return False
    return fuzz.ratio(one.casefold(), other.casefold()) >= SAME_TEXT

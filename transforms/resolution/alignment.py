"""Which words of two names answer each other, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rapidfuzz.distance import OSA

from transforms.names import SMALL_WORDS, NameFeatures, nicknames

# Below this, one letter makes another name (Chen/Chan, Dan/Don).
TYPO_LETTERS: Final = 5


def is_typo(one: str, other: str) -> bool:
    """Returns whether two words are one small typo apart: one edit, inside the word.

    First and last letters are left out: an edit there is another name (Maria/Marie, Daniel/Daniela, plurals).

    Example:
        >>> is_typo("merrivale", "merryvale"), is_typo("daniel", "daniela"), is_typo("chen", "chan")
        (True, False, False)
    """
    if min(len(one), len(other)) < TYPO_LETTERS or one[0] != other[0] or one[-1] != other[-1]:
        return False
    if any(char.isdecimal() for char in one + other):
        return False
    return one != other and OSA.distance(one, other, score_cutoff=1) <= 1


def is_initial(letter: str, word: str) -> bool:
    """Returns whether `letter` is the initial of `word`."""
    return len(letter) == 1 and len(word) > 1 and word[0] == letter and letter.isalpha()


def answers(one: str, other: str, *, persons: bool) -> bool:
    """Returns whether two words can stand for each other; initials and nicknames count for persons only."""
    if one == other or is_typo(one, other):
        return True
    return persons and (is_initial(one, other) or is_initial(other, one) or other in nicknames(one))


@dataclass(frozen=True)
class Alignment:
    """Words of two cores, paired.

    Attributes:
        pairs: How many words answer each other.
        left: Words of the first name without an answer, small words left out.
        right: The same of the second.
    """

    pairs: int
    left: tuple[str, ...]
    right: tuple[str, ...]


def align(a: NameFeatures, b: NameFeatures, *, persons: bool) -> Alignment:
    """Returns the pairing of the words of two names: equal words first, then words that can stand for each other."""
    left = [word for word in a.core if word not in SMALL_WORDS]
    right = [word for word in b.core if word not in SMALL_WORDS]
    pairs = 0
    for word in tuple(left):
        if word in right:
            left.remove(word)
            right.remove(word)
            pairs += 1
    for word in tuple(left):
        for other in right:
            if answers(word, other, persons=persons):
                left.remove(word)
                right.remove(other)
                pairs += 1
                break
    return Alignment(pairs, tuple(left), tuple(right))


def is_contiguous_part(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """Returns whether `part` stands in `whole`, word by word, and is shorter.

    Example:
        >>> is_contiguous_part(("walter",), ("walter", "elliot")), is_contiguous_part(("a",), ("a",))
        (True, False)
    """
    size = len(part)
    return size < len(whole) and any(whole[i : i + size] == part for i in range(len(whole) - size + 1))

"""The English pronouns, by what they may stand for."""

from __future__ import annotations

from typing import Final

MASCULINE: Final = frozenset({"he", "his", "him", "himself"})
FEMININE: Final = frozenset({"she", "her", "hers", "herself"})
THING: Final = frozenset({"it", "its", "itself"})
PLURAL: Final = frozenset({"they", "their", "them", "theirs", "themselves"})
POINTING: Final = frozenset({"this", "that", "these", "those", "such"})
FIRST: Final = frozenset({"i", "my", "me", "mine", "myself"})
FIRST_PLURAL: Final = frozenset({"we", "our", "us", "ours", "ourselves"})
SECOND: Final = frozenset({"you", "your", "yours", "yourself", "yourselves"})
THIRD: Final = MASCULINE | FEMININE | THING | PLURAL

"""What a statement names that a later pronoun may stand for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tierlake.extractors.local.grammar import capital
from tierlake.extractors.local.names import Name
from tierlake.extractors.local.pronouns import FIRST, FIRST_PLURAL, POINTING, THIRD
from tierlake.extractors.local.statements import Statement

if TYPE_CHECKING:
    from spacy.tokens import Token

# A verb, in small letters, perhaps after a version ("Lantern 2.3 exports charts").
_AFTER_NAME: Final = re.compile(r"(?: v?\d[\d.]*)? (?!(?:and|or|of|for|in|on|at|to|by|with|from|vs)\b)[a-z]+")
_MAX_PHRASE: Final = 60


@dataclass(frozen=True)
class Referent:
    """Something that a later pronoun may stand for.

    Attributes:
        text: The words that stand in for the pronoun.
        sort: person, group (an organization or team: it or they), thing or plural.
        name: The name, where it is one; None for a common noun.
        is_sure: False where it was not the subject: the fact is then `inferred`.
    """

    text: str
    sort: str
    name: Name | None = None
    is_sure: bool = True

    @property
    def key(self) -> str:
        """Returns what makes two referents one."""
        return self.name.surface.casefold() if self.name else self.text.casefold()


def named(name: Name, statement: Statement | None = None) -> Referent:
    """Returns a name as something that a pronoun may stand for; with its article where it has one."""
    sort = {"person": "person", "organization": "group"}.get(name.kind, "thing")
    words = name.surface
    if statement is not None:
        # "the Platform team" keeps its article.
        place = name.start - statement.block.start
        before = statement.text[max(0, place - len("the ")) : place]
        words = f"The {words}" if before.casefold() == "the " else words
    return Referent(words, sort, name)


def name_at(token: Token, statement: Statement, names: Sequence[Name]) -> Name | None:
    """Returns the name that is the token's whole phrase, but for an article, a title noun or an apposition."""
    place = statement.block.start + token.idx
    name = next((each for each in names if each.start <= place < each.end), None)
    if name is None:
        return None
    possessor = any(child.dep_ == "poss" for child in token.children)
    joined = any(child.dep_ == "conj" for child in token.children)
    return None if possessor or joined else name


def opening_name(statement: Statement, names: Sequence[Name]) -> Name | None:
    """Returns the name that opens prose without a parse ("Slipway runs on Kubernetes"), a small letter after it."""
    if statement.form != "other":
        return None
    name = next((each for each in names if each.start == statement.start), None)
    after = _AFTER_NAME.match(statement.text[name.end - statement.block.start :]) if name else None
    return name if after is not None else None


def subject_referent(statement: Statement, subject: Token | None, names: Sequence[Name]) -> Referent | None:
    """Returns the subject as something that a pronoun may stand for."""
    opener = opening_name(statement, names)
    if opener is not None:
        return named(opener, statement)
    if subject is None or subject.pos_ in {"PRON", "VERB", "AUX"} or subject.dep_ in {"csubj", "expl"}:
        return None
    name = name_at(subject, statement, names)
    joined = any(child.dep_ == "conj" for child in subject.children)
    if name is not None:
        return named(name, statement)
    phrase = statement.doc[subject.left_edge.i : subject.i + 1]
    if joined:
        last = max(child.right_edge.i for child in subject.children if child.dep_ == "conj")
        phrase = statement.doc[subject.left_edge.i : last + 1]
    words = " ".join(phrase.text.split())
    if len(words) > _MAX_PHRASE or any(token.lower_ in THIRD | FIRST | FIRST_PLURAL | POINTING for token in phrase):
        return None
    opening = phrase[0]
    if opening.lower_ in {"a", "an"} and not joined:
        words = "The " + " ".join(words.split()[1:])
    plural = joined or "Plur" in subject.morph.get("Number", [])
    if subject.pos_ == "NOUN" and opening.dep_ not in {"det", "poss"} and not plural:
        words = words[:1].upper() + words[1:]
    return Referent(capital(words), "plural" if plural else "thing")

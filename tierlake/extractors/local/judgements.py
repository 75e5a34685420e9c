"""How a statement is meant: its kind, its confidence, its tense, its dates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from tierlake.extractors.local import lexicon as words
from tierlake.extractors.local.first_person import Resolved
from tierlake.extractors.local.pronouns import FIRST, FIRST_PLURAL
from tierlake.extractors.local.statements import Statement, is_finite
from transforms.dates import find_dates

if TYPE_CHECKING:
    from spacy.tokens import Token

Kind = Literal["world", "experience", "opinion"]
Confidence = Literal["certain", "inferred", "tentative"]
Direction = Literal["past", "future"] | None
_FIRST: Final = FIRST | FIRST_PLURAL
_HABIT: Final = re.compile(
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day)?(?: at )?(?:[\d:. ]+(?:[ap]\.?m\.?)?)?(?: ?(?:utc|gmt))?"
    r"|noon|midnight",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class When:
    """The date expression of a statement as written, its place in the chunk, and the tense of the statement."""

    expression: str | None
    start: int
    direction: Direction


def kind_of(statement: Statement, resolved: Resolved) -> Kind:
    """Returns opinion (a judgement of whoever speaks), experience (the speaker's own past), or world."""
    text = statement.tokens.text
    root, subject = statement.root, statement.subject
    first = subject is not None and subject.lower_ in _FIRST
    spoken = statement.block.speaker is not None
    advises = _has_modal(root, {"should", "ought"}) and (
        first or spoken or (subject is not None and subject.lower_ == "you")
    )
    holds = first and (
        _has_modal(root, {"would"}) or (root.lemma_ in words.OPINION_VERBS and root.tag_ not in {"VBD", "VBN"})
    )
    values = _values(statement) and (first or spoken or _is_ranked(statement))
    if words.OPINION_PHRASE.search(text) or advises or holds or values:
        return "opinion"
    if first and (resolved.first_person or statement.block.speaker) and direction_of(statement) == "past":
        return "experience"
    return "world"


def _has_modal(root: Token, modals: set[str]) -> bool:
    return any(child.dep_ == "aux" and child.lower_ in modals for child in root.children)


def _values(statement: Statement) -> bool:
    """Returns True where the predicate is a judgement of worth ("is too long", "is the best database")."""
    if statement.root.lemma_ not in {"be", "seem", "feel", "look", "remain"}:
        return False
    for child in statement.root.children:
        if child.dep_ in {"acomp", "attr"} and child.i > statement.root.i:
            parts = [child, *child.children]
            if any(part.lower_ in words.VALUE_WORDS for part in parts) or any(
                part.lower_ == "too" for part in child.children
            ):
                return True
    return False


def _is_ranked(statement: Statement) -> bool:
    """Returns True for `is the best ...` and `is the worst ...`: nobody has measured that."""
    return any(
        token.lower_ in {"best", "worst"} and token.dep_ in {"amod", "attr", "acomp"} for token in statement.tokens
    )


def confidence_of(statement: Statement, resolved: Resolved) -> Confidence:
    """Returns how sure the text is of what it says; `inferred` too where a pronoun could not be explained."""
    text = statement.tokens.text
    uncertain = any(child.dep_ == "aux" and _doubts(child, statement.root) for child in statement.root.children)
    if uncertain or words.TENTATIVE.search(text):
        return "tentative"
    if words.INFERRED.search(text) or not resolved.is_clear:
        return "inferred"
    return "certain"


def _doubts(modal: Token, root: Token) -> bool:
    """Returns True for might, could, and the `may` of possibility: with an action it mostly gives a permission."""
    if modal.lower_ == "may":
        return root.lemma_ in {"be", "have"} or any(c.lower_ == "have" for c in root.children if c.dep_ == "aux")
    return modal.tag_ == "MD" and modal.lower_ in words.TENTATIVE_MODALS and not _is_negated(root)


def _is_negated(root: Token) -> bool:
    return any(child.dep_ == "neg" for child in root.children)


def direction_of(statement: Statement) -> Direction:
    """Returns the tense: past, future (modals, plans, commands), or None for the plain present."""
    if statement.form == "imperative":
        return "future"
    return "past" if statement.form == "elliptic" else tense_of(statement.root)


def tense_of(root: Token) -> Direction:
    """Returns the tense of a verb with its auxiliaries."""
    auxiliaries = {child.lower_ for child in root.children if child.dep_ in {"aux", "auxpass"}}
    if auxiliaries & {"will", "shall", "'ll", "’ll", "must", "should", "wo", "may", "might"}:
        return "future"
    if root.tag_ == "VBD" or auxiliaries & {"was", "were", "did", "had", "has", "have", "'ve", "’ve"}:
        return "past"
    if root.lemma_ in words.FUTURE_LEMMAS or root.lemma_ == "need" or (root.lemma_ == "go" and root.tag_ == "VBG"):
        return "future"
    if root.tag_ == "VBG" or any(child.dep_ == "xcomp" for child in root.children):
        return "future"
    return None


def _is_subordinate(statement: Statement, place: int) -> bool:
    """Returns True where the date belongs to a clause of its own inside ("... since I moved three years ago")."""
    offset = statement.tokens.start_char + place
    token = next((each for each in statement.tokens if each.idx + len(each) > offset), None)
    # Up the tree, a few steps a date.
    while token is not None and token not in {statement.root, token.head}:
        if token.dep_ in {"advcl", "relcl"} and is_finite(token):
            return True
        token = token.head
    return False


def _reported(statement: Statement, place: int, direction: Direction) -> Direction:
    """Returns the tense of the reported clause that the date belongs to, where there is one."""
    offset = statement.tokens.start_char + place
    token = next((each for each in statement.tokens if each.idx + len(each) > offset), None)
    while token is not None and token not in {statement.root, token.head}:
        if token.dep_ == "ccomp" and is_finite(token):
            return tense_of(token)
        token = token.head
    return direction


def _is_fixed(quote: str, start: int, end: int) -> bool:
    """Returns True where an expression is more than a weekday or an hour, starts a state, or starts a log line."""
    since = quote[:start].rstrip().casefold().endswith(("since", "until", "by", "from", "till"))
    return since or start == 0 or not _HABIT.fullmatch(quote[start:end].strip())


def when_of(statement: Statement, text: str) -> When:
    """Returns the statement's first date expression and its tense.

    A date with a day is preferred to a lone month or year: "the 2026 plan was approved on 3 March" happened in March.
    """
    quote = text[statement.start : statement.end]
    found = find_dates(quote)
    direction = direction_of(statement)
    if not found:
        return When(None, -1, direction)
    # "A shift begins on Monday", "nobody deploys after 15:00": the plain present tells a habit, not a date.
    if direction is None and statement.root.lemma_ != "be":
        found = [span for span in found if _is_fixed(quote, *span)]
        if not found:
            return When(None, -1, direction)
    found = [span for span in found if not _is_subordinate(statement, span[0])]
    if not found:
        return When(None, -1, direction)
    start, end = min(found, key=lambda span: (quote[span[0] : span[1]].isdigit(), span[0]))
    return When(quote[start:end], statement.start + start, _reported(statement, start, direction))

"""Predicates that hold one value at a time, so that an older, different value can be marked as superseded.

The lexicon is small on purpose: a wrong predicate hides a true fact. Works at one company, lives in one place, reports
to one person, has one owner, one due date, one setting, one port, one price, one time that it is kept for; is *the*
lead of something; a measured noun that *is* a number (`the retention of audit logs is 30 days`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tierlake.extractors.local import lexicon as words
from tierlake.extractors.local.statements import Statement

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

# Lemma and preposition to the predicate's name. The passive shows in the key as `be`.
_VERBS: Final[dict[tuple[str, str], str]] = {
    ("work", "at"): "work at",
    ("work", "for"): "work at",
    ("live", "in"): "live in",
    ("report", "to"): "report to",
    ("run", "on"): "run on",
    ("listen", "on"): "listen on",
    ("expire", "on"): "expire on",
    ("expire", "in"): "expire on",
    ("belong", "to"): "belong to",
    ("be base", "in"): "be based in",
    ("be locate", "in"): "be based in",
    ("be own", "by"): "be owned by",
    ("be maintain", "by"): "be maintained by",
    ("be lead", "by"): "be led by",
    ("be schedule", "for"): "be scheduled for",
    ("be plan", "for"): "be scheduled for",
    ("be set", "to"): "be set to",
    ("be limit", "to"): "be limited to",
    ("be keep", "for"): "be kept for",
    ("be retain", "for"): "be kept for",
    ("be store", "for"): "be kept for",
    ("be host", "on"): "be hosted on",
    ("be host", "in"): "be hosted in",
    ("be due", "on"): "be due",
    ("be due", "in"): "be due",
    ("be due", "by"): "be due",
}  # fmt: skip
_OBJECTS: Final = {"cost": "cost", "lead": "lead", "own": "own"}
_NAMED: Final = frozenset({"call", "name", "rename"})
_MAX_VALUE: Final = 80


@dataclass(frozen=True)
class Predicate:
    """A predicate and its value as written; `subject` where a common noun is the subject (`retention of logs`)."""

    predicate: str
    value: str
    subject: str | None = None


def predicate_of(statement: Statement) -> Predicate | None:
    """Returns the statement's single-valued predicate, or None.

    Negated statements, questions, past tenses and conditions have none: they do not say what holds.
    """
    subject = statement.subject
    if statement.form != "clause" or subject is None or not _holds(statement.root):
        return None
    found = _copula(statement) if statement.root.lemma_ == "be" else _verbal(statement)
    if found is None or subject.pos_ != "NOUN":
        return found
    name = _specific(statement, subject)
    return replace(found, subject=name) if name else None


def _specific(statement: Statement, subject: Token) -> str:
    """Returns the words of a common noun that says which one it is; empty where it does not.

    "The limit" alone is another limit in another document; "the retention of audit logs" is one thing in a bank.
    """
    phrase = statement.doc[subject.left_edge.i : subject.right_edge.i + 1]
    is_dated = any(token.lower_ in words.CALENDAR for token in phrase)
    count = sum(1 for token in phrase if token.pos_ in {"NOUN", "PROPN", "ADJ"})
    return _text(phrase) if count > 1 and not is_dated else ""


def _verbal(statement: Statement) -> Predicate | None:
    root = statement.root
    passive = any(child.dep_ == "auxpass" for child in root.children)
    lemma = f"be {root.lemma_}" if passive else root.lemma_
    for child in root.children:
        if child.dep_ in {"prep", "agent"} and (lemma, child.lower_) in _VERBS:
            value = _phrase(child, statement)
            return Predicate(_VERBS[lemma, child.lower_], value) if value else None
        if child.dep_ == "dobj" and not passive and root.lemma_ == "cost":
            return _valued(_OBJECTS["cost"], child)
    if passive and root.lemma_ in _NAMED:
        name = next((child for child in root.children if child.dep_ in {"oprd", "dobj", "attr"}), None)
        return _valued("be called", name) if name is not None else None
    return None


def _holds(root: Token) -> bool:
    """Returns True where the verb says what is so now: not negated, modal or past."""
    for child in root.children:
        is_past = child.dep_ == "auxpass" and child.lower_ in {"was", "were"}
        if child.dep_ == "neg" or child.tag_ == "MD" or is_past:
            return False
    return root.tag_ != "VBD"


def _copula(statement: Statement) -> Predicate | None:
    root = statement.root
    for child in root.children:
        if child.dep_ == "acomp" and child.lower_ in {"due", "based", "located", "owned"}:
            prep = next((each for each in child.children if each.dep_ in {"prep", "agent"}), None)
            key = (
                "be due" if child.lower_ == "due" else f"be {child.lower_[:-1]}",
                prep.lower_ if prep is not None else "",
            )
            value = _phrase(prep, statement) if prep is not None else ""
            if key in _VERBS and value:
                return Predicate(_VERBS[key], value)
        if child.dep_ == "attr" and child.i > root.i:
            return _attribute(statement, child)
    return None


def _attribute(statement: Statement, attribute: Token) -> Predicate | None:
    """Returns `be the lead of X`, or the number that a measured noun is."""
    subject = statement.subject
    if subject is None:
        return None
    article = next((child for child in attribute.children if child.dep_ == "det"), None)
    if (
        attribute.lemma_ in words.PERSON_NOUNS
        and article is not None
        and article.lower_ == "the"
        and subject.pos_ == "PROPN"
    ):
        of = next((child for child in attribute.children if child.dep_ == "prep" and child.lower_ == "of"), None)
        whole = _phrase(of, statement) if of is not None else ""
        role = " ".join(statement.doc[article.i + 1 : attribute.i + 1].text.split())
        return Predicate(f"be the {role} of", whole) if whole else None
    number = next((child for child in attribute.children if child.dep_ == "nummod"), None)
    if number is not None and subject.pos_ == "NOUN":
        return Predicate("be", _text(statement.doc[attribute.left_edge.i : attribute.i + 1]))
    return None


def _phrase(preposition: Token, statement: Statement) -> str:
    value = next((child for child in preposition.children if child.dep_ in {"pobj", "pcomp"}), None)
    if value is None or any(child.dep_ == "conj" for child in value.children):
        return ""
    return _text(statement.doc[value.left_edge.i : value.i + 1])


def _valued(predicate: str, head: Token) -> Predicate | None:
    value = _text(head.doc[head.left_edge.i : head.i + 1])
    return Predicate(predicate, value) if value else None


def _text(span: Span) -> str:
    text = " ".join(span.text.split())
    for article in ("the ", "The ", "a ", "A ", "an ", "An "):
        text = text.removeprefix(article)
    return text if len(text) <= _MAX_VALUE else ""

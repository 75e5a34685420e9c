"""The first person: `I` becomes whoever speaks, where grammar allows it; else the statement is put in their mouth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tierlake.extractors.local.grammar import singular_verb
from tierlake.extractors.local.names import Name
from tierlake.extractors.local.pronouns import FIRST, FIRST_PLURAL, SECOND
from tierlake.extractors.local.statements import Statement, is_finite, subject_of

if TYPE_CHECKING:
    from spacy.tokens import Token


@dataclass(frozen=True)
class Resolved:
    """What a statement's pronouns were resolved to.

    Attributes:
        edits: Replacements as (start, end, words) in the chunk.
        prefix: `Speaker: ` where the first person could not be replaced; else empty.
        extra: Names that stand in the body only because a pronoun stood for them.
        subject: The name that is the grammatical subject, or None.
        is_clear: False where a pronoun was left standing.
        first_person: True where the subject is the speaker.
    """

    edits: tuple[tuple[int, int, str], ...] = ()
    prefix: str = ""
    extra: tuple[Name, ...] = ()
    subject: str | None = None
    is_clear: bool = True
    first_person: bool = False


def plural_to_singular(statement: Statement) -> list[tuple[int, int, str]]:
    """Returns the edits that put the finite verbs of a plural subject into the singular."""
    edits = []
    verbs = [statement.root]
    verbs += [child for child in statement.root.children if child.dep_ == "conj" and subject_of(child) is None]
    for verb in verbs:
        carriers = [child for child in verb.children if child.dep_ in {"aux", "auxpass"}] or [verb]
        finite = carriers[0]
        word = singular_verb(finite)
        if word is not None and statement.first <= finite.i < statement.last and (is_finite(verb) or finite is verb):
            start = statement.block.start + finite.idx
            edits.append((start, start + len(finite.text), word))
    return edits


def first_person(statement: Statement, speaker: str | None) -> Resolved | None:
    """Returns what the first person was resolved to; None where there is none or nobody is known to speak."""
    mine = [token for token in statement.tokens if token.lower_ in FIRST]
    ours = [token for token in statement.tokens if token.lower_ in FIRST_PLURAL and token.tag_ != "NNP"]
    if statement.block.speaker is not None and not (mine or ours) and _is_addressed(statement):
        # "Your help means a lot": only who says it makes it a statement.
        return Resolved(prefix=f"{speaker}: ", extra=(Name(-1, -1, statement.block.speaker, "person"),), is_clear=False)
    if speaker is None or not (mine or ours):
        return None
    is_chat = statement.block.speaker is not None
    who = Name(-1, -1, speaker, "person")
    subject = statement.subject
    spoken = subject is not None and subject.lower_ in FIRST | FIRST_PLURAL
    if not mine:
        # In a document `we` is its organization, not its author; in a chat the speaker's group.
        return Resolved(prefix=f"{speaker}: ", extra=(who,), first_person=spoken) if is_chat else None
    edits = None if ours and is_chat else _first_edits(statement, mine, speaker)
    if edits is None:
        return Resolved(prefix=f"{speaker}: ", extra=(who,), first_person=spoken)
    own = subject is not None and subject.lower_ == "i"
    return Resolved(edits=tuple(edits), extra=(who,), subject=speaker if own else None, first_person=own)


def _is_addressed(statement: Statement) -> bool:
    """Returns True where the subject is `you` or something of yours."""
    subject = statement.subject
    if subject is None:
        return False
    return subject.lower_ in SECOND or any(
        child.dep_ == "poss" and child.lower_ in SECOND for child in subject.children
    )


def _first_edits(statement: Statement, mine: Sequence[Token], speaker: str) -> list[tuple[int, int, str]] | None:
    """Returns the replacements of I, my and me; None where they would not read well."""
    edits: list[tuple[int, int, str]] = []
    named = False
    for token in mine:
        start = statement.block.start + token.idx
        span = (start, start + len(token.text))
        word = token.lower_
        if word == "i" and token.dep_ in {"nsubj", "nsubjpass"} and not named:
            agreed = _agreed(statement, token.head)
            if agreed is None:
                return None
            edits += [(*span, speaker), *agreed]
        elif word == "my" and token.dep_ == "poss":
            edits.append((*span, "their" if named else f"{speaker}'s"))
        elif word == "me" and not named:
            edits.append((*span, speaker))
        else:
            return None
        named = True
    return edits


def _agreed(statement: Statement, verb: Token) -> list[tuple[int, int, str]] | None:
    """Returns the edits that make the verbs of `I` agree with a name; None where they cannot."""
    verbs = [verb, *(child for child in verb.children if child.dep_ == "conj" and subject_of(child) is None)]
    edits = []
    for each in verbs:
        carriers = [child for child in each.children if child.dep_ in {"aux", "auxpass"} and child.i < each.i]
        finite = carriers[0] if carriers else each
        if finite.tag_ in {"VBD", "VBN", "VB", "VBG"} and finite.lower_ not in {"'d", "’d"}:
            continue
        word = singular_verb(finite)
        if word is None:
            return None
        start = statement.block.start + finite.idx
        edits.append((start, start + len(finite.text), word))
    return edits

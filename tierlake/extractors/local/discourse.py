"""Who a pronoun stands for, and the self-contained words of a statement.

A pronoun is replaced only where it is the subject (or the possessor of the subject) of its statement and one compatible
referent is plain: the subject of the statement before it, with no rival of the same sort in that statement; else the
only one of its sort that the chunk has named so far. Otherwise the pronoun stays and the fact is `inferred`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from tierlake.extractors.local.first_person import Resolved, first_person, plural_to_singular
from tierlake.extractors.local.names import Name
from tierlake.extractors.local.pronouns import FEMININE, MASCULINE, PLURAL, POINTING, THING, THIRD
from tierlake.extractors.local.referents import Referent, name_at, named, opening_name, subject_referent
from tierlake.extractors.local.statements import Statement

if TYPE_CHECKING:
    from spacy.tokens import Token

# "It is clear that", "it took two days", "it rains": nothing stands for these.
_EMPTY_VERBS: Final = frozenset(
    {"seem", "appear", "rain", "snow", "take", "matter", "turn", "happen", "depend", "help"}
)
_HONORIFIC_GENDER: Final = {
    **dict.fromkeys(("mr", "mr.", "sir", "herr"), "m"),
    **dict.fromkeys(("mrs", "mrs.", "ms", "ms.", "frau"), "f"),
}


@dataclass
class Discourse:
    """What a chunk has named so far, statement by statement."""

    author: str | None
    subjects: list[Referent] = field(default_factory=list)
    previous: list[Referent] = field(default_factory=list)
    last_subject: Referent | None = None
    everyone: dict[str, Referent] = field(default_factory=dict)
    gender: dict[str, str] = field(default_factory=dict)
    topic: dict[str, Referent] = field(default_factory=dict)
    has_pronoun: frozenset[str] = frozenset()
    is_description: bool = False

    def resolve(self, statement: Statement, names: Sequence[Name]) -> Resolved:
        """Returns the resolution of one statement, and remembers what it names.

        Args:
            statement: The statement.
            names: Names inside it.
        """
        subject = _grammatical_subject(statement)
        first = first_person(statement, self._speaker(statement))
        pronoun = _subject_pronoun(subject)
        if first is not None and pronoun is not None:
            resolved = _both(first, self._third_person(statement, pronoun, subject))
        elif first is not None:
            resolved = first
        elif pronoun is None:
            name = name_at(subject, statement, names) if subject is not None else opening_name(statement, names)
            resolved = Resolved(subject=name.surface if name else None, is_clear=not _points(subject))
        else:
            resolved = self._third_person(statement, pronoun, subject)
        self._remember(statement, names, subject, resolved)
        return resolved

    def _speaker(self, statement: Statement) -> str | None:
        return statement.block.speaker or self.author

    def _third_person(self, statement: Statement, pronoun: Token, subject: Token | None) -> Resolved:
        if pronoun.lower_ in THING and pronoun.dep_ != "poss" and _is_empty(statement, pronoun):
            return Resolved()
        referent = self._referent(pronoun, statement)
        if referent is None:
            return Resolved(is_clear=False)
        start = statement.block.start + pronoun.idx
        words = referent.text
        edits = []
        if pronoun.dep_ == "poss":
            words += "'" if words.endswith("s") and referent.sort == "plural" else "'s"
        elif pronoun.lower_ in PLURAL and referent.sort in {"person", "group"} and subject is not None:
            edits = plural_to_singular(statement)
        if pronoun.i > statement.first and words.startswith("The "):
            words = f"t{words[1:]}"
        self._learn_gender(pronoun, referent)
        is_subject = pronoun == subject and referent.name is not None
        return Resolved(
            edits=((start, start + len(pronoun.text), words), *edits),
            extra=(referent.name,) if referent.name else (),
            subject=referent.name.surface if is_subject and referent.name else None,
            is_clear=referent.is_sure,
        )

    def _referent(self, pronoun: Token, statement: Statement) -> Referent | None:
        fits = [each for each in self.previous if self._fits(pronoun, each)]
        # In a chat nobody speaks of themselves in the third person; a report may name its author.
        speaker = statement.block.speaker
        if self.has_pronoun & _same(pronoun) and _sex(pronoun) in self.topic:
            return self.topic[_sex(pronoun)]
        fits = [each for each in fits if each.text != speaker]
        keys = {each.key for each in fits}
        last = self.last_subject
        if last is not None and self._fits(pronoun, last) and last.text != speaker:
            rivals = {each.key for each in fits if each.sort == last.sort} - {last.key}
            others = keys - rivals - {last.key}
            # The subject stands out among things of its sort ("the Platform team was called the Core team. It ...");
            # not before a thing of another sort, and among people only where no other was named with it.
            # After "Slipway is written in Go" it is what was described that the text goes on about.
            is_topic = last.name is not None and (self.is_description or not others)
            is_plain = not keys - {last.key} or (pronoun.lower_ in THING and is_topic)
            return last if is_plain else None
        if len(keys) == 1 and fits[0].name is not None:
            return replace(fits[0], is_sure=False)
        if keys or pronoun.lower_ in THING | PLURAL:
            return None
        people = {
            each.key: each for each in self.everyone.values() if self._fits(pronoun, each) and each.text != speaker
        }
        return next(iter(people.values())) if len(people) == 1 else None

    def _fits(self, pronoun: Token, referent: Referent) -> bool:
        word = pronoun.lower_
        if word in MASCULINE | FEMININE:
            known = self.gender.get(referent.key)
            return referent.sort == "person" and known in {None, _sex(pronoun)}
        if word in THING:
            return referent.sort in {"thing", "group"}
        return referent.sort in {"plural", "group"}

    def _known(self, name: Name) -> Referent:
        """Returns the referent of a name with the words (an article) that it was introduced with."""
        key = name.surface.casefold()
        known = [self.last_subject, *self.previous, *self.everyone.values()]
        return next((each for each in known if each is not None and each.key == key), named(name))

    def _learn_gender(self, pronoun: Token, referent: Referent) -> None:
        if pronoun.lower_ in MASCULINE | FEMININE:
            self.gender[referent.key] = _sex(pronoun)
            self.topic[_sex(pronoun)] = referent

    def _remember(self, statement: Statement, names: Sequence[Name], subject: Token | None, resolved: Resolved) -> None:
        mentioned = [named(name, statement) for name in names]
        mentioned += [named(name) for name in resolved.extra]
        for referent in mentioned:
            title = _HONORIFIC_GENDER.get(referent.text.split()[0].casefold())
            if title:
                self.gender[referent.key] = title
            # A part of a fuller name ("Marcus" after "Marcus Okafor") is the same person.
            if not any(referent.key in other.split() for other in self.everyone):
                self.everyone.setdefault(referent.key, referent)
        self.last_subject = subject_referent(statement, subject, names)
        if resolved.extra and (self.last_subject is None or resolved.subject is not None):
            self.last_subject = self._known(resolved.extra[0]) if _is_replaced(statement, subject, resolved) else None
        root = statement.root
        self.is_description = root.lemma_ == "be" or any(child.dep_ == "auxpass" for child in root.children)
        self.has_pronoun = frozenset(token.lower_ for token in statement.tokens if token.lower_ in THIRD)
        self.previous = mentioned + ([self.last_subject] if self.last_subject else [])


def _sex(pronoun: Token) -> str:
    return "m" if pronoun.lower_ in MASCULINE else "f"


def _same(pronoun: Token) -> frozenset[str]:
    """Returns the pronouns of the same person, where the pronoun is he or she."""
    return next((group for group in (MASCULINE, FEMININE) if pronoun.lower_ in group), frozenset())


def _is_replaced(statement: Statement, subject: Token | None, resolved: Resolved) -> bool:
    """Returns True where the subject itself was exchanged for a name."""
    if subject is None:
        return False
    place = statement.block.start + subject.idx
    return any(start == place for start, _, _ in resolved.edits)


def _both(first: Resolved, third: Resolved) -> Resolved:
    """Returns both resolutions as one: "He founded it with me"."""
    edits = () if first.prefix else (*first.edits, *third.edits)
    return replace(
        third,
        edits=edits or third.edits,
        prefix=first.prefix,
        extra=(*third.extra, *first.extra),
        is_clear=third.is_clear,
    )


def _grammatical_subject(statement: Statement) -> Token | None:
    subject = statement.subject
    return None if subject is None or subject.dep_ in {"csubj", "csubjpass"} else subject


def _subject_pronoun(subject: Token | None) -> Token | None:
    """Returns the third-person pronoun that is the subject or the possessor in it; None where there is none."""
    if subject is None:
        return None
    if subject.lower_ in THIRD:
        return subject
    return next((child for child in subject.children if child.dep_ == "poss" and child.lower_ in THIRD), None)


def _points(subject: Token | None) -> bool:
    """Returns True where the subject is or starts with a pointing word that nothing here explains."""
    if subject is None:
        return False
    is_pointing = subject.lower_ in POINTING and subject.dep_ != "expl"
    return is_pointing or any(child.dep_ == "det" and child.lower_ in POINTING for child in subject.children)


def _is_empty(statement: Statement, pronoun: Token) -> bool:
    root = statement.root
    if pronoun.dep_ == "expl" or root.lemma_ in _EMPTY_VERBS:
        return True
    # "It is clear that", "it is best to".
    return root.lemma_ == "be" and any(child.dep_ in {"ccomp", "xcomp", "advcl", "csubj"} for child in root.children)

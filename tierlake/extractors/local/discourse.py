"""Who a pronoun stands for, and the self-contained words of a statement.

A pronoun is replaced only where it is the subject (or the possessor of the subject) of its statement and one compatible
referent is plain: the subject of the statement before it, with no rival of the same sort in that statement; else the
only one of its sort that the chunk has named so far. Otherwise the pronoun stays and the fact is `inferred`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from tierlake.extractors.local.grammar import capital, singular_verb
from tierlake.extractors.local.names import Name
from tierlake.extractors.local.statements import Statement, is_finite, subject_of

if TYPE_CHECKING:
    from spacy.tokens import Token

MASCULINE: Final = frozenset({"he", "his", "him", "himself"})
FEMININE: Final = frozenset({"she", "her", "hers", "herself"})
THING: Final = frozenset({"it", "its", "itself"})
PLURAL: Final = frozenset({"they", "their", "them", "theirs", "themselves"})
POINTING: Final = frozenset({"this", "that", "these", "those", "such"})
FIRST: Final = frozenset({"i", "my", "me", "mine", "myself"})
FIRST_PLURAL: Final = frozenset({"we", "our", "us", "ours", "ourselves"})
THIRD: Final = MASCULINE | FEMININE | THING | PLURAL
# "It is clear that", "it took two days", "it rains": nothing stands for these.
_EMPTY_VERBS: Final = frozenset(
    {"seem", "appear", "rain", "snow", "take", "matter", "turn", "happen", "depend", "help"}
)
_HONORIFIC_GENDER: Final = {"mr": "m", "mr.": "m", "sir": "m", "herr": "m", "mrs": "f", "mrs.": "f", "ms": "f", "ms.": "f", "frau": "f"}  # fmt: skip
# A verb, in small letters, perhaps after a version ("Lantern 2.3 exports charts").
_AFTER_NAME: Final = re.compile(r"(?: v?\d[\d.]*)? (?!(?:and|or|of|for|in|on|at|to|by|with|from|vs)\b)[a-z]+")
_MAX_PHRASE: Final = 60


@dataclass(frozen=True)
class Referent:
    """Something that a later pronoun may stand for.

    Attributes:
        text: The words that stand in for the pronoun.
        sort: person, group (an organisation or team: it or they), thing or plural.
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
        first = _first_person(statement, self._speaker(statement))
        pronoun = _subject_pronoun(statement, subject)
        if first is not None and pronoun is not None:
            resolved = _both(first, self._third_person(statement, pronoun, subject))
        elif first is not None:
            resolved = first
        elif pronoun is None:
            name = _name_at(subject, statement, names) if subject is not None else _opening_name(statement, names)
            resolved = Resolved(subject=name.surface if name else None, is_clear=not _points(statement, subject))
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
            edits = _agreement(statement)
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
        return next((each for each in known if each is not None and each.key == key), _named(name))

    def _learn_gender(self, pronoun: Token, referent: Referent) -> None:
        if pronoun.lower_ in MASCULINE | FEMININE:
            self.gender[referent.key] = _sex(pronoun)
            self.topic[_sex(pronoun)] = referent

    def _remember(self, statement: Statement, names: Sequence[Name], subject: Token | None, resolved: Resolved) -> None:
        mentioned = [_named(name, statement) for name in names]
        mentioned += [_named(name) for name in resolved.extra]
        for referent in mentioned:
            title = _HONORIFIC_GENDER.get(referent.text.split()[0].casefold())
            if title:
                self.gender[referent.key] = title
            # A part of a fuller name ("Marcus" after "Marcus Okafor") is the same person.
            if not any(referent.key in other.split() for other in self.everyone):
                self.everyone.setdefault(referent.key, referent)
        self.last_subject = _subject_referent(statement, subject, names)
        if resolved.extra and (self.last_subject is None or resolved.subject is not None):
            self.last_subject = self._known(resolved.extra[0]) if _is_replaced(statement, subject, resolved) else None
        root = statement.root
        self.is_description = root.lemma_ == "be" or any(child.dep_ == "auxpass" for child in root.children)
        self.has_pronoun = frozenset(token.lower_ for token in statement.tokens if token.lower_ in THIRD)
        self.previous = mentioned + ([self.last_subject] if self.last_subject else [])


def _named(name: Name, statement: Statement | None = None) -> Referent:
    sort = {"person": "person", "organization": "group"}.get(name.kind, "thing")
    words = name.surface
    if statement is not None:
        # "the Platform team" keeps its article.
        before = statement.doc.text[: name.start - statement.block.start].split()[-1:]
        words = f"The {words}" if before and before[0].casefold() == "the" else words
    return Referent(words, sort, name)


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
        third, edits=edits or third.edits, prefix=first.prefix, extra=(*third.extra, *first.extra), is_clear=third.is_clear
    )


def _grammatical_subject(statement: Statement) -> Token | None:
    subject = statement.subject
    return None if subject is None or subject.dep_ in {"csubj", "csubjpass"} else subject


def _subject_pronoun(statement: Statement, subject: Token | None) -> Token | None:
    """Returns the third-person pronoun that is the subject or the possessor in it; None where there is none."""
    if subject is None:
        return None
    if subject.lower_ in THIRD:
        return subject
    return next((child for child in subject.children if child.dep_ == "poss" and child.lower_ in THIRD), None)


def _points(statement: Statement, subject: Token | None) -> bool:
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


def _name_at(token: Token, statement: Statement, names: Sequence[Name]) -> Name | None:
    """Returns the name that is the token's whole phrase, but for an article, a title noun or an apposition."""
    place = statement.block.start + token.idx
    name = next((each for each in names if each.start <= place < each.end), None)
    if name is None:
        return None
    possessor = any(child.dep_ == "poss" for child in token.children)
    joined = any(child.dep_ == "conj" for child in token.children)
    return None if possessor or joined else name


def _opening_name(statement: Statement, names: Sequence[Name]) -> Name | None:
    """Returns the name that opens prose without a parse ("Slipway runs on Kubernetes"), a small letter after it."""
    if statement.form != "other":
        return None
    name = next((each for each in names if each.start == statement.start), None)
    after = _AFTER_NAME.match(statement.doc.text[name.end - statement.block.start :]) if name else None
    return name if after is not None else None


def _subject_referent(statement: Statement, subject: Token | None, names: Sequence[Name]) -> Referent | None:
    """Returns the subject as something that a pronoun may stand for."""
    opening_name = _opening_name(statement, names)
    if opening_name is not None:
        return _named(opening_name, statement)
    if subject is None or subject.pos_ in {"PRON", "VERB", "AUX"} or subject.dep_ in {"csubj", "expl"}:
        return None
    name = _name_at(subject, statement, names)
    joined = any(child.dep_ == "conj" for child in subject.children)
    if name is not None:
        return _named(name, statement)
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


def _agreement(statement: Statement) -> list[tuple[int, int, str]]:
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


def _first_person(statement: Statement, speaker: str | None) -> Resolved | None:
    """Returns the resolution of the first person to the speaker; None where there is none or nobody is known to speak."""
    mine = [token for token in statement.tokens if token.lower_ in FIRST]
    ours = [token for token in statement.tokens if token.lower_ in FIRST_PLURAL and token.tag_ != "NNP"]
    if speaker is None or not (mine or ours):
        return None
    is_chat = statement.block.speaker is not None
    who = Name(-1, -1, speaker, "person")
    subject = statement.subject
    spoken = subject is not None and subject.lower_ in FIRST | FIRST_PLURAL
    if not mine:
        # In a document `we` is its organisation, not its author; in a chat the speaker's group.
        return Resolved(prefix=f"{speaker}: ", extra=(who,), first_person=spoken) if is_chat else None
    edits = None if ours and is_chat else _first_edits(statement, mine, speaker)
    if edits is None:
        return Resolved(prefix=f"{speaker}: ", extra=(who,), first_person=spoken)
    own = subject is not None and subject.lower_ == "i"
    return Resolved(edits=tuple(edits), extra=(who,), subject=speaker if own else None, first_person=own)


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

"""Clauses into sentences: identity first, then what holds, then what happened, in the order of time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from tierlake.summarizers.clauses import Clause

# A sentence with more predicates, or longer than this, loses its reader.
MAX_PREDICATES: Final = 5
MAX_SENTENCE: Final = 240
# More noun phrases after one `is` read as a list of titles.
MAX_IDENTITIES: Final = 2
_UNDATED: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Said:
    """A clause as it is used for one entity.

    Attributes:
        clause: The clause.
        is_about: True where the entity is its subject.
        is_clear: True where every word of it can be understood alone.
        at: When it happened, else when it was said.
        date: Preposition and date to add, where the words name none.
    """

    clause: Clause
    is_about: bool
    is_clear: bool
    at: datetime | None
    date: tuple[str, str] | None

    @property
    def predicate(self) -> str:
        """Returns the predicate with its date."""
        return f"{self.clause.predicate} {' '.join(self.date)}" if self.date else self.clause.predicate

    @property
    def sentence(self) -> str:
        """Returns the whole statement, with a capital letter, a final stop, and its date in brackets."""
        text = self.clause.text.strip().rstrip(".")
        dated = f"{text} ({self.date[1]})" if self.date else text
        stop = "" if dated.endswith(("!", "?", "\u2026")) else "."
        return f"{dated[:1].upper()}{dated[1:]}{stop}"


def compose(statements: Sequence[Said], *, name: str, kind: str | None) -> str:
    """Returns the statements as sentences about `name`.

    Args:
        statements: What to say, most recent first.
        name: The entity's display name.
        kind: The entity's kind: a person `who`, anything else `that`.
    """
    about = [said for said in statements if said.is_about]
    subject = _subject(about, name)
    listed = [said for said in about if said.clause.is_listable]
    identities = [said for said in listed if said.clause.group == "identity"][:MAX_IDENTITIES]
    states = [said for said in listed if said.clause.group != "event" and said not in identities]
    events = sorted((said for said in listed if said.clause.group == "event"), key=lambda said: said.at or _UNDATED)
    alone = [said for said in about if not said.clause.is_listable]
    first = _identity(identities)
    relative = "who" if kind == "person" else "that"
    may_follow = len(identities) == 1 and identities[0].clause.takes_relative
    sentences = list(_pack(subject, first, states, events, relative if may_follow else ""))
    sentences += [f"{subject} {said.predicate}." for said in alone]
    return " ".join([*sentences, *(said.sentence for said in statements if not said.is_about)])


def _subject(about: Sequence[Said], name: str) -> str:
    """Returns the name as a subject, with `The` where the facts give it one."""
    needs_article = any(said.clause.has_article for said in about) and not name.casefold().startswith("the ")
    return f"The {name}" if needs_article else name[:1].upper() + name[1:] if name.islower() else name


def _identity(identities: Sequence[Said]) -> str:
    return f"is {' and '.join(said.clause.complement for said in identities)}" if identities else ""


def _pack(subject: str, first: str, states: list[Said], events: list[Said], relative: str) -> Iterator[str]:
    """Yields sentences: all in one where it is short enough; else the identity with what holds, then what happened."""
    predicates = [[said.predicate for said in group] for group in (states, events)]
    together = _sentence(subject, first, [*predicates[0], *predicates[1]], relative)
    if len(predicates[0]) + len(predicates[1]) + bool(first) <= MAX_PREDICATES and len(together) <= MAX_SENTENCE:
        if together:
            yield together
        return
    # Nothing of an identity stays alone where states can follow it.
    opening = first
    for group in predicates:
        taken: list[str] = []
        for predicate in group:
            longer = _sentence(subject, opening, [*taken, predicate], relative)
            if taken and (len(longer) > MAX_SENTENCE or len(taken) + bool(opening) >= MAX_PREDICATES):
                yield _sentence(subject, opening, taken, relative)
                taken, opening = [], ""
            taken.append(predicate)
        if taken or (opening and group is predicates[0]):
            yield _sentence(subject, opening, taken, relative)
            opening = ""


def _sentence(subject: str, first: str, predicates: list[str], relative: str) -> str:
    """Returns `X is a ... who p, q, and r.`, or `X p, q, and r.`; empty where there is nothing to say.

    Example:
        >>> _sentence("Ana", "is a pilot", ["flies jets", "lives in Lima"], "who")
        'Ana is a pilot who flies jets and lives in Lima.'
    """
    if first and predicates and relative:
        return f"{subject} {first} {relative} {_joined(predicates)}."
    parts = [first, *predicates] if first else predicates
    return f"{subject} {_joined(parts)}." if parts else ""


def _joined(parts: Sequence[str]) -> str:
    """Returns the parts as a list with a serial comma; a comma before `and` too where a part holds one itself."""
    if len(parts) == 1:
        return parts[0]
    last = len(parts) - 1
    comma = "," if last > 1 or any(" and " in part for part in parts) else ""
    return f"{', '.join(parts[:last])}{comma} and {parts[last]}"

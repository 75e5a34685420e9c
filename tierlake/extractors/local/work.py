"""Tasks and events that a statement tells of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal, cast

from tierlake.extractors.local import lexicon as words
from tierlake.extractors.local.judgements import When, direction_of
from tierlake.extractors.local.names import Name
from tierlake.extractors.local.statements import Statement
from transforms.dates import find_dates
from transforms.payload import ExtractedEvent, ExtractedTask

if TYPE_CHECKING:
    from spacy.tokens import Token

Status = Literal["pending", "in_progress", "done", "cancelled"]
DEFAULT_PRIORITY: Final = 5
# Verbs with which `X will ...` promises no work.
_NO_WORK: Final = words.word_set(
    "be have get need want like know happen become remain stay see leave join retire lead come go arrive return"
    " begin start move speak visit attend travel say open close end expire take turn celebrate"
)
_OBLIGATIONS: Final = frozenset({"will", "must", "shall", "'ll", "’ll"})
# What must, should or can be done has not happened, nor will it for certain.
_DUTIES: Final = frozenset({"must", "should", "can", "could", "may", "might", "would", "ought"})
_PLEASE: Final = re.compile(r"^(?:please|pls|could you(?: please)?|can you(?: please)?)[\s,]+", re.IGNORECASE)
_DUE_BEFORE: Final = re.compile(
    r"(?:\b(?:by|until|till|before|due|on|for|this|next|at the latest)\W*|\bdue\W+\w+\s)$", re.IGNORECASE
)


def task_of(
    statement: Statement, fact: int, body: str, when: When, names: Sequence[Name], *, owner: str | None
) -> ExtractedTask | None:
    """Returns the task that a statement sets, or None.

    A checkbox, a label (`TODO:`), a list under a heading of tasks, a request (`Please ...`), and a person or team that
    will, must or has to do something are tasks. A thing that will happen is none, nor a rule for everybody.

    Args:
        statement: The statement.
        fact: Index of its fact.
        body: The fact's self-contained words.
        when: Its date.
        names: Names inside it.
        owner: Who the grammatical subject is, where that is a name.
    """
    text = statement.tokens.text
    listed = statement.block.role == "item" and bool(words.TASK_HEADING.match(statement.block.heading))
    asked = bool(_PLEASE.match(text)) and statement.form == "imperative"
    promised = _is_promise(statement, names, owner)
    shown = when.expression is not None or status_of(text, None) != "pending" or bool(words.ASSIGNED.search(text))
    dated = statement.form == "imperative" and statement.block.role == "item" and shown
    if not (statement.block.is_task or listed or asked or promised or dated):
        return None
    if statement.block.status is None and when.direction == "past" and not statement.block.is_task:
        return None
    return ExtractedTask(
        fact=fact,
        description=description(body),
        priority=priority_of(f"{text} {statement.block.heading}"),
        status=cast("Status", status_of(text, statement.block.status)),
        due=due_of(text),
    )


def description(body: str) -> str:
    """Returns a task's words: the fact's, without `Please` and the full stop.

    Example:
        >>> description("Please send the report.")
        'Send the report'
    """
    plain = _PLEASE.sub("", body).rstrip(".")
    # A handle keeps its small letter.
    return plain if body.startswith(plain) else plain[:1].upper() + plain[1:]


def priority_of(text: str) -> int:
    """Returns 0 to 10 from priority words, 5 where there is none.

    Example:
        >>> [priority_of(text) for text in ("urgent: call", "call", "call (P3)", "nice to have")]
        [9, 5, 4, 2]
    """
    low = words.PRIORITIES[-1]
    if low[0].search(text):  # "not urgent" before "urgent"
        return low[1]
    exact = re.search(r"\bP0\b", text)
    if exact:
        return 10
    return next((value for pattern, value in words.PRIORITIES if pattern.search(text)), DEFAULT_PRIORITY)


def status_of(text: str, marked: str | None) -> str:
    """Returns the status that a checkbox or the words show; pending where nothing does."""
    if marked not in {None, "pending"}:
        return str(marked)
    return next((status for pattern, status in words.STATUSES if pattern.search(text)), "pending")


def due_of(text: str, *, language: str = "en") -> str | None:
    """Returns the date expression by which it is due: one after `by`, `until`, `due`, else the last, else None."""
    found = find_dates(text, language=language)
    if not found:
        return None
    marked = [span for span in found if _DUE_BEFORE.search(text[: span[0]])]
    start, end = (marked or found)[-1]
    return text[start:end]


def _is_promise(statement: Statement, names: Sequence[Name], owner: str | None) -> bool:
    root, subject = statement.root, statement.subject
    if statement.form != "clause" or subject is None:
        return False
    work = next((child for child in root.children if child.dep_ == "xcomp" and child.tag_ == "VB"), None)
    # "needs to send", "has to send": the work stands in the infinitive.
    obliged = root.lemma_ in {"need", "have"} and root.tag_ in {"VBZ", "VBP"} and work is not None
    if ((work if obliged and work is not None else root).lemma_) in _NO_WORK:
        return False
    if any(child.dep_ in {"neg", "auxpass"} for child in root.children):
        return False
    kinds = {name.kind for name in names if name.surface == owner}
    is_agent = subject.lower_ in {"i", "we"} or bool(kinds & {"person", "organization"})
    is_agent = is_agent or (
        owner is not None and subject.pos_ == "PRON" and subject.lower_ not in {"it", "this", "that"}
    )
    if not is_agent:
        return False
    modals = {child.lower_ for child in root.children if child.dep_ == "aux"}
    if obliged or modals & _OBLIGATIONS:
        return True
    # A suggestion ("we should") is work only where it has an owner and a date.
    return "should" in modals and owner is not None and bool(find_dates(statement.tokens.text))


def event_of(statement: Statement, fact: int, body: str, when: When) -> ExtractedEvent | None:
    """Returns the happening that a dated statement tells of, or None."""
    # A date of what somebody only says will be ("told me that she will come on Monday") is not that of the saying.
    if when.expression is None or statement.form == "imperative" or when.direction != direction_of(statement):
        return None
    root = statement.root
    if any(child.dep_ == "aux" and child.lower_ in _DUTIES for child in root.children):
        return None
    event_type = event_type_of(statement)
    # The plain present tells what is so, but for verbs of happening ("the lease expires on 3 March").
    told = when.direction is not None or root.lemma_ in words.EVENT_TYPES
    is_happening = root.lemma_ not in words.STATIVE and told
    if root.lemma_ in {"be", "have", "happen", "occur", "take", "last", "begin", "start", "end"}:
        # "The outage was on 3 March", "The review is next Monday": the noun tells what happens.
        is_happening = event_type != "event" or root.lemma_ in {"happen", "occur", "begin", "start", "end"}
    if not is_happening:
        return None
    return ExtractedEvent(fact=fact, event_type=event_type, summary=body.rstrip("."))


def event_type_of(statement: Statement) -> str:
    """Returns the type that the verb names, else the subject, else another noun; `event` where none does."""
    root = statement.root
    chain: list[Token] = [root]
    chain += [child for child in root.children if child.dep_ in {"xcomp", "conj"}]
    if statement.subject is not None:
        chain += [statement.subject, *(child for child in statement.subject.children if child.dep_ == "compound")]
    if root.lemma_ in {"call", "name"} and any(child.dep_ == "auxpass" for child in root.children):
        return "rename"
    verb = words.EVENT_TYPES.get(root.lemma_.casefold())
    weak = {"start", "call", "test", "update", "move", "talk", "switch", "found", "order", "open"}
    if verb is not None and root.lemma_ not in weak:
        return verb
    for token in chain[1:]:
        found = words.EVENT_TYPES.get(token.lemma_.casefold())
        if found is not None:
            return found
    if verb is not None:
        return verb
    nouns = (
        token for token in statement.tokens if token.pos_ == "NOUN" and token.dep_ in {"dobj", "pobj", "attr", "nsubj"}
    )
    return next((words.EVENT_TYPES[n.lemma_] for n in nouns if n.lemma_ in words.EVENT_TYPES), "event")

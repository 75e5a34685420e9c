"""Observations without a model service: clauses that share the entity as subject become sentences.

Every word of a summary stands in a source fact, but for the entity's name, conjunctions and dates that were resolved.
The entity's name is repeated instead of a pronoun, so that nobody is given a gender.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version as installed_version
from typing import Final

from tierlake.extractors.local.models import ENGLISH_WEIGHTS
from tierlake.summarizers.absolute_dates import make_dates_absolute, spell_date
from tierlake.summarizers.base import SourceFact, SummaryRequest, SummaryResult
from tierlake.summarizers.clauses import Clause, read_clauses
from tierlake.summarizers.repeats import drop_repeats, drop_similar_texts
from tierlake.summarizers.sentences import Said, compose

# Bump it when what is written for the same facts changes: it is part of every input hash.
RULES_VERSION: Final = "1"
# Stands in for a name while its sentence is parsed, never in a text.
PRONOUN: Final = "She"
# A summary is read in a prompt beside others: about a hundred words.
MAX_CHARS: Final = 600
# More than this many statements are a list, not a summary.
MAX_STATEMENTS: Final = 10
# What somebody thinks or likes is true of them, and the last thing that an objective summary needs.
ATTITUDES: Final = frozenset(
    ("think", "believe", "feel", "find", "prefer", "like", "love", "dislike", "hate", "hope", "doubt", "suspect",
     "fear", "wish", "enjoy", "guess", "suppose")
)  # fmt: skip
# With fewer statements about the entity itself, statements that only name it help.
ENOUGH: Final = 3


@dataclass(frozen=True)
class _Dated:
    text: str
    fact: SourceFact
    has_date: bool
    is_clear: bool


class LocalSummarizer:
    """Writes observations from the facts' own words; English is combined, other languages are quoted whole."""

    name = "local"
    version = RULES_VERSION

    def __init__(self) -> None:
        self.model = f"en_core_web_sm-{installed_version(ENGLISH_WEIGHTS)}"

    def summarize(self, requests: Sequence[SummaryRequest]) -> Iterator[SummaryResult]:
        """Yields one result a request, in order; it never fails.

        Example:
            >>> facts = ("Alice works at Google.", "Alice is a software engineer.")
            >>> sources = tuple(SourceFact(str(n), body, None, "Alice") for n, body in enumerate(facts))
            >>> request = SummaryRequest("h", "Alice", ("Alice",), "person", "en", sources)
            >>> next(LocalSummarizer().summarize([request])).text
            'Alice is a software engineer who works at Google.'
        """
        for request in requests:
            items = [_dated(fact, request.language) for fact in _standing(request.facts)]
            is_english = request.language == "en"
            yield SummaryResult(request.input_hash, _english(request, items) if is_english else _quoted(items))


def _read(texts: Sequence[str], names: Sequence[str]) -> dict[str, Clause]:
    """Returns the clause of each text.

    Small parsers take a verb that is also a noun (`Bob mentors juniors`) for part of the name before it. Where they
    found no verb at all, the same words are read once more behind a pronoun, which cannot be part of a longer name.
    """
    distinct = list(dict.fromkeys(texts))
    read = dict(zip(distinct, read_clauses(distinct), strict=True))
    again = [
        (text, name) for text in distinct for name in names if not read[text].has_verb and text.startswith(f"{name} ")
    ]
    second = read_clauses([PRONOUN + text[len(name) :] for text, name in again])
    for (text, name), clause in zip(again, second, strict=True):
        if clause.subject == PRONOUN:
            read[text] = replace(clause, text=text, subject=name)
    return read


def _standing(facts: Sequence[SourceFact]) -> list[SourceFact]:
    """Returns the facts that no newer one has superseded: the older value would be untrue today."""
    return [fact for fact in facts if not fact.superseded and fact.body.strip()]


def _dated(fact: SourceFact, language: str) -> _Dated:
    text = " ".join(fact.body.split())
    if language != "en":
        return _Dated(text, fact, has_date=True, is_clear=True)
    dated = make_dates_absolute(text, fact.occurred, fact.precision)
    return _Dated(dated.text, fact, dated.has_date, dated.is_clear)


def _english(request: SummaryRequest, items: Sequence[_Dated]) -> str:
    """Returns the summary: statements about the entity, then, where there are few, statements that name it."""
    names = {_folded(name) for name in request.names}
    clauses = _read([item.text for item in items], request.names)
    said = [_said(item, clauses[item.text], names) for item in items]
    about = drop_repeats([one for one in said if one.is_about and one.is_clear])
    attitudes = [one for one in about if one.clause.head in ATTITUDES]
    about = [one for one in about if one.clause.head not in ATTITUDES]
    # Who somebody is matters more than what happened last: a stable sort, so the rest stays most recent first.
    about = sorted(about, key=lambda one: one.clause.group != "identity")[:MAX_STATEMENTS]
    about += attitudes[: max(0, ENOUGH - len(about))]
    beside: list[Said] = []
    if len(about) < ENOUGH:
        rest = [one for one in said if not one.is_about and one.is_clear]
        # What cannot be understood alone is better than nothing, and worse than anything else.
        rest = rest if rest or about else said
        beside = drop_similar_texts(rest, than=about)[: ENOUGH - len(about)]
    return _fitting(request, about, beside)


def _fitting(request: SummaryRequest, about: list[Said], beside: list[Said]) -> str:
    """Returns the longest summary within the limit, leaving out whole statements, the least recent first."""
    chosen = [*about, *beside]
    while chosen:
        text = compose(chosen, name=request.canonical_name, kind=request.kind)
        if len(text) <= MAX_CHARS:
            return text
        # One statement that is too long by itself gives way to shorter ones; the last one is dropped, not cut.
        longest = max(chosen, key=lambda one: len(one.clause.text))
        chosen.remove(longest if len(longest.clause.text) > MAX_CHARS else chosen[-1])
    return ""


def _said(item: _Dated, clause: Clause, names: set[str]) -> Said:
    is_about = bool(clause.subject) and _folded(clause.subject) in names
    happened = clause.group == "event" and not item.has_date and item.fact.occurred is not None
    date = spell_date(item.fact.occurred, item.fact.precision) if happened and item.fact.occurred else None
    # A fragment (`INC-42: login failure`) says nothing by itself.
    is_clear = clause.is_clear if is_about else clause.is_text_clear and clause.has_verb
    return Said(clause, is_about, item.is_clear and is_clear, item.fact.at, date)


def _folded(name: str) -> str:
    words = name.casefold().split()
    return " ".join(words[1:] if words[:1] == ["the"] else words)


def _quoted(items: Sequence[_Dated]) -> str:
    """Returns whole statements of a language whose grammar is not known here, most recent first."""
    kept: list[str] = []
    for text in drop_similar_texts([item.text for item in items]):
        if len(" ".join([*kept, text])) <= MAX_CHARS and len(kept) < MAX_STATEMENTS // 2:
            kept.append(text)
    return " ".join(kept)

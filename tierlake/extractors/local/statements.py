"""Parsed English blocks into statements: sentences and clauses with a subject and a finite verb of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tierlake.extractors.local.blocks import Block
from tierlake.extractors.local.lexicon import GREETING, SIGN_OFF

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

SUBJECTS: Final = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
WH: Final = frozenset({"WRB", "WP", "WDT", "WP$"})
FINITE: Final = frozenset({"VBD", "VBZ", "VBP", "MD"})
# A condition or a reason binds its whole sentence: cutting a clause off would change what is said.
BINDING: Final = frozenset({"advcl", "csubj", "mark"})
_MIN_WORDS: Final = 2
_MIN_PROSE: Final = 4
_EDGE: Final = " \t\n\r,;:–—-"
_AFTER: Final = re.compile(r"[\s,;:–—-]+$")


@dataclass(frozen=True)
class Statement:
    """Words of a block that state something.

    Attributes:
        block: Where they stand.
        doc: The parsed block.
        first: Index of the first token.
        last: One past the last token.
        root: The token that heads them.
        subject: The grammatical subject's head; None for an imperative or an elliptic past tense.
        form: clause, imperative, elliptic (a past tense without subject) or other (prose that no parse explains).
        text: The block's text, as parsed.
        is_split: It was cut from a longer sentence.
    """

    block: Block
    doc: Doc
    first: int
    last: int
    root: Token
    subject: Token | None
    form: str
    text: str
    is_split: bool = False

    @property
    def tokens(self) -> Span:
        """Returns the tokens."""
        return self.doc[self.first : self.last]

    @property
    def start(self) -> int:
        """Returns the first character in the chunk."""
        return self.block.start + self.tokens.start_char

    @property
    def end(self) -> int:
        """Returns one past the last character in the chunk."""
        return self.block.start + self.tokens.end_char


def statements_of(block: Block, doc: Doc, skipped: dict[str, int]) -> Iterator[Statement]:
    """Yields the statements of a block in order; counts what states nothing in `skipped`, by reason.

    Args:
        block: The block.
        doc: Its text, parsed.
        skipped: Changed in place: question, greeting, sign_off, fragment, heading.
    """
    for sentence in _merged_sentences(doc):
        reason = _nothing(sentence)
        if reason is None:
            found = [each for each in _clauses(block, doc, sentence) if block.role != "heading" or _is_told(each)]
            yield from found
            reason = None if found else "heading" if block.role == "heading" else "fragment"
        if reason is not None:
            skipped[reason] = skipped.get(reason, 0) + 1


def _is_told(statement: Statement) -> bool:
    """Returns True where a line without an end mark is a whole clause all the same, and no title ("How we decide")."""
    return statement.form == "clause" and statement.doc[statement.first].tag_ not in WH


def _merged_sentences(doc: Doc) -> list[Span]:
    """Returns the sentences; what follows a semicolon is put back where it is no clause of its own."""
    merged: list[Span] = []
    for sentence in doc.sents:
        if not any(token.is_alpha or token.like_num for token in sentence):
            if merged:
                merged[-1] = doc[merged[-1].start : sentence.end]
            continue
        after_semicolon = bool(merged) and merged[-1].text.rstrip().endswith(";")
        if after_semicolon and not (_is_clause(sentence) and _is_clause(merged[-1])):
            merged[-1] = doc[merged[-1].start : sentence.end]
        else:
            merged.append(sentence)
    return merged


def _is_clause(span: Span) -> bool:
    head = _head(span)
    return is_finite(head) and subject_of(head) is not None


def _nothing(sentence: Span) -> str | None:
    text = sentence.text.strip()
    if text.rstrip("\"')”’ ").endswith(("?", "？")):
        return "question"
    if GREETING.match(text) and not _is_clause(sentence):
        return "greeting"
    if SIGN_OFF.match(text):
        return "sign_off"
    return None


def _head(span: Span) -> Token:
    """Returns the head of a sentence: its root, or where that is no verb, a finite verb with a subject beside it."""
    root: Token = span.root
    if root.pos_ in {"VERB", "AUX"}:
        return root
    for token in span:
        if (
            is_finite(token)
            and subject_of(token) is not None
            and token.dep_ in {"conj", "ccomp", "parataxis", "acl", "dep"}
        ):
            return token
    return root


def is_finite(verb: Token) -> bool:
    """Returns True where the verb or one of its auxiliaries carries tense."""
    if verb.pos_ not in {"VERB", "AUX"}:
        return False
    return verb.tag_ in FINITE or any(
        child.tag_ in FINITE for child in verb.children if child.dep_ in {"aux", "auxpass"}
    )


def subject_of(verb: Token) -> Token | None:
    """Returns the head of the verb's own subject; for `there is X` that is X."""
    subject: Token | None = None
    for child in verb.children:
        if child.dep_ == "expl":
            return next((other for other in verb.children if other.dep_ in {"attr", "nsubj"}), child)
        if child.dep_ in SUBJECTS and subject is None:
            subject = child
    return subject


def _clauses(block: Block, doc: Doc, sentence: Span) -> Iterator[Statement]:
    head = _head(sentence)
    subject = subject_of(head)
    if not is_finite(head) or subject is None:
        other = _without_subject(block, doc, sentence, head)
        if other is not None:
            yield other
        return
    cuts = _cuts(sentence, head)
    edges = [sentence.start, *(token_index for token_index, _, _ in cuts), sentence.end]
    roots = [head, *(root for _, root, _ in cuts)]
    for index, root in enumerate(roots):
        first = edges[index] if index == 0 else cuts[index - 1][2]
        last = edges[index + 1]
        statement = _trim(block, doc, (first, last), root, "clause", is_split=len(roots) > 1)
        if statement is not None:
            yield statement


def _without_subject(block: Block, doc: Doc, sentence: Span, head: Token) -> Statement | None:
    """Returns an imperative ("Run the migration"), an elliptic past ("Moved billing to a new host"), or None."""
    words = [token for token in sentence if not token.is_punct and not token.is_space]
    if len(words) < _MIN_WORDS + 1 or words[0].tag_ in WH:
        return None
    opening = next((token for token in words if token.lower_ not in {"please", "then", "also", "always", "never", "do", "not", "first", "finally", "n't"}), words[0])  # fmt: skip  # noqa: E501
    # The tagger takes a capitalized imperative for a noun now and then; `Please` settles it.
    if opening.tag_ in {"VB", "VBP"} and (head in {opening, opening.head} or head in opening.subtree):
        return _trim(block, doc, (sentence.start, sentence.end), opening, "imperative", is_split=False)
    if (
        opening == head
        and head.tag_ in {"VBD", "VBN"}
        and any(c.dep_ in {"dobj", "prep", "agent", "prt"} for c in head.children)
    ):
        return _trim(block, doc, (sentence.start, sentence.end), head, "elliptic", is_split=False)
    # The parser lost its way in a whole sentence: it still says what it says.
    is_whole = len(words) >= _MIN_PROSE and sentence[-1].text in {".", "!"}
    return _trim(block, doc, (sentence.start, sentence.end), head, "other", is_split=False) if is_whole else None


def _cuts(sentence: Span, head: Token) -> list[tuple[int, Token, int]]:
    """Returns where to cut: (end of the clause before, root of the next, first token of the next), in order.

    Only `and` and `but` between clauses of equal rank, each with a subject and a finite verb of its own, where no
    condition stands before the first cut and no clause stands inside another.
    """
    cuts: list[tuple[int, Token, int]] = []
    current = head
    while True:
        step = next((child for child in current.children if child.dep_ == "conj" and child.i > current.i), None)
        if step is None or not (is_finite(step) and subject_of(step) is not None):
            return cuts
        first = step.left_edge.i
        joint = first
        while joint > sentence.start and (sentence.doc[joint - 1].is_punct or sentence.doc[joint - 1].dep_ == "cc"):
            joint -= 1
        between = sentence.doc[joint:first]
        words = {token.lower_ for token in between if not token.is_punct}
        binding = any(c.dep_ in BINDING and c.i < first for c in current.children)
        # "moved the exports and the audit logs to ...": a plural noun that the parser took for a verb breaks the tense.
        binding = binding or (current.tag_ == "VBD" and step.tag_ in {"VBZ", "VBP"} and step.pos_ == "VERB")
        binding = binding or sentence.doc[first].tag_ in WH or sentence.doc[first].dep_ == "mark"
        if not words <= {"and", "but"} or binding or not len(between) or joint <= current.i or first < joint:
            return cuts
        if any(token.text in {"(", "“", '"'} for token in sentence.doc[sentence.start : joint]) and any(
            token.text in {")", "”", '"'} for token in sentence.doc[first : sentence.end]
        ):
            return cuts
        cuts.append((joint, step, first))
        current = step


def _trim(block: Block, doc: Doc, span: tuple[int, int], root: Token, form: str, *, is_split: bool) -> Statement | None:
    """Returns the statement without separators and lone quotes at its edges; None where nothing is left."""
    first, last = span
    while first < last and (doc[first].is_space or doc[first].text in {",", ";", ":", "-", "–", "—", ")", "”"}):
        first += 1
    while last > first and (doc[last - 1].is_space or doc[last - 1].text in {",", ";", ":", "-", "–", "—", "(", "“"}):
        last -= 1
    words = doc[first:last]
    root = root if first <= root.i < last else words.root if len(words) else root
    if first >= last or sum(1 for token in words if any(c.isalnum() for c in token.text)) < _MIN_WORDS:
        return None
    subject = subject_of(root) if form == "clause" else None
    return Statement(block, doc, first, last, root, subject, form, str(doc.user_data.get("text") or doc.text), is_split)

"""Statements taken apart: who the subject is, and what is said of it, in the statement's own words (English)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

# Longer predicates are hard to read inside a list of them.
MAX_LISTED_WORDS: Final = 14
_FINITE: Final = ("VBZ", "VBD", "VBP", "MD")
_SUBJECTS: Final = ("nsubj", "nsubjpass")
# Subordinate clauses inside a list leave it open what the next item hangs on.
_SUBORDINATE: Final = ("advcl", "ccomp", "parataxis", "csubj")
# A noun with one of these after it may be followed by a relative clause that seems to speak of another noun.
_ATTACHED: Final = ("prep", "relcl", "acl", "appos", "conj", "npadvmod")
_BREAKS: Final = frozenset(',;:()[]{}"\u201c\u201d\u2014\u2013\n')
# Speakers and readers that a summary does not have.
_SPEAKERS: Final = frozenset(
    ("i", "we", "us", "me", "you", "my", "our", "your", "mine", "ours", "yours", "myself", "ourselves", "yourself")
)
# Words that point at a noun; without one before them in the statement, it stands outside. A person can be the
# subject; a thing seldom is where it stands in the main clause (`Bob said that it works`).
_PERSONAL: Final = frozenset(("they", "he", "him", "she"))
_POINTING: Final = _PERSONAL | {"it", "them", "this", "that", "these", "those"}
# Adverbs that open a predicate and point at the statement before it, or at the day it was said: it reads without them.
_LINKING: Final = ("also", "then", "therefore", "thus", "however", "instead", "meanwhile", "now")
# Elsewhere they cannot be left out, and point outside (`until then`, `from the same day`).
_ELSEWHERE: Final = frozenset(("then", "there", "same", "above", "below", "former", "latter"))


@dataclass(frozen=True)
class Clause:
    """What one statement says.

    Attributes:
        text: The whole statement.
        subject: Its subject without an article; empty where it is not one plain clause.
        has_article: True where the subject stood with `the`.
        predicate: The words after the subject, without the final stop.
        group: identity (is a ...), state (present) or event (past and future).
        complement: The noun phrase of an identity.
        takes_relative: True where `who` or `that` can follow the complement and mean the subject.
        is_listable: True where the predicate can stand among others in one sentence.
        is_clear: False where a pronoun of the predicate (of the text, where there is none) points outside.
        is_text_clear: False where one of the whole statement does.
        has_verb: True where the parser found a verb to hang everything on.
        head: Lemma of the main verb.
        words: Lemmas that carry meaning.
        fixed: Numbers and names: statements that differ in these are different.
        is_negated: True where it denies.
    """

    text: str
    subject: str
    has_article: bool
    predicate: str
    group: Literal["identity", "state", "event"]
    complement: str
    takes_relative: bool
    is_listable: bool
    is_clear: bool
    is_text_clear: bool
    has_verb: bool
    head: str
    words: frozenset[str]
    fixed: frozenset[str]
    is_negated: bool


def read_clauses(texts: Sequence[str]) -> list[Clause]:
    """Returns a clause for each English statement, in order.

    The statements form a batch of their own: the last bits of a parser's sums depend on the shape of its batch, and a
    summary must not depend on what else is summarized.
    """
    from tierlake.extractors.local.models import english

    docs = english().pipe(texts, batch_size=max(1, len(texts)), disable=["ner"])
    return [_clause(doc) for doc in docs]


def _clause(doc: Doc) -> Clause:
    roots = [token for token in doc if token.dep_ == "ROOT" and not token.is_space]
    root = roots[0] if len(roots) == 1 else None
    subject = root and next((child for child in root.children if child.dep_ in _SUBJECTS), None)
    name, has_article = "", False
    predicate: list[Token] = []
    if root is not None and subject is not None:
        name, has_article, predicate = _split(root, subject)
    finite = next((token for token in predicate if token.tag_ in _FINITE), root)
    body = [token for token in doc if not token.is_space]
    complement = _complement(root, predicate)
    return Clause(
        text=doc.text,
        subject=name,
        has_article=has_article,
        predicate=_words(predicate),
        group=_group(finite, complement),
        complement=_words(complement),
        takes_relative=root is not None and _takes_relative(root),
        is_listable=bool(predicate) and _is_listable(predicate, root),
        is_clear=not any(_is_unclear(token, predicate or body) for token in (predicate or body)),
        is_text_clear=not any(_is_unclear(token, body) for token in body),
        has_verb=any(token.pos_ in ("VERB", "AUX") for token in roots),
        head=root.lemma_.lower() if root else "",
        words=frozenset(
            token.lemma_.lower()
            for token in (predicate or body)
            if token == root or not (token.is_stop or token.is_punct)
        ),
        fixed=frozenset(
            token.text.lower() for token in (predicate or body)
            if token.like_num or token.pos_ == "PROPN" or any(map(str.isdigit, token.text))
        ),
        is_negated=any(token.dep_ == "neg" or token.lower_ in ("no", "never", "nobody") for token in body),
    )  # fmt: skip


def _split(root: Token, subject: Token) -> tuple[str, bool, list[Token]]:
    """Returns (subject, article, predicate) of a plain clause that begins with its subject; empty otherwise."""
    doc = root.doc
    start, end = subject.left_edge.i, subject.right_edge.i + 1
    if start != 0 or end >= len(doc) or root.i < end:
        return "", False, []
    has_article = doc[0].lower_ == "the"
    name = doc[1 if has_article else 0 : end].text
    predicate = [token for token in doc[end:] if not token.is_space]
    while predicate and predicate[-1].text in (".", "!"):
        predicate.pop()
    while predicate and predicate[0].lower_ in _LINKING:
        predicate.pop(0)
    first = next((token for token in predicate if token.dep_ not in ("advmod", "neg")), None)
    is_plain = first is not None and first.tag_ in _FINITE and root in (first, first.head)
    # `Alice's leading` would lose its apostrophe to the name; a question ends otherwise.
    if not is_plain or not predicate[0].text[0].isalpha() or doc.text.rstrip().endswith("?"):
        return "", False, []
    return name, has_article, predicate


def _words(tokens: list[Token]) -> str:
    return tokens[0].doc[tokens[0].i : tokens[-1].i + 1].text if tokens else ""


def _complement(root: Token | None, predicate: list[Token]) -> list[Token]:
    """Returns the noun phrase of `X is a ...`; empty where the statement is none, or no longer or not true."""
    if root is None or not predicate or predicate[0] != root or root.lemma_ != "be" or root.tag_ not in ("VBZ", "VBP"):
        return []
    attribute = next((child for child in root.children if child.dep_ == "attr"), None)
    if attribute is None or attribute.pos_ not in ("NOUN", "PROPN") or any(c.dep_ == "neg" for c in root.children):
        return []
    article = attribute.left_edge
    starts_with_article = predicate[1:2] == [article] and article.lower_ in ("a", "an", "the")
    return predicate[1:] if starts_with_article else []


def _takes_relative(root: Token) -> bool:
    attribute = next((child for child in root.children if child.dep_ == "attr"), None)
    if attribute is None or attribute.right_edge.i != attribute.i:
        return False
    return not any(child.dep_ in _ATTACHED and child.i > attribute.i for child in root.children)


def _group(finite: Token | None, complement: list[Token]) -> Literal["identity", "state", "event"]:
    if complement:
        return "identity"
    is_present = finite is None or finite.tag_ in ("VBZ", "VBP") or (finite.tag_ == "MD" and finite.lower_ == "can")
    return "state" if is_present else "event"


def _is_listable(predicate: list[Token], root: Token | None) -> bool:
    if len(predicate) > MAX_LISTED_WORDS or any(set(token.text) & _BREAKS for token in predicate):
        return False
    has_second_verb = any(token.dep_ == "conj" and token.head == root for token in predicate)
    return not has_second_verb and not any(token.dep_ in _SUBORDINATE for token in predicate)


def _is_unclear(token: Token, within: list[Token]) -> bool:
    """Returns True for a word whose meaning stands outside the statement."""
    if token.lower_ in _ELSEWHERE:
        return token.dep_ in ("amod", "advmod", "pobj", "pcomp", "dobj")
    # `that` opens a clause (mark, WDT) more often than it points; `it` in `it rains` (expl) needs no noun.
    if token.tag_ not in ("PRP", "PRP$", "DT", "PDT") or token.dep_ in ("mark", "expl"):
        return False
    return token.lower_ in _SPEAKERS or (token.lower_ in _POINTING and not _has_noun(token, within))


def _has_noun(token: Token, within: list[Token]) -> bool:
    """Returns True where the noun that a word points at stands before it, as far as grammar tells."""
    if token.dep_ in _SUBJECTS and token.head.dep_ in ("advcl", "relcl"):
        return True
    nouns = [other for other in within if other.pos_ in ("NOUN", "PROPN") and other.i < token.i]
    if token.dep_ == "det":
        return any(other.lemma_ == token.head.lemma_ for other in nouns)
    if token.lower_ in _PERSONAL:
        return bool(nouns) or token.head.dep_ != "ROOT"
    wanted = {"it": ("NN", "NNP"), "them": ("NNS", "NNPS")}.get(token.lower_, ())
    return any(other.tag_ in wanted and (other.dep_ not in _SUBJECTS or other.head.dep_ != "ROOT") for other in nouns)

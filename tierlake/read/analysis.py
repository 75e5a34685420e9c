"""From text to index terms: Unicode words, stemmed by language, and character pairs where a script has no spaces.

Documents and queries go through the same functions, so that what is written one way is found the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

import polars as pl

# Scripts that are written without spaces, or whose words grow by suffixes that no stemmer here knows (Hangul).
_UNSPACED: Final = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー"
_WORD: Final = rf"[{_UNSPACED}]+|[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]+"
# English clitics say nothing by themselves and would make every "Alice's" match every other possessive.
_CLITIC: Final = r"(\p{L})['’](?:s|t|re|ve|ll|d|m)\b"
# Longer runs of letters are keys, hashes or attacks; their beginning identifies them well enough.
MAX_WORD_LENGTH: Final = 64
# A question has tens of words; a pasted document should not become a query of a million clauses.
MAX_QUERY_WORDS: Final = 512
# Stems of the words of a bank and of its queries; about 100 bytes each.
_STEM_CACHE: Final = 262_144

# ISO 639-1 to the name of the Snowball algorithm.
SNOWBALL: Final = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian",
    "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "st": "sesotho", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip


def words(texts: pl.Expr) -> pl.Expr:
    """Returns the words of each text, lower case and in compatibility form, as a list column.

    Example:
        >>> frame = pl.DataFrame({"text": ["Alice's K8s-Cluster", "黒猫とKubernetes"]})
        >>> frame.select(words(pl.col("text")))["text"].to_list()
        [['alice', 'k8s', 'cluster'], ['黒猫と', 'kubernetes']]
    """
    return texts.str.normalize("NFKC").str.to_lowercase().str.replace_all(_CLITIC, "${1}").str.extract_all(_WORD)


def is_unspaced(distinct: pl.Series) -> pl.Series:
    """Returns for each word whether it is of a script that is indexed by pairs; a word is of one class as a whole."""
    return distinct.str.contains(rf"^[{_UNSPACED}]")


def index_terms(word: str, language: str, *, unspaced: bool) -> tuple[str, ...]:
    """Returns what a word of a document is indexed as.

    A word of an unspaced script is every pair of neighbors, and every character for queries of one character.

    Example:
        >>> index_terms("deploys", "en", unspaced=False), index_terms("黒猫と", "ja", unspaced=True)
        (('deploy',), ('黒', '猫', 'と', '黒猫', '猫と'))
    """
    if unspaced:
        return (*word, *_pairs(word))
    return (_stem(word[:MAX_WORD_LENGTH], SNOWBALL.get(language)),)


def query_terms(query: str, languages: Sequence[str]) -> list[tuple[str, ...]]:
    """Returns the words of a query, each as the terms that it may stand under, sorted.

    The language of a query is not known, so a word is looked up under its stem in each language of the bank.

    Args:
        query: Any text: it is words, never syntax.
        languages: The languages of the index.

    Example:
        >>> query_terms("Who deployed 猫 or 黒猫と?", ["de", "en"])
        [('deploy', 'deployed'), ('or',), ('who',), ('猫',), ('猫と',), ('黒猫',)]
    """
    # Half of a surrogate pair is no text: Arrow and Tantivy take valid Unicode only.
    valid = query.encode("utf-8", "replace").decode("utf-8")
    found = pl.select(words(pl.lit(valid, dtype=pl.String)).explode()).to_series().drop_nulls()
    found = found.unique(maintain_order=True).head(MAX_QUERY_WORDS)
    algorithms = {SNOWBALL.get(language) for language in languages} or {None}
    terms: set[tuple[str, ...]] = set()
    # A query has few words, each with its own number of terms.
    for word, unspaced in zip(found, is_unspaced(found), strict=True):
        if not unspaced:
            terms.add(tuple(sorted({_stem(word[:MAX_WORD_LENGTH], algorithm) for algorithm in algorithms})))
        elif len(word) == 1:
            terms.add((word,))
        else:
            terms.update((pair,) for pair in _pairs(word[:MAX_QUERY_WORDS]))
    return sorted(terms)[:MAX_QUERY_WORDS]


def _pairs(word: str) -> list[str]:
    return [word[at : at + 2] for at in range(len(word) - 1)]


class TermWriter:
    """Turns columns of text into columns of terms, remembering every word that it has seen.

    A vocabulary is small beside its texts: Polars splits the texts, and only distinct words reach Python.
    """

    def __init__(self) -> None:
        self._terms: dict[tuple[str, str], str] = {}

    def __call__(self, texts: pl.Series, languages: pl.Series) -> pl.Series:
        """Returns the terms of each text, space separated; an empty string where there are none.

        Args:
            texts: Texts; null is empty.
            languages: The language of each.
        """
        rows = pl.DataFrame({"text": texts, "language": languages}).with_row_index("row")
        split = (
            rows.lazy()
            .select("row", "language", words(pl.col("text")).alias("word"))
            .explode("word", empty_as_null=True, keep_nulls=True)
            .drop_nulls("word")
            .collect()
        )
        vocabulary = split.select("language", "word").unique()
        vocabulary = vocabulary.with_columns(is_unspaced(vocabulary["word"]).alias("unspaced"))
        # Stemmers take one word a call; only distinct words come here.
        terms = [self._of(*row) for row in vocabulary.iter_rows()]
        vocabulary = vocabulary.with_columns(pl.Series("terms", terms, dtype=pl.String))
        joined = (
            split.join(vocabulary, on=["language", "word"], how="left", maintain_order="left")
            .group_by("row", maintain_order=True)
            .agg(pl.col("terms").str.join(" "))
        )
        return rows.select("row").join(joined, on="row", how="left", maintain_order="left")["terms"].fill_null("")

    def _of(self, language: str, word: str, unspaced: bool) -> str:  # noqa: FBT001  # a row of the vocabulary
        key = (language, word)
        if key not in self._terms:
            self._terms[key] = " ".join(index_terms(word, language, unspaced=unspaced))
        return self._terms[key]


def bank_languages(languages: Iterable[str | None]) -> list[str]:
    """Returns the distinct languages that are known, sorted."""
    return sorted({language for language in languages if language and language != "und"})


@lru_cache(maxsize=_STEM_CACHE)
def _stem(word: str, algorithm: str | None) -> str:
    """Returns the stem without diacritics of European scripts; the word itself where no algorithm is known."""
    import unicodedata

    import snowballstemmer

    stem = snowballstemmer.stemmer(algorithm).stemWord(word) if algorithm else word
    folded = "".join(mark for mark in unicodedata.normalize("NFD", stem) if not "\u0300" <= mark <= "\u036f")
    return unicodedata.normalize("NFC", folded) or word

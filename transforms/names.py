"""Name keys and what the parts of a name say: the one normalization that every table, guard and score uses.

Source: the seed's examples of names ("Alice", "Dr. Smith", "CEO John"), and the scripts that its users write.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from nicknames import NickNamer

Gender = Literal["m", "f", "f-wed", "f-unwed", ""]

# Titles that may stand before a name, with what they say about the person: conflicting ones part two names.
HONORIFICS: Final[dict[str, Gender]] = {
    **dict.fromkeys(("mr", "mister", "sir", "lord", "herr", "monsieur", "señor", "signor", "don", "master"), "m"),
    **dict.fromkeys(("uncle", "brother", "king", "prince", "duke", "count", "baron", "господин", "г-н"), "m"),
    **dict.fromkeys(("ms", "lady", "dame", "frau", "señora", "signora", "madam", "aunt", "sister"), "f"),
    **dict.fromkeys(("queen", "princess", "duchess", "countess", "baroness", "doña", "госпожа", "г-жа"), "f"),
    **dict.fromkeys(("mrs", "madame", "mme"), "f-wed"),
    **dict.fromkeys(("miss", "mademoiselle", "mlle", "fräulein", "señorita", "signorina"), "f-unwed"),
    **dict.fromkeys(
        ("dr", "doctor", "prof", "professor", "rev", "reverend", "hon", "honourable", "honorable", "fr"), ""
    ),
    **dict.fromkeys(("capt", "captain", "col", "colonel", "gen", "general", "lt", "lieutenant", "sgt", "sergeant"), ""),
    **dict.fromkeys(("major", "maj", "admiral", "judge", "justice", "president", "senator", "sen", "governor"), ""),
    **dict.fromkeys(("minister", "pope", "saint", "st", "ceo", "cto", "cfo", "coo", "vp", "director"), ""),
    **dict.fromkeys(("coach", "chef", "nurse", "inspector", "detective", "officer", "secretary", "mayor"), ""),
}
# Written after a name without a space; Chinese, Japanese and Korean put the title last.
TITLE_ENDINGS: Final[dict[str, Gender]] = {
    "先生": "m", "女士": "f", "小姐": "f-unwed", "太太": "f-wed",
    "さん": "", "様": "", "さま": "", "くん": "", "ちゃん": "", "씨": "", "님": "",
}  # fmt: skip
PERSON_SUFFIXES: Final = frozenset({"jr", "sr", "junior", "phd", "md", "esq", "mba", "obe", "cbe"})
ORGANIZATION_FORMS: Final = frozenset(
    {"inc", "incorporated", "corp", "corporation", "co", "company", "ltd", "limited", "llc", "llp", "lp", "plc", "gmbh"}
    | {"ag", "kg", "ohg", "ug", "se", "sa", "sas", "sarl", "srl", "spa", "bv", "nv", "oy", "oyj", "ab", "as", "asa"}
    | {"aps", "kk", "pty", "pte", "sl", "sro", "kft", "zrt", "doo", "ооо", "оао", "зао", "пао", "ао"}
)
ORGANIZATION_ENDINGS: Final = ("股份有限公司", "有限公司", "公司", "株式会社", "주식회사")
ARTICLES: Final = frozenset({"the"})
# Small words that come and go between two spellings of one name.
SMALL_WORDS: Final = frozenset({"the", "of", "and", "for"})
# Letters that Unicode does not decompose into a base and a mark.
PLAIN_LETTERS: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ё": "е",
     "أ": "ا", "إ": "ا", "آ": "ا", "ى": "ي", "ة": "ه"}  # Arabic letters that writers use for one another
)  # fmt: skip
GERMAN: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
ROMAN: Final = {
    "ii": 2, "iii": 3, "iv": 4, "vi": 6, "vii": 7, "viii": 8, "ix": 9, "xi": 11, "xii": 12, "xiii": 13,
    "xiv": 14, "xv": 15, "xvi": 16, "xvii": 17, "xviii": 18, "xix": 19, "xx": 20, "xxi": 21,
}  # fmt: skip

_QUOTES: Final = str.maketrans(dict.fromkeys("’‘ʼ＇`´", "'") | dict.fromkeys("‐‑‒–—―−", "-"))
_ASCII_TOKEN: Final = re.compile(r"\d+(?:\.\d+)+|[a-z0-9]+[+#]*")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)*")
_KEY_VALUE: Final = re.compile(r"^[^\s:/]+(?::[^\s:/][^:]*)+$")


def name_key(surface: str) -> str:
    r"""Returns the key under which a name is compared; empty for a name without letter or digit.

    NFKC, casefolded, white space collapsed; punctuation, symbols and emoji around each word and a closing possessive
    are dropped. Titles ("dr") and organization forms ("inc") stay; a trailing + or # stays too, since C, C++ and C#
    are three things. Applying it twice changes nothing.

    Example:
        >>> [name_key(s) for s in ("  Dr.\nSmith ", "Alice’s", "Wren 🕯️", "C++", "STRASSE", "Straße", "!!!")]
        ['dr smith', 'alice', 'wren', 'c++', 'strasse', 'strasse', '']
    """
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", surface).casefold()).translate(_QUOTES)
    if not text.isascii():
        text = "".join(char for char in text if _is_kept(char)).replace("i̇", "i")
    while True:
        # A possessive may uncover punctuation or another possessive, so strip until nothing changes.
        key = " ".join(word for word in map(_strip, text.split()) if word)
        if not key.endswith("'s"):
            return key
        text = key[:-2]


def _is_kept(char: str) -> bool:
    # Format characters (zero-width, bidi marks) and variation selectors are invisible: they never tell names apart.
    return unicodedata.category(char) != "Cf" and not 0xFE00 <= ord(char) <= 0xFE0F  # noqa: PLR2004  # their block


def _strip(word: str) -> str:
    start = 0
    end = len(word)
    while start < end and not word[start].isalnum():
        start += 1
    while end > start and not word[end - 1].isalnum():
        end -= 1
    if start == end:
        return ""
    kept = end
    while kept < len(word) and (word[kept] in "+#" or unicodedata.category(word[kept])[0] == "M"):
        kept += 1  # a vowel sign belongs to its letter; C++ and C# are not C
    return word[start:kept]


def fold(key: str) -> str:
    """Returns the key without accents, for Latin, Greek, Arabic and Hebrew; other marks are letters and stay.

    Example:
        >>> fold("josé garcía"), fold("müller"), fold("київ")
        ('jose garcia', 'muller', 'київ')
    """
    if key.isascii():
        return key
    decomposed = unicodedata.normalize("NFD", key)
    kept = []
    base = ""
    for char in decomposed:
        if unicodedata.category(char) == "Mn" and _drops_marks(base):
            continue
        base = char
        kept.append(char)
    return unicodedata.normalize("NFC", "".join(kept)).translate(PLAIN_LETTERS)


def _drops_marks(base: str) -> bool:
    # Latin and Greek accents, Hebrew points and Arabic vowel signs; Cyrillic й and Indic vowels are letters.
    return bool(base) and (base < "\u0400" or "\u0590" <= base <= "\u06ff" or "\u1e00" <= base <= "\u1fff")


def tokens(key: str) -> tuple[str, ...]:
    """Returns the words of a key; hyphens, slashes and colons part words, dots only between letters.

    A dotted acronym is one word where it is the whole name; a version number is one word.

    Example:
        >>> tokens("gpt-4"), tokens("python 3.11"), tokens("u.s"), tokens("j.r tolkien"), tokens("o'brien")
        (('gpt', '4'), ('python', '3.11'), ('us',), ('j', 'r', 'tolkien'), ('obrien',))
    """
    plain = key.replace("'", "").replace("ph.d", "phd")
    if plain.isascii():
        parts = _ASCII_TOKEN.findall(plain)
    else:
        spaced = "".join(char if char.isalnum() or unicodedata.category(char)[0] == "M" else " " for char in plain)
        parts = spaced.split()
    if len(parts) > 1 and " " not in key and "." in key and all(len(part) == 1 for part in parts):
        return ("".join(parts),)
    return tuple(parts)


@dataclass(frozen=True)
class NameFeatures:
    """What the parts of one name key say.

    Attributes:
        key: The name key.
        tokens: All words, folded.
        core: The words without titles, person suffixes, organization forms and a leading article; never empty.
        bag: The core's words without small words, sorted: equal for names that differ in order only.
        squashed: The core without anything but letters and digits, spaces included ("Open AI" and "OpenAI").
        gender: What the title says about the person.
        titled: A title stands with the name.
        formed: An organization form stands with the name.
        numbers: Numbers and version parts, roman numerals as numbers, in order.
        stands_numbered: A number stands as a word of its own ("sprint 14"), not inside a handle ("digya053").
        letters: Words of one letter, in order.
        is_label: The key has the form `key:value`.
    """

    key: str
    tokens: tuple[str, ...]
    core: tuple[str, ...]
    bag: tuple[str, ...]
    squashed: str
    gender: Gender
    titled: bool
    formed: bool
    numbers: tuple[str, ...]
    stands_numbered: bool
    letters: tuple[str, ...]
    is_label: bool


@lru_cache(maxsize=200_000)  # names repeat in every document; beyond this many, memory matters more
def features(key: str) -> NameFeatures:
    """Returns the features of a name key.

    Example:
        >>> f = features("dr john smith")
        >>> f.core, f.titled, features("acme inc").core, features("team a").letters, features("sprint 14").numbers
        (('john', 'smith'), True, ('acme',), ('a',), ('14',))
    """
    raw_words = tokens(key) or (key,)
    # A roman numeral after the first word is its number; single letters (i, v, x) stay letters.
    words = tuple(str(ROMAN.get(fold(word), fold(word))) if at else fold(word) for at, word in enumerate(raw_words))
    if len(words) > 1 and words[-1] == "i":
        words = (*words[:-1], "1")  # Carol I and Carol II are numbered alike
    core, gender, titled, formed = _core(words, raw_words)
    bag = tuple(sorted(word for word in core if word not in SMALL_WORDS)) or tuple(sorted(core))
    numbers = [number for word in words for number in _numbers(word)]
    return NameFeatures(
        key=key,
        tokens=words,
        core=core,
        bag=bag,
        squashed="".join(core),
        gender=gender,
        titled=titled,
        formed=formed,
        numbers=tuple(numbers),
        stands_numbered=any(word[0].isdecimal() for word in words),
        letters=tuple(word for word in core if len(word) == 1 and word.isalpha() and not _is_ideograph(word)),
        is_label=_KEY_VALUE.match(key) is not None,
    )


def _core(words: tuple[str, ...], raw: tuple[str, ...]) -> tuple[tuple[str, ...], Gender, bool, bool]:
    start = 1 if len(words) > 1 and words[0] in ARTICLES else 0
    end = len(words)
    gender: Gender = ""
    titled = formed = False
    while start < end - 1 and raw[start] in HONORIFICS:
        gender = gender or HONORIFICS[raw[start]]
        titled = True
        start += 1
    while end - 1 > start and words[end - 1] in PERSON_SUFFIXES:
        end -= 1
    while end - 1 > start and words[end - 1] in ORGANIZATION_FORMS:
        formed = True
        end -= 1
    while start < end - 1 and words[start] in ORGANIZATION_FORMS and not words[start].isascii():
        formed = True  # Russian and Ukrainian put the form first
        start += 1
    core = words[start:end]
    last = core[-1]
    for ending, said in TITLE_ENDINGS.items():
        if last.endswith(ending) and len(last) > len(ending):
            return (*core[:-1], last.removesuffix(ending)), said, True, formed
    for ending in ORGANIZATION_ENDINGS:
        if last.endswith(ending) and len(last) > len(ending):
            return (*core[:-1], last.removesuffix(ending)), gender, titled, True
    return core, gender, titled, formed


def _numbers(word: str) -> list[str]:
    # A word that starts with a digit is a version as a whole: 4o is not 4.
    if word[0].isdecimal():
        return [_plain_number(word)]
    return [_plain_number(number) for number in _NUMBER.findall(word)]


def _plain_number(number: str) -> str:
    # "007" and "7" are one number; digits of any script are read as digits. No int(): a name may be a huge number.
    plain = "".join(str(unicodedata.digit(char)) if char.isdecimal() else char for char in number)
    return ".".join(part.lstrip("0") or "0" for part in plain.split("."))


def _is_ideograph(char: str) -> bool:
    return char >= "\u2e80" and "CJK" in unicodedata.name(char, "")


@lru_cache(maxsize=50_000)  # first names repeat
def nicknames(token: str) -> frozenset[str]:
    """Returns the first names that a first name stands for or is a short form of, from the `nicknames` package.

    Example:
        >>> "robert" in nicknames("bob"), "bob" in nicknames("robert"), nicknames("qwerty")
        (True, True, frozenset())
    """
    namer = _namer()
    return frozenset(namer.nicknames_of(token) | namer.canonicals_of(token)) - {token}


@lru_cache(maxsize=1)
def _namer() -> NickNamer:
    return NickNamer()

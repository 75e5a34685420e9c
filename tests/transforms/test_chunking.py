"""Chunks: natural boundaries that the content defines."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from transforms.chunking import ChunkingConfig, chunk_context, chunk_spans

SMALL = ChunkingConfig(target=60, maximum=150, context=40)
paragraphs = st.lists(
    st.lists(
        st.sampled_from(
            [
                "Anna",
                "leads.",
                "Bo",
                "ran",
                "it.",
                "We",
                "met.",
                "It",
                "broke",
                "twice.",
                "Сбой",
                "был",
                "коротким.",
                "我们开会。",
            ]
        ),
        min_size=1,
        max_size=30,
    ).map(" ".join),
    min_size=1,
    max_size=20,
)


def pieces(text: str, config: ChunkingConfig = SMALL) -> list[str]:
    return [text[start:end] for start, end in chunk_spans(text, config)]


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=600), paragraphs.map("\n\n".join)))
def test_chunks_cover_the_text_in_order_and_fit(text):
    spans = chunk_spans(text, SMALL)
    assert all(start < end for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert all(end - start <= SMALL.maximum for start, end in spans)
    covered = "".join(text[start:end] for start, end in spans)
    assert "".join(covered.split()) == "".join(text.split())


@settings(max_examples=300, deadline=None)
@given(paragraphs)
@example(["Anna " * 21 + "коротким. коротким. коротким. Anna Anna Anna ran", "Anna"])
def test_chunking_a_chunk_again_changes_nothing(parts):
    for piece in pieces("\n\n".join(parts)):
        assert pieces(piece) == [piece]


@settings(max_examples=60, deadline=None)
@given(paragraphs, st.sampled_from(["A new paragraph.", "Another one that is longer than the first was. " * 2]))
def test_a_paragraph_on_top_changes_the_first_chunk_only(parts, new):
    # Where the maximum forces no cut: boundaries are the content's alone.
    free = ChunkingConfig(target=60, maximum=100_000, context=40)
    before, after = pieces("\n\n".join(parts), free), pieces("\n\n".join([new, *parts]), free)
    assert after[-len(before) + 1 :] == before[1:] if len(before) > 1 else after[-1].endswith(before[0])


@pytest.mark.parametrize(
    ("text", "start", "size", "expected"),
    [
        ("Anna leads. Bo helps. She left.", 22, 300, "Anna leads. Bo helps."),
        ("Anna leads. Bo helps. She left.", 22, 12, "Bo helps."),
        ("Anna leads. Bo helps. She left.", 0, 12, ""),
        ("word " * 20, 50, 12, "word word"),
    ],
)
def test_context_ends_before_the_chunk_and_starts_at_a_sentence(text, start, size, expected):
    assert chunk_context(text, start, size) == expected

"""Blocks: paragraphs, items, rows, headings, speakers, labels, checkboxes."""

from __future__ import annotations

import pytest

from tierlake.extractors.local.blocks import split_blocks


def shown(text: str, **given) -> list[tuple[str, str, str | None]]:
    """Returns role, text and speaker of every block."""
    return [(b.role, text[b.start : b.end], b.speaker) for b in split_blocks(text, **given)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One paragraph\nthat is wrapped.", [("prose", "One paragraph\nthat is wrapped.", None)]),
        ("# Title\n\nProse stands here.", [("heading", "Title", None), ("prose", "Prose stands here.", None)]),
        ("Title\n\nProse stands here.", [("heading", "Title", None), ("prose", "Prose stands here.", None)]),
        (
            "* one thing\n* [ ] a box\n  1. nested",
            [("item", "one thing", None), ("item", "a box", None), ("item", "nested", None)],
        ),
        ("A | B\nc | d", [("row", "A | B", None), ("row", "c | d", None)]),
        ("> quoted", [("quoted", "> quoted", None)]),
        ("---\n\n***", []),
        (
            "Priya Nair: hello there.\n\npnair: ok, done.",
            [("prose", "hello there.", "Priya Nair"), ("prose", "ok, done.", "pnair")],
        ),
        ("Decision: we move.", [("prose", "we move.", None)]),
        (
            "Sam measured it.\nThe disk was slow.",
            [("prose", "Sam measured it.", None), ("prose", "The disk was slow.", None)],
        ),
    ],
)
def test_blocks(text, expected):
    assert shown(text) == expected


def test_one_message_needs_a_known_or_a_full_name():
    assert shown("Priya: the pager works.", known=("Priya",)) == [("prose", "the pager works.", "Priya")]
    assert shown("Reason: the pager works.") == [("prose", "the pager works.", None)]


def test_headings_reach_down_and_come_from_the_context():
    text = "* Book the room\n\nLater\n\n* Buy a cake"
    assert [b.heading for b in split_blocks(text, context="Old text.\n\nAction items")] == [
        "Action items",
        "Later",
        "Later",
    ]


def test_boxes_and_labels_carry_their_status():
    text = "* [ ] a thing\n* [x] b thing\n* [/] c thing\n\nTODO: d thing\n\nDONE: e thing"
    found = [(b.status, b.is_task) for b in split_blocks(text)]
    assert found == [("pending", True), ("done", True), ("in_progress", True), ("pending", True), ("done", True)]

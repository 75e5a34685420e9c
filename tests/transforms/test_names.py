"""Name keys and features: tables of names with what they must give."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.names import features, fold, name_key, nicknames, tokens

KEYS = [
    ("Alice", "alice"),
    ("  Alice \n Chen\t", "alice chen"),
    ("Acme\nCorp", "acme corp"),
    ("Dr. Smith", "dr smith"),
    ("Smith, John", "smith john"),
    ("Alice's", "alice"),
    ("Alice’s", "alice"),
    ("James'", "james"),
    ("Wren 🕯️", "wren"),
    ("Wren🗯️", "wren"),
    ("“Falcon”", "falcon"),
    ("Barnes & Noble", "barnes noble"),
    ("AT&T", "at&t"),
    ("O'Brien", "o'brien"),
    ("C", "c"),
    ("C++", "c++"),
    ("C#", "c#"),
    ("GPT‑4", "gpt-4"),
    ("ＡＣＭＥ", "acme"),
    ("İstanbul", "istanbul"),
    ("Straße", "strasse"),
    ("ΟΔΥΣΣΕΥΣ", "οδυσσευσ"),
    ("Οδυσσεύς", "οδυσσεύσ"),
    ("北京市", "北京市"),
    ("हिन्दी", "हिन्दी"),
    ("Zero\u200bwidth", "zerowidth"),
    ("topic:algebra", "topic:algebra"),
    ("'s", "s"),
    ("!!!", ""),
    ("🕯️", ""),
    ("", ""),
]


@pytest.mark.parametrize(("surface", "key"), KEYS)
def test_name_key(surface, key):
    assert name_key(surface) == key


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=24))
def test_a_key_is_stable_and_empty_only_without_letter_or_digit(surface):
    key = name_key(surface)
    assert name_key(key) == key
    assert bool(key) == any(char.isalnum() for char in surface)


@settings(max_examples=100, deadline=None)
@given(st.text(min_size=1, max_size=24).filter(name_key))
def test_features_exist_for_every_named_key(surface):
    found = features(name_key(surface))
    assert found.core
    assert found.bag
    assert found.squashed


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("Dr. Ada King", "core", ("ada", "king")),
        ("CEO John", "core", ("john",)),
        ("Acme, Inc.", "core", ("acme",)),
        ("ООО Ромашка", "core", ("ромашка",)),
        ("株式会社", "core", ("株式会社",)),
        ("The Beatles", "core", ("beatles",)),
        ("Mr. Lee", "gender", "m"),
        ("王女士", "gender", "f"),
        ("Dr. Lee", "gender", ""),
        ("Sprint 14", "numbers", ("14",)),
        ("Agent 007", "numbers", ("7",)),
        ("World War II", "numbers", ("2",)),
        ("GPT-4o", "numbers", ("4o",)),
        ("Python 3.11", "numbers", ("3.11",)),
        ("٣٤", "numbers", ("34",)),
        ("ada99", "stands_numbered", False),
        ("Room 101", "stands_numbered", True),
        ("Team A", "letters", ("a",)),
        ("use:use-001", "is_label", True),
        ("https://example.org", "is_label", False),
    ],
)
def test_features(name, field, value):
    assert getattr(features(name_key(name)), field) == value


def test_a_huge_number_is_no_error():
    assert features(name_key("Ticket " + "9" * 6000)).numbers == ("9" * 6000,)


@pytest.mark.parametrize(
    ("key", "folded"),
    [("josé", "jose"), ("łukasz", "lukasz"), ("київ", "київ"), ("ёлка", "елка"), ("أحمد", "احمد"), ("नई", "नई")],
)
def test_fold_drops_accents_but_no_letters(key, folded):
    assert fold(key) == folded


def test_tokens_of_dotted_names():
    assert tokens("u.s.a") == ("usa",)
    assert tokens("j.r.r tolkien") == ("j", "r", "r", "tolkien")


def test_nicknames_go_both_ways():
    assert "robert" in nicknames("bob")
    assert "bob" in nicknames("robert")
    assert not nicknames("kubernetes")

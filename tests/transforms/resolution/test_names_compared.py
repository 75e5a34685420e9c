"""Relations, similarity and guards, as tables; and blocking, which must propose every pair that they accept."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.transforms.resolution.banks import KINDS, SURFACES
from transforms.names import features, name_key
from transforms.resolution.blocking import NameTable, find_candidates
from transforms.resolution.config import ResolutionConfig
from transforms.resolution.guards import find_guard, kinds_conflict
from transforms.resolution.similarity import Comparison, compare


def compared(one: str, other: str, kind: str | None = "person", *, vouched: bool = False) -> Comparison:
    return compare(features(name_key(one)), features(name_key(other)), kinds=(kind, kind), vouched=vouched)


@pytest.mark.parametrize(
    ("one", "other", "kind", "relation"),
    [
        ("Alice", "alice", "person", "equal"),
        ("Alice", "Alice Chen", "person", "part"),
        ("Google", "Google Cloud", "product", ""),
        ("New York", "New York Times", "place", ""),
        ("Open AI", "OpenAI", "organization", "variant"),
        ("Apple", "Apple Inc.", "organization", "variant"),
        ("Smith, John", "John Smith", "person", "variant"),
        ("José García", "Jose Garcia", "person", "variant"),
        ("Müller", "Mueller", "person", "variant"),
        ("Bank of England", "Bank England", "organization", "variant"),
        ("World War II", "World War 2", "concept", "variant"),
        ("Dr. Smith", "Smith", "person", "title"),
        ("Merrivale", "Merryvale", "place", "typo"),
        ("Corvin", "Corvyn", "person", "typo"),
        ("Maria", "Marie", "person", ""),
        ("Daniel", "Daniela", "person", ""),
        ("Dr. Waller", "Dr Wall", "person", ""),
        ("J. Smith", "John Smith", "person", "initial"),
        ("Alice C.", "Alice Chen", "person", "initial"),
        ("John Doe", "John T. Doe", "person", "middle"),
        ("Bob", "Robert Chen", "person", "nickname"),
        ("Rach", "Rachel", "person", "clipping"),
        ("Alex", "Alexa", "person", ""),
        ("IBM", "International Business Machines", "organization", "acronym"),
        ("Iran", "Tigran", None, ""),
        ("Java", "JavaScript", None, ""),
        ("Apple", "Pineapple", None, ""),
        ("AI", "OpenAI", None, ""),
        ("东京", "京都", "place", ""),
    ],
)
def test_relation(one, other, kind, relation):
    assert compared(one, other, kind).relation == relation


@pytest.mark.parametrize(
    ("one", "other", "kind", "guard"),
    [
        ("Sprint 14", "Sprint 15", "concept", "digits"),
        ("Room 101", "Room 102", "place", "digits"),
        ("GPT-4", "GPT-3.5", "product", "digits"),
        ("GPT-4", "GPT-4o", "product", "digits"),
        ("Python", "Python 3.11", "product", "digits"),
        ("2023 Tax Return", "2024 Tax Return", "concept", "digits"),
        ("Carol I", "Carol II", "person", "digits"),
        ("Team A", "Team B", "organization", "letters"),
        ("Team", "Team A", "organization", "letters"),
        ("John F. Kennedy", "John D. Kennedy", "person", "letters"),
        ("John Doe", "John T. Doe", None, None),
        ("Mr. Lee", "Ms. Lee", "person", "honorifics"),
        ("Mrs. Bennet", "Miss Bennet", "person", "honorifics"),
        ("王先生", "王女士", "person", "honorifics"),
        ("Sam Poe Jr.", "Sam Poe Sr.", "person", "honorifics"),
        ("Dr. Lee", "Ms. Lee", "person", None),
        ("planned outage", "unplanned outage", "concept", "negation"),
        ("not ready", "ready", "concept", "negation"),
        ("Northern line", "Southern line", "product", "negation"),
        ("John Smith", "Jane Smith", "person", "first_names"),
        ("Bob Smith", "Robert Smith", "person", None),
        ("Ann Smith", "Mary Ann Smith", "person", None),
        ("Alice Chen", "Alice Smith", "person", "words"),
        ("Chase Checking", "Chase Savings", "product", "words"),
        ("Neil Gray", "Ada King", "person", "words"),
        ("use:use-001", "use:use-002", "label", "label"),
    ],
)
def test_guard(one, other, kind, guard):
    assert compared(one, other, kind).guard == guard


def test_shared_terms_lift_the_guard_of_words_and_no_other():
    assert compared("Alice Chen", "Alice Smith", vouched=True).guard is None
    assert compared("John Smith", "Jane Smith", vouched=True).guard == "first_names"
    assert compared("Sprint 14", "Sprint 15", vouched=True).guard == "digits"


@pytest.mark.parametrize(
    ("one", "other", "conflict"),
    [("person", "place", True), ("place", "product", True), ("organization", "place", False), (None, "person", False)],
)
def test_kinds_that_cannot_be_one_thing(one, other, conflict):
    assert kinds_conflict(one, other) is kinds_conflict(other, one) is conflict


NAMES = st.one_of(st.sampled_from(SURFACES), st.text(alphabet="abc d.1'", min_size=1, max_size=9)).filter(name_key)


@settings(max_examples=300, deadline=None)
@given(NAMES, NAMES, st.sampled_from(KINDS), st.sampled_from(KINDS), st.booleans())
def test_comparison_is_symmetric_and_one_only_for_equal_keys(one, other, kind, its, vouched):
    a, b = features(name_key(one)), features(name_key(other))
    found = compare(a, b, kinds=(kind, its), vouched=vouched)
    assert found == compare(b, a, kinds=(its, kind), vouched=vouched)
    assert 0.0 <= found.similarity <= 1.0
    assert (found.similarity == 1.0) == (a.key == b.key)
    assert (find_guard(a, b, kinds=(kind, its), vouched=vouched) is None) == (found.guard is None)


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(NAMES.map(name_key), st.sampled_from(KINDS), min_size=2, max_size=12))
def test_blocking_proposes_every_pair_that_is_related(kinds):
    keys = sorted(kinds)
    table = NameTable.of(keys, [kinds[key] for key in keys])
    found = find_candidates(table, {}, ResolutionConfig())
    proposed = {(n, o) for n, row in enumerate(found.of) for o, _, _ in row}
    proposed |= {(n, o) for n, row in enumerate(found.forbidden) for o, _ in row}
    for a, b in combinations(range(len(keys)), 2):
        related = compare(table.features[a], table.features[b], kinds=(table.kinds[a], table.kinds[b])).relation != ""
        assert ((a, b) in proposed, (b, a) in proposed) == (related, related), (keys[a], keys[b])


def test_a_rare_context_term_makes_candidates_and_a_common_one_does_not():
    keys = [f"name{letter}" for letter in "abcdefghij"]
    table = NameTable.of(keys, [None] * 10)
    found = find_candidates(table, {"rare": {0, 1}, "common": set(range(10))}, ResolutionConfig())
    assert [[other for other, _, _ in row] for row in found.of[:3]] == [[1], [0], []]

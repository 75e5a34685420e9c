"""The seed's statements on resolution, and scenarios of a well-known agent memory with our expected values.

Where we differ from that memory, the case says why.
"""

from __future__ import annotations

from datetime import timedelta
from itertools import permutations

import polars as pl
import pytest

from tests.transforms.resolution.banks import START, bank, names_together
from transforms.cooccurrence import build_cooccurrences
from transforms.resolution import ResolutionConfig, resolve_mentions

HUB = "user"


def together(mentions: pl.DataFrame, **config: object) -> list[list[str]]:
    return names_together(resolve_mentions(mentions, config=ResolutionConfig(**config)), mentions)


def row(mentions: pl.DataFrame, mention: str) -> dict[str, object]:
    return resolve_mentions(mentions).resolutions.filter(pl.col("mention_id") == mention).row(0, named=True)


# ---------------------------------------------------------------- the seed's own statements


def test_an_exact_name_with_recent_shared_neighbors_is_a_strong_match():
    google, flow = ("Google", "organization"), ("TensorFlow", "product")
    found = row(bank((0, ["Alice", google, flow]), (1, ["Alice", google, flow])), "f1:0")
    assert (found["name"], found["cooccurrence"]) == (1.0, 1.0)
    assert found["total"] == pytest.approx(0.5 + 0.3 + 0.2 * 6 / 7)


def test_a_partial_name_without_context_makes_a_new_entity():
    assert together(bank((0, ["Alice Chen"]), (0, ["Alice"]))) == [["Alice"], ["Alice Chen"]]
    # However long the part.
    assert together(bank((0, ["Al Featherstone"]), (0, ["Featherstone"]))) == [["Al Featherstone"], ["Featherstone"]]


def test_a_partial_name_with_context_is_the_same_entity():
    assert together(bank((0, ["Alice Chen", "Google"]), (0, ["Alice", "Google"]))) == [
        ["Alice", "Alice Chen"],
        ["Google"],
    ]


def test_one_name_in_completely_different_contexts_makes_two():
    first = [(day, ["Alex", "Acme", "Falcon", "Dana"]) for day in (0, 1, 2)]
    second = [(day, ["Alex", "Lyon", "Piano", "Marie"]) for day in (40, 41, 42)]
    entities = resolve_mentions(bank(*first, *second)).entities.filter(pl.col("canonical_name") == "Alex")
    assert entities["mention_count"].to_list() == [3, 3]


def test_an_exact_name_after_quiet_weeks_is_still_the_same():
    # To the letter of the formula, 0.5 fails the threshold after 3.5 days; an equal name comes first.
    assert together(bank((0, ["Alice"]), (60, ["Alice"]))) == [["Alice"]]


# ---------------------------------------------------------------- the score, restated


@pytest.mark.parametrize(
    ("days", "share", "total"),
    [(0, 0, 0.533333333), (3.5, 0.5, 0.583333333), (0, 1, 0.833333333), (7, 1, 0.633333333), (7, 0.5, 0.483333333)],
)
def test_a_partial_name_passes_above_the_threshold_only(days, share, total):
    beside = ["Acme", "Falcon"] if share else ["Oslo", "Lyon"]
    later = beside if share == 1 else [beside[0], "Turin"]
    mentions = bank((0, ["Alice Chen", *beside]), (days, ["Alice", *(later if share else ["Turin", "Genoa"])]))
    assert (["Alice", "Alice Chen"] in together(mentions)) == (total > 0.6)
    assert ResolutionConfig().total(2 / 3, share, max(0.0, 1 - days / 7)) == total


def test_exactly_the_threshold_is_not_above_it():
    # 0.5 * 0.8 + 0.2 is 0.6000000000000001 in binary; there it merges John Smith and Jane Smith.
    config = ResolutionConfig()
    assert config.total(0.8, 0.0, 1.0) == 0.6
    assert together(bank((0, ["Dr. Smith"]), (0, ["Smith"]))) == [["Dr. Smith"], ["Smith"]]
    assert together(bank((0, ["John Smith"]), (0, ["Jane Smith"]))) == [["Jane Smith"], ["John Smith"]]


def test_closeness_in_time_is_symmetric():
    before, after = (bank((4, ["Alice Chen", "Acme"]), (day, ["Alice", "Acme"])) for day in (1, 7))
    totals = [resolve_mentions(m).resolutions["total"].max() for m in (before, after)]
    assert totals[0] == totals[1]


def test_undated_mentions_score_no_closeness_and_no_error():
    found = row(bank((None, ["Alice", "Acme"]), (3, ["Alice", "Acme"])), "f0:0")
    assert found["temporal"] == 0.0


# ---------------------------------------------------------------- wrong merges that users met


def test_an_equal_name_beats_a_better_scoring_other_one():
    # There, "Alice" goes to "Alice Chen" with .833 against .5, and an explicit name is rewritten.
    mentions = bank((0, ["Alice", "Oslo", "Lyon"]), (20, ["Alice Chen", "Acme", "Falcon"]), (20, ["Alice", "Turin"]))
    result = resolve_mentions(mentions).resolutions.sort("mention_id")
    entity = dict(result.select("mention_id", "entity_id").iter_rows())
    assert entity["f2:0"] == entity["f0:0"] != entity["f1:0"]


FORBIDDEN = [
    ("Dr. Waller", "Dr Wall", "person"),  # there one entity while CareOrg stands beside both
    ("Dr Waler", "Dr Wall", "person"),  # there one by float noise
    ("Tigran", "Iran", None),
    ("Sarah Wilson", "Michael Wilson", "person"),
    ("Chase Checking", "Chase Savings", "product"),
    ("Dr John Richardson", "Dr Jane Richardson", "person"),
    ("Q3 revenue report", "Q4 revenue report", "concept"),
    ("Room 101", "Room 102", "place"),
    ("UA123", "UA124", "product"),
    ("use:use-001", "use:use-002", "label"),
    ("Aster", "Astrid", "person"),
    ("Aster", "aster 0", "person"),  # there one; a number tells apart here
    ("Sprint 14", "Sprint 15", "concept"),
    ("GPT-4", "GPT-4o", "product"),
    ("Team A", "Team B", "organization"),
    ("Mr. Lee", "Ms. Lee", "person"),
    ("React", "React Native", "product"),  # there one, with half the context in common
    ("Java", "JavaScript", "product"),
    ("New York", "New York Times", "place"),
    ("Alex", "Alexa", "person"),
    ("Meta", "Metadata", "concept"),
    ("AI", "OpenAI", "concept"),
    ("東京", "京都", "place"),
    ("Юлия Иванова", "Юлия Петрова", "person"),
    ("李先生", "李女士", "person"),
]


@pytest.mark.parametrize(("one", "other", "kind"), FORBIDDEN)
def test_never_one_though_everything_beside_them_agrees(one, other, kind):
    beside = [("CareOrg", "organization"), ("Falcon", "product")]
    found = together(bank((0, [one, *beside]), (0, [other, *beside]), kind=kind))
    assert not any({one, other} <= set(group) for group in found)


WANTED = [
    ("Wren 🕯️", "Wren 🗯️", None),
    ("Merrivale", "Merryvale", None),
    ("Acme\nCorp", "Acme Corp", "organization"),
    ("Dr. Smith", "Dr Smith", "person"),
    ("OpenAI", "Open AI", "organization"),
    ("José García", "Jose Garcia", "person"),
    ("İstanbul", "istanbul", "place"),
    ("Straße der Einheit", "STRASSE DER EINHEIT", "place"),
    ("Smith, John", "John Smith", "person"),
    ("Acme", "Acme Inc.", "organization"),
    ("Müller", "Mueller", "person"),
    ("U.S.", "US", "place"),
]


@pytest.mark.parametrize(("one", "other", "kind"), WANTED)
def test_one_entity_on_the_name_alone(one, other, kind):
    assert len(together(bank((0, [one]), (0, [other]), kind=kind))) == 1


IN_CONTEXT = [
    ("IBM", "International Business Machines", "organization"),
    ("NYC", "New York City", "place"),
    ("Bob", "Robert Chen", "person"),
    ("J. Smith", "John Smith", "person"),
    ("Jon Smith", "John Smith", "person"),
    ("Alice", "Alice Chen", "person"),
    ("Dr. Smith", "Smith", "person"),
]


@pytest.mark.parametrize(("one", "other", "kind"), IN_CONTEXT)
def test_one_entity_where_the_context_agrees_and_two_where_there_is_none(one, other, kind):
    beside = [("CareOrg", "organization"), ("Falcon", "product")]
    assert len(together(bank((0, [one, *beside]), (0, [other, *beside]), kind=kind))) == 3
    assert len(together(bank((0, [one]), (0, [other]), kind=kind))) == 2


# ---------------------------------------------------------------- batches, order, neighbors


@pytest.mark.parametrize("names", [["New York", "New York Times"], ["Alice", "Alice Chen", "Alice Smith"]])
def test_how_documents_are_batched_decides_nothing(names):
    # There, names that are new in one batch are joined transitively; in two batches they stay apart.
    mentions = bank(*((0, [name, "Acme"]) for name in names))
    partitions = []
    for order in permutations(range(len(names))):
        result = None
        for size in range(1, len(names) + 1):
            seen = mentions.filter(pl.col("fact_id").is_in([f"f{n}" for n in order[:size]]))
            result = resolve_mentions(seen, previous=result)
        partitions.append(names_together(result, mentions))
    assert all(partition == partitions[0] for partition in partitions)
    assert not any({"Alice Chen", "Alice Smith"} <= set(group) for group in partitions[0])


def test_the_same_name_twice_in_a_fact_is_not_its_own_neighbor():
    mentions = bank((0, ["Alice", "Google"]), (0, ["Alice", "alice", "Google"]))
    assert row(mentions, "f1:0")["cooccurrence"] == 1.0


def test_a_name_with_a_line_break_is_the_same_neighbor():
    assert row(bank((0, ["Alice", "Acme\nCorp"]), (0, ["Alice", "Acme Corp"])), "f1:0")["cooccurrence"] == 1.0


def test_the_bank_s_own_user_carries_no_merge():
    elsewhere = [(50 + n, [HUB, f"Topic {chr(97 + n)}x"]) for n in range(30)]
    mentions = bank((0, [("Alice Chen", "person"), HUB]), (0, [("Alice", "person"), HUB]), *elsewhere, kind=None)
    assert ["Alice", "Alice Chen"] not in together(mentions)


def test_first_seen_is_the_earliest_and_last_seen_the_latest_whatever_comes_first():
    entity = resolve_mentions(bank((20, ["Alice"]), (1, ["Alice"]), (9, ["Alice"]))).entities.row(0, named=True)
    assert (entity["first_seen"], entity["last_seen"]) == (START + timedelta(days=1), START + timedelta(days=20))
    assert entity["mention_count"] == 3


def test_labels_are_entities_of_their_own_kind():
    mentions = bank((0, [("topic:algebra", "label"), ("algebra", "concept"), ("Alice", "person")]))
    kinds = dict(resolve_mentions(mentions).entities.select("canonical_name", "kind").iter_rows())
    assert kinds == {"topic:algebra": "label", "algebra": "concept", "Alice": "person"}


def test_an_equal_name_is_found_among_thousands():
    crowd = [(0, [f"Alice {chr(97 + n // 26)}{chr(97 + n % 26)}son"]) for n in range(600)]
    mentions = bank((0, ["Alice"]), *crowd, (0, ["Alice"]))
    result = resolve_mentions(mentions, config=ResolutionConfig(candidates_per_name=10))
    entity = dict(result.resolutions.select("mention_id", "entity_id").iter_rows())
    assert entity["f0:0"] == entity["f601:0"]


def test_all_pairs_of_a_fact_are_counted_once_a_fact():
    # There, a swapped loop variable loses pairs, and several facts of one batch count once.
    mentions = bank((0, ["Carol", "Acme", "Berlin"]), (5, ["Berlin", "Carol", "Acme"]))
    pairs = build_cooccurrences(resolve_mentions(mentions).resolutions, mentions)
    assert pairs["fact_count"].to_list() == [2, 2, 2]
    assert pairs["last_at"].unique().to_list() == [START + timedelta(days=5)]

"""What the procedure decides and stores, on banks small enough to work out by hand."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from tests.transforms.resolution.banks import START, bank, names_together
from transforms.resolution import ResolutionConfig, resolve_mentions
from transforms.resolution.bank import rarity


def row(mentions: pl.DataFrame, mention: str, **config: Any) -> dict[str, Any]:
    result = resolve_mentions(mentions, config=ResolutionConfig(**config))
    return result.resolutions.filter(pl.col("mention_id") == mention).row(0, named=True)


def together(mentions: pl.DataFrame, **config: Any) -> list[list[str]]:
    return names_together(resolve_mentions(mentions, config=ResolutionConfig(**config)), mentions)


def in_one_document(mentions: pl.DataFrame) -> pl.DataFrame:
    return mentions.with_columns(
        document_id=pl.lit("d"), position=pl.int_range(pl.len()) * 20, at=pl.lit(START, pl.Datetime("us", "UTC"))
    )


def test_the_parts_of_a_score_are_stored():
    found = row(bank((0, ["Alice", "Google"]), (3.5, ["Alice", "Google", "TensorFlow"])), "f1:0")
    assert found["method"] == "exact"
    assert found["name"] == 1.0
    assert found["cooccurrence"] == 0.5
    assert found["temporal"] == 0.5
    assert found["total"] == 0.5 * 1.0 + 0.3 * 0.5 + 0.2 * 0.5


def test_a_new_entity_names_the_guard_that_kept_it_apart():
    assert row(bank((0, ["Sprint 14"]), (0, ["Sprint 15"]), kind="concept"), "f1:0")["reason"] == (
        "guard digits: different numbers or versions ('sprint 14')"
    )
    assert row(bank((0, ["John Smith"]), (0, ["Jane Smith"])), "f1:0")["reason"].startswith("guard first_names")
    assert row(bank((0, ["Mr. Lee"]), (0, ["Ms. Lee"])), "f1:0")["reason"].startswith("guard honorifics")
    assert row(bank((0, [("Paris", "person")]), (0, [("Paris", "place")])), "f1:0")["reason"].startswith("guard kinds")


def test_equal_names_of_kinds_that_conflict_are_one_where_the_context_agrees():
    person, place = ("Paris", "person"), ("Paris", "place")
    assert together(bank((0, [person, "Troy"]), (0, [place, "France"]))) == [["France"], ["Paris"], ["Paris"], ["Troy"]]
    assert together(bank((0, [person, "Troy"]), (0, [place, "Troy"]))) == [["Paris"], ["Troy"]]


def test_the_runner_up_is_stored_though_an_equal_name_wins():
    mentions = bank((0, ["Alice"]), (10, ["Alice Chen", "Acme"]), (10, ["Alice", "Acme"]))
    found = row(mentions, "f2:0")
    entity = dict(resolve_mentions(mentions).resolutions.select("mention_id", "entity_id").iter_rows())
    assert (found["entity_id"], found["method"]) == (entity["f0:0"], "exact")
    # With all evidence together the early Alice is Alice Chen in the end, so nothing is left to run up.
    assert (entity["f0:0"] == entity["f1:0"]) == (found["runner_up"] is None)


def test_an_early_short_name_finds_the_fuller_one():
    mentions = bank((0, ["Alice", "Acme"]), (1, ["Alice Chen", "Acme"]))
    assert together(mentions) == [["Acme"], ["Alice", "Alice Chen"]]
    apart = bank(
        (0, ["Alice", "Acme"]), (30, ["Alice Chen", "Falcon"]), (60, ["Alice", "Falcon"]), (61, ["Alice", "Acme"])
    )
    found = resolve_mentions(apart).resolutions.filter(pl.col("method") == "reconcile")
    assert found.height == 1
    assert found["total"].item() > 0.6


def test_there_is_no_chaining_through_a_short_name():
    mentions = bank((0, ["Alice", "Acme"]), (0, ["Alice Chen", "Acme"]), (0, ["Alice Smith", "Acme"]))
    assert ["Alice Chen", "Alice Smith"] not in [sorted(set(g) - {"Alice"}) for g in together(mentions)]


@pytest.mark.parametrize(
    ("names", "kind", "groups"),
    [
        (["Willi Schneider", "Schneider"], "person", [["Schneider", "Willi Schneider"]]),
        (["Schneider", "Willi Schneider"], "person", [["Schneider", "Willi Schneider"]]),
        (["Willi Schneider", "Eva Schneider", "Schneider"], "person",
         [["Eva Schneider"], ["Schneider"], ["Willi Schneider"]]),
        (["Dr. Ada King", "Dr. King"], "person", [["Dr. Ada King", "Dr. King"]]),
        (["Pat Smith", "Mr. Smith", "Mrs. Smith"], "person", [["Mr. Smith"], ["Mrs. Smith"], ["Pat Smith"]]),
        (["World Health Organization", "WHO"], "organization", [["WHO", "World Health Organization"]]),
        (["Acme Inc.", "Acme"], "organization", [["Acme", "Acme Inc."]]),
        (["New York Times", "New York"], "place", [["New York"], ["New York Times"]]),
        (["Google Cloud", "Google"], "product", [["Google"], ["Google Cloud"]]),
    ],
)  # fmt: skip
def test_short_forms_within_a_document(names, kind, groups):
    mentions = in_one_document(bank(*((0, [name]) for name in names), kind=kind))
    assert together(mentions) == groups


def test_short_forms_of_one_document_say_so_and_mean_nothing_in_another():
    mentions = in_one_document(bank((0, ["Willi Schneider"]), (0, ["Schneider"])))
    assert row(mentions, "f1:0")["method"] == "document"
    assert "willi schneider" in row(mentions, "f1:0")["reason"]
    assert together(bank((0, ["Willi Schneider"]), (0, ["Schneider"]))) == [["Schneider"], ["Willi Schneider"]]


ALEX = bank((0, ["Alex", "Acme", "Falcon"]), (30, ["Alex", "Lyon", "Piano"]))
LONELY = bank((0, ["Alex"]), (30, ["Alex"]))
SPECIFIC = bank((0, ["Alex Poe", "Acme", "Falcon"]), (30, ["Alex Poe", "Lyon", "Piano"]))


@pytest.mark.parametrize(
    ("policy", "alex", "lonely", "specific"),
    [("context", 2, 2, 2), ("unify", 1, 1, 1), ("specific", 2, 2, 1), ("evidence", 2, 1, 1)],
)
def test_what_an_equal_name_alone_is_worth(policy, alex, lonely, specific):
    counts = [sum("Alex" in group[0] for group in together(m, same_name=policy)) for m in (ALEX, LONELY, SPECIFIC)]
    assert counts == [alex, lonely, specific]


def test_a_hub_carries_no_merge_and_undamped_it_does():
    others = [(100 + n, ["the user", f"Thing{chr(97 + n)}"]) for n in range(20)]
    mentions = bank((0, ["Alice Chen", "the user"]), (0, ["Alice", "the user"]), *others)
    assert ["Alice", "Alice Chen"] not in together(mentions)
    assert ["Alice", "Alice Chen"] in together(mentions, hub_damping=False)


def test_rarity_changes_only_at_powers_of_two():
    config = ResolutionConfig()
    weights = [rarity(count, config) for count in range(1, 130)]
    assert weights == sorted(weights, reverse=True)
    assert len({rarity(count, config) for count in range(64, 128)}) == 1


def test_counts_and_dates_are_those_of_the_live_links():
    mentions = bank((5, ["Ada King", "Acme"]), (2, ["ada king"]), (None, ["Ada King"]), (9, ["Ada King"]))
    entity = resolve_mentions(mentions).entities.filter(pl.col("canonical_name") == "Ada King").row(0, named=True)
    assert (entity["mention_count"], entity["fact_count"], entity["aliases"]) == (4, 4, ["ada king"])
    days = [(entity[name] - START).days for name in ("first_seen", "last_seen")]
    assert days == [2, 9]


def test_the_name_shown_is_the_most_frequent_spelling_of_the_fullest():
    mentions = bank(*((0, [name, "Acme"]) for name in ["Alice", "Alice", "ALICE CHEN", "Alice Chen", "Alice Chen"]))
    entity = resolve_mentions(mentions).entities.filter(pl.col("mention_count") == 5).row(0, named=True)
    assert entity["canonical_name"] == "Alice Chen"
    assert entity["aliases"] == ["ALICE CHEN", "Alice"]


def test_a_shared_rare_term_joins_names_that_look_unlike():
    mentions = bank((0, ["smk"]), (0, ["Sam M. Kade"]), (0, ["Sam Poe"]))
    terms = pl.Series("context", [["id:1"], ["id:1"], ["id:2"]])
    assert together(mentions.with_columns(terms)) == [["Sam M. Kade", "smk"], ["Sam Poe"]]

"""Human decisions come first and last, and an undone one leaves no trace."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from tests.transforms.resolution.banks import bank, names_together
from transforms.resolution import resolve_mentions
from transforms.schemas import OVERRIDES

MENTIONS = bank(
    (0, ["Ada King", "Acme"]),
    (20, ["Countess Lovelace", "Falcon"]),
    (40, ["Ada", "Acme"]),
    (60, ["Bob", "Falcon"]),
)


def rows(*decisions: tuple[str, list[str]], **other: Any) -> pl.DataFrame:
    empty = dict.fromkeys(OVERRIDES.columns)
    named = [
        empty | {"bank_id": "b", "override_id": f"o{n}", "what": what, "which": which} | other
        for n, (what, which) in enumerate(decisions)
    ]
    return pl.DataFrame(named, schema=OVERRIDES.schema)


def together(overrides: pl.DataFrame | None) -> list[list[str]]:
    return names_together(resolve_mentions(MENTIONS, overrides=overrides), MENTIONS)


APART = [["Acme"], ["Ada"], ["Ada King"], ["Bob"], ["Countess Lovelace"], ["Falcon"]]
JOINED = [["Acme"], ["Ada"], ["Ada King", "Countess Lovelace"], ["Bob"], ["Falcon"]]


@pytest.mark.parametrize("what", ["same", "alias"])
def test_two_names_are_one(what):
    assert together(None) == APART
    assert together(rows((what, ["ada king", "Countess LOVELACE"]))) == JOINED


@pytest.mark.parametrize("other", [{"undone_by": "o9"}, {"bank_id": "elsewhere"}])
def test_an_undone_row_and_a_row_of_another_bank_say_nothing(other):
    assert together(rows(("same", ["Ada King", "Countess Lovelace"]), **other)) == APART


def test_rows_that_share_a_name_join_all_of_them():
    found = together(rows(("same", ["Ada King", "Ada"]), ("same", ["Ada", "Countess Lovelace"])))
    assert ["Ada", "Ada King", "Countess Lovelace"] in found


def test_names_that_differ_stay_apart_whatever_the_score_and_the_document():
    mentions = bank((0, ["Alice Chen", "Acme"]), (0, ["Alice", "Acme"]), (0, ["Alice Chen", "Alice"]))
    assert names_together(resolve_mentions(mentions), mentions) == [["Acme"], ["Alice", "Alice Chen"]]
    overrides = rows(("different", ["Alice", "Alice Chen"]))
    found = names_together(resolve_mentions(mentions, overrides=overrides), mentions)
    assert found == [["Acme"], ["Alice"], ["Alice Chen"]]


def test_a_blocked_name_is_no_entity_and_is_counted():
    result = resolve_mentions(MENTIONS, overrides=rows(("block", ["Acme"])))
    assert result.dropped.select("mention_id", "reason").rows() == [("f0:1", "blocked"), ("f2:1", "blocked")]
    assert "Acme" not in result.entities["canonical_name"].to_list()


def test_a_label_is_the_name_to_show():
    result = resolve_mentions(MENTIONS, overrides=rows(("label", ["Ada King"]), value="Ada, Countess of Lovelace"))
    assert "Ada, Countess of Lovelace" in result.entities["canonical_name"].to_list()


def test_ids_name_the_entities_of_the_last_run_and_undoing_parts_them_again():
    before = resolve_mentions(MENTIONS)
    ids = dict(before.entities.select("canonical_name", "entity_id").iter_rows())
    wanted = rows(("same", [ids["Ada King"], ids["Countess Lovelace"]]))
    joined = resolve_mentions(MENTIONS, overrides=wanted, previous=before)
    assert names_together(joined, MENTIONS) == JOINED
    assert joined.redirects.rows() == [("b", ids["Countess Lovelace"], ids["Ada King"])]
    again = resolve_mentions(MENTIONS, overrides=wanted, previous=joined)
    assert names_together(again, MENTIONS) == JOINED
    parted = resolve_mentions(MENTIONS, overrides=wanted.with_columns(undone_by=pl.lit("o9")), previous=again)
    assert names_together(parted, MENTIONS) == APART
    after = dict(parted.entities.select("canonical_name", "entity_id").iter_rows())
    untouched = set(ids) - {"Ada King", "Countess Lovelace"}
    assert {name: after[name] for name in untouched} == {name: ids[name] for name in untouched}


def test_an_overridden_mention_says_so():
    result = resolve_mentions(MENTIONS, overrides=rows(("same", ["Ada King", "Countess Lovelace"])))
    row = result.resolutions.filter(pl.col("mention_id") == "f1:0").row(0, named=True)
    assert (row["method"], row["reason"]) == ("override", "an override says that they are the same")

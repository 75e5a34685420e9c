"""Ids are kept by largest overlap; ids that vanish redirect to where most of their mentions live."""

from __future__ import annotations

import polars as pl

from tests.transforms.resolution.banks import bank
from transforms.resolution import resolve_mentions
from transforms.resolution.ids import LastRun, assign_ids


def test_the_id_goes_where_most_mentions_went():
    last = LastRun({"m1": "x", "m2": "x", "m3": "x"})
    ids, redirects = assign_ids("b", [["m1"], ["m2", "m3"]], last)
    assert ids[1] == "x"
    assert ids[0] not in {"x", ""}
    assert redirects == {}


def test_a_new_id_never_takes_one_that_was_used():
    # m1 founded x, which lives on without it: the hash of m1 must not come out as x again.
    (x,), _ = assign_ids("b", [["m1", "m2", "m3"]], LastRun())
    ids, _ = assign_ids("b", [["m1"], ["m2", "m3"]], LastRun({"m1": x, "m2": x, "m3": x}))
    assert ids[1] == x
    assert ids[0] != x


def test_merged_ids_redirect_and_chains_are_followed():
    last = LastRun({"m1": "x", "m2": "y", "m3": "y"}, {"w": "x", "v": "gone"})
    ids, redirects = assign_ids("b", [["m1", "m2", "m3"]], last)
    assert ids == ["y"]
    assert redirects == {"x": "y", "w": "y"}


def test_an_id_whose_mentions_are_gone_redirects_nowhere():
    ids, redirects = assign_ids("b", [["m9"]], LastRun({"m1": "x"}, {"w": "x"}))
    assert ids != ["x"]
    assert redirects == {}


def test_banks_with_equal_mention_ids_have_different_entities():
    one, other = (assign_ids(name, [["m1"]], LastRun())[0] for name in ("a", "b"))
    assert one != other


def test_new_documents_leave_ids_alone():
    before = bank((0, ["Ada King", "Acme"]), (1, ["Ada King", "Falcon"]))
    first = resolve_mentions(before)
    more = pl.concat(
        [
            before,
            bank((-5, ["Ada King"])).with_columns(
                fact_id=pl.lit("g"), mention_id=pl.lit("g:0"), document_id=pl.lit("e")
            ),
        ]
    )
    second = resolve_mentions(more, previous=first)
    assert set(first.entities["entity_id"]) == set(second.entities["entity_id"])
    assert (
        resolve_mentions(more).entities["entity_id"].sort().to_list() != second.entities["entity_id"].sort().to_list()
    )

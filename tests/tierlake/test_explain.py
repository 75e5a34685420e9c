"""An explanation is a view of the stored tables."""

from __future__ import annotations

import json

import polars as pl
import pytest

from tests.transforms.resolution.banks import bank
from tierlake.errors import UnknownNameError
from tierlake.explain import EntityExplanation, explain_entity
from transforms.names import name_key
from transforms.resolution import resolve_mentions
from transforms.schemas import FACTS

MENTIONS = bank(
    (0, ["Alice Chen", "Acme"]),
    (1, ["Alice", "Acme"]),
    (40, ["Alex", "Lyon", "Piano"]),
    (90, ["Alex", "Oslo", "Violin"]),
)
RESULT = resolve_mentions(MENTIONS)
TABLES = {
    "entities": RESULT.entities,
    "resolutions": RESULT.resolutions,
    "mentions": MENTIONS.with_columns(name_key=pl.Series([name_key(s) for s in MENTIONS["surface"]])),
    "facts": pl.DataFrame({"bank_id": ["b"], "fact_id": ["f1"], "title": ["Alice joined"]}),
    "redirects": pl.DataFrame({"bank_id": ["b"], "old_entity_id": ["old"], "entity_id": RESULT.entities.item(0, 1)}),
}


def explained(name: str) -> EntityExplanation:
    return explain_entity(name, **TABLES)


def test_each_mention_is_explained_with_its_parts_and_fact():
    (entity,) = explained("ALICE").entities
    assert (entity.canonical_name, entity.aliases, entity.mention_count) == ("Alice Chen", ("Alice",), 2)
    first, second = entity.mentions
    assert (first.surface, first.method, first.total) == ("Alice Chen", "new", None)
    assert (second.surface, second.method, second.fact_title) == ("Alice", "score", "Alice joined")
    assert second.total == pytest.approx(0.5 * 2 / 3 + 0.3 + 0.2 * 6 / 7)
    assert second.reason == "part of 'alice chen': 0.805 above 0.6"


def test_an_ambiguous_name_lists_all_its_entities():
    found = explained("alex").entities
    assert [entity.canonical_name for entity in found] == ["Alex", "Alex"]
    assert found[0].mentions[0].runner_up is None
    runner_up = next(m for entity in found for m in entity.mentions if m.runner_up)
    assert runner_up.runner_up_name == "Alex"


def test_ids_and_old_ids_are_followed():
    entity_id = RESULT.entities.item(0, "entity_id")
    assert explained(entity_id).redirected_from is None
    assert explained("old").redirected_from == "old"
    assert explained("old").entities == explained(entity_id).entities


def test_it_is_json():
    assert json.loads(json.dumps(explained("Acme").to_dict()))["entities"][0]["kind"] == "person"


@pytest.mark.parametrize("name", ["Alise Chen", "", "???"])
def test_an_unknown_name_says_what_is_near(name):
    with pytest.raises(UnknownNameError) as error:
        explained(name)
    assert ("Did you mean Alice Chen" in str(error.value)) == (name == "Alise Chen")


def test_real_tables_without_rows_know_no_name():
    empty = {name: frame.clear() for name, frame in TABLES.items()} | {"facts": FACTS.empty()}
    with pytest.raises(UnknownNameError, match="Available: none"):
        explain_entity("Alice", **empty)

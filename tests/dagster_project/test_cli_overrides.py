"""Decisions of people from the command line: they join, part, show in the explanation, and can be undone."""

from __future__ import annotations

import json
import sys

import polars as pl
import pytest

from dagster_project.cli import main
from tests.laws.world import World


@pytest.fixture
def world(tmp_path) -> World:
    world = World(tmp_path / "world")
    texts = {
        "tier_fact/a.txt": "Maria Gomez leads the sales team. Maria Gomez works at Initech.",
        "tier_fact/b.txt": "Mariska Gombos works at Globex. Mariska Gombos met Bob Stone.",
        "tier_fact/c.txt": "Bob Stone lives in Berlin.",
    }
    world.put(texts)
    world.run()
    return world


@pytest.fixture
def tierlake(world, monkeypatch, capsys):
    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["tierlake", *arguments, "--config", str(world.root / "tierlake.toml")])
        with pytest.raises(SystemExit) as stopped:
            main()
        said = capsys.readouterr()
        return int(stopped.value.code or 0), said.out, said.err

    return run


def ids(world: World) -> dict[str, str]:
    return dict(world.lake.read("entities", "acme").select("canonical_name", "entity_id").iter_rows())


def test_a_decision_joins_two_entities_and_undo_parts_them_again(world, tierlake):
    before = ids(world)
    assert {"Maria Gomez", "Mariska Gombos"} <= set(before)
    code, out, _ = tierlake("override", "same", "Maria Gomez", "Mariska Gombos", "--why", "married", "--who", "ann")
    assert (code, "The next `tierlake run` applies it" in out) == (0, True)
    world.run()
    joined = ids(world)
    assert len(joined) == len(before) - 1
    others = set(before) - {"Maria Gomez", "Mariska Gombos"}
    assert {name: joined[name] for name in others} == {name: before[name] for name in others}
    (entity,) = json.loads(tierlake("explain", "entity", "Mariska Gombos", "--json")[1])["entities"]
    assert {mention["surface"] for mention in entity["mentions"]} == {"Maria Gomez", "Mariska Gombos"}
    assert "override" in {mention["method"] for mention in entity["mentions"]}
    (row,) = json.loads(tierlake("override", "list", "--json")[1])
    assert (row["what"], row["why"], row["who"], row["undone_by"]) == ("same", "married", "ann", None)
    assert tierlake("override", "undo", row["override_id"], "--why", "wrong")[0] == 0
    world.run()
    parted = ids(world)
    assert {name: parted[name] for name in others} == {name: before[name] for name in others}
    assert {"Maria Gomez", "Mariska Gombos"} <= set(parted)
    undone = {row["what"]: row["undone_by"] for row in json.loads(tierlake("override", "list", "--json")[1])}
    assert undone["same"] is not None


def test_a_blocked_name_is_no_entity(world, tierlake):
    assert tierlake("override", "block", "Globex", "--why", "a code word")[0] == 0
    world.run()
    assert "Globex" not in ids(world)
    assert "Initech" in ids(world)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["same", "Maria Gomes", "Bob Stone"], "Did you mean Maria Gomez"),
        (["undo", "nothing"], "no override in force 'nothing'"),
    ],
)
def test_what_is_not_there_cannot_be_decided(world, tierlake, arguments, words):
    code, _, err = tierlake("override", *arguments, "--why", "x")
    assert (code, words in err) == (2, True)
    assert not (world.root / "data" / "overrides").exists()


def test_review_lists_what_was_close(world, tierlake):
    code, out, _ = tierlake("review", "--json")
    assert code == 0
    resolutions = world.lake.read("resolutions", "acme")
    near = resolutions.filter(pl.col("runner_up_total").is_between(0.55, 0.6))
    assert {row["mention_id"] for row in json.loads(out) if row["decision"] == "apart"} <= set(near["mention_id"])

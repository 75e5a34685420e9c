"""The laws of the lake, over small sets of documents, on real Delta tables.

`make test` runs a short profile; `make test-all` runs more examples of each (marker `full`).
"""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.laws.world import World, same

# Statements with names that are alike, numbered things, tasks, dates and pronouns: what resolution can get wrong.
STATEMENTS = [
    "Alice Chen works at Google in Mountain View. She specializes in TensorFlow.",
    "Alice leads the search team at Google.",
    "Alice Chen joined Google in 2020. She moved to Berlin on 3 March 2026.",
    "Bob Stone met Alice Chen in Berlin last Friday.",
    "Alice Stone manages the warehouse in Lisbon. Sprint 14 shipped yesterday.",
    "Sprint 15 starts on Monday. Bob Stone will write the runbook by Friday.",
    "TODO: Alice must rotate the keys. I think the deploy process is slow.",
    "Мария Иванова работает в Москве. Она руководит отделом продаж.",
    "李伟在北京的华为公司工作。",
    "The deploy process uses blue/green deploys. The deploy process takes ten minutes.",
]
names = st.sampled_from(["tier_fact/a.md", "tier_fact/b.txt", "tier_wisdom/c.md", "tier_fact/d.md", "tier_wisdom/e.md"])
bodies = st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=3, unique=True).map("\n\n".join)
dates = st.sampled_from(["", "---\ndate: 2026-03-02\n---\n", "---\ndate: 2026-03-20\n---\n"])
corpora = st.dictionaries(names, st.tuples(dates, bodies).map("".join), min_size=1, max_size=4)


folder = Path()
numbers = count()


def law(examples: int):
    """Returns a decorator that runs a law on this many examples."""
    # No shrinking: an example is several runs of the pipeline, and the example that failed is small already.
    return settings(
        max_examples=examples,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
        phases=[Phase.explicit, Phase.generate],
    )


@pytest.fixture(autouse=True, scope="session")
def _folder(tmp_path_factory):
    global folder  # noqa: PLW0603  # pytest's folders come through a fixture, Hypothesis' examples through a function
    folder = tmp_path_factory.mktemp("laws")


def fresh(banks: tuple[str, ...] = ("acme",)) -> World:
    return World(folder / f"world{next(numbers)}", banks)


def rebuilt(corpus: dict[str, str]) -> World:
    world = fresh()
    world.put(corpus)
    world.run()
    return world


def check_idempotent(corpus):
    world = rebuilt(corpus)
    before, versions = world.tables(), world.versions()
    world.run()
    assert world.versions() == versions
    same(world.tables(), before)


def check_incremental_is_full(sequence):
    world = fresh()
    for corpus in sequence:
        world.put(corpus)
        world.run()
    same(world.tables(), rebuilt(sequence[-1]).tables())


def check_order_free(corpus, order):
    """Documents that arrive one by one, in any order, give the tables of all at once."""
    world, arrived = fresh(), {}
    for name in sorted(corpus, key=lambda name: order.get(name, 0)):
        arrived[name] = corpus[name]
        world.put(arrived)
        world.run()
    same(world.tables(), rebuilt(corpus).tables())


def check_delete_is_never_ingested(corpus, gone):
    world = rebuilt({**corpus, "tier_fact/gone.md": gone})
    world.put(corpus)
    world.run()
    clean = rebuilt(corpus)
    same(world.tables(), clean.tables())
    for cache in ("extraction_cache", "summary_cache"):
        keys = [set(w.lake.read(cache, "acme")["input_hash"].to_list()) for w in (world, clean)]
        assert keys[0] == keys[1], cache
    assert (
        world.lake.read("entity_redirects", "acme")
        .join(world.lake.read("entities", "acme"), on="entity_id", how="anti")
        .is_empty()
    )


def check_conservation(corpus):
    world = fresh()
    world.put(corpus)
    broken = world.root / "acme" / "tier_fact" / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 truncated")
    world.run()
    tables = world.tables()
    assert {row["path"] for row in tables["documents"]} == {f"acme/{name}" for name in corpus}
    assert [row["uri"] for row in tables["quarantine"]] == ["acme/tier_fact/broken.pdf"]
    texts = {row["document_id"]: row["text"] for row in tables["documents"]}
    for fact in tables["facts"]:
        assert texts[fact["document_id"]][fact["quote_start"] : fact["quote_end"]] == fact["quote"]
    chunks = {row["chunk_id"] for row in tables["chunks"]}
    cached = set(world.lake.read("extraction_cache", "acme")["input_hash"].to_list())
    assert {row["input_hash"] for row in tables["chunks"]} == cached
    assert {row["chunk_id"] for row in tables["facts"]} <= chunks
    linked = {row["mention_id"] for row in tables["resolutions"]}
    assert linked == {row["mention_id"] for row in tables["mentions"]}
    assert sum(row["mention_count"] for row in tables["entities"]) == len(linked)


def check_isolation(corpus, other):
    world = fresh(("acme", "trust"))
    world.put(corpus, "acme")
    world.put({}, "trust")
    world.run(["acme"])
    alone = world.tables("acme")
    world.put(other, "trust")
    world.run(["trust"])
    world.run(["acme"])
    same(world.tables("acme"), alone)


@law(3)
@given(corpora)
def test_idempotent(corpus):
    check_idempotent(corpus)


@law(3)
@given(st.lists(corpora, min_size=2, max_size=3))
def test_incremental_is_full(sequence):
    check_incremental_is_full(sequence)


@law(2)
@given(corpora, st.dictionaries(names, st.integers(0, 9)))
def test_order_free(corpus, order):
    check_order_free(corpus, order)


@law(3)
@given(corpora, bodies)
def test_delete_is_never_ingested(corpus, gone):
    check_delete_is_never_ingested(corpus, gone)


@law(3)
@given(corpora)
def test_conservation(corpus):
    check_conservation(corpus)


@law(2)
@given(corpora, corpora)
def test_isolation(corpus, other):
    check_isolation(corpus, other)


@pytest.mark.full
@law(25)
@given(corpora)
def test_idempotent_in_full(corpus):
    check_idempotent(corpus)


@pytest.mark.full
@law(25)
@given(st.lists(corpora, min_size=2, max_size=4))
def test_incremental_is_full_in_full(sequence):
    check_incremental_is_full(sequence)


@pytest.mark.full
@law(25)
@given(corpora, st.dictionaries(names, st.integers(0, 9)))
def test_order_free_in_full(corpus, order):
    check_order_free(corpus, order)


@pytest.mark.full
@law(25)
@given(corpora, bodies)
def test_delete_is_never_ingested_in_full(corpus, gone):
    check_delete_is_never_ingested(corpus, gone)


@pytest.mark.full
@law(15)
@given(corpora, corpora)
def test_isolation_in_full(corpus, other):
    check_isolation(corpus, other)

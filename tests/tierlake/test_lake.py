"""The lake's writes: changed rows only, one commit, banks apart, the change feed true."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierlake.errors import LakeError, UnknownNameError
from tierlake.lake import Lake
from transforms.schemas import DOCUMENTS, ENTITY_REDIRECTS, QUARANTINE, SchemaMismatchError

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def redirects(bank: str, pairs: dict[str, str]) -> pl.DataFrame:
    return pl.DataFrame(
        {"bank_id": [bank] * len(pairs), "old_entity_id": list(pairs), "entity_id": list(pairs.values())},
        schema=ENTITY_REDIRECTS.schema,
    )


def document(bank: str, key: str, text: str, at: datetime) -> dict[str, object]:
    row: dict[str, object] = {name: "" for name, dtype in DOCUMENTS.schema.items() if dtype == pl.String}
    return row | {
        "bank_id": bank, "document_id": key, "text": text, "authored_at": None, "turns": [], "ingested_at": at,
    }  # fmt: skip


@pytest.fixture
def lake(tmp_path) -> Lake:
    return Lake(str(tmp_path / "lake"))


def test_write_counts_and_versions(lake):
    first = lake.write("entity_redirects", "acme", redirects("acme", {"a": "1", "b": "2"}))
    assert (first.inserted, first.updated, first.deleted, first.rows) == (2, 0, 0, 2)
    again = lake.write("entity_redirects", "acme", redirects("acme", {"b": "2", "a": "1"}))
    assert (again.changed, again.version) == (0, first.version)
    second = lake.write("entity_redirects", "acme", redirects("acme", {"b": "9", "c": "3"}))
    assert (second.inserted, second.updated, second.deleted, second.version) == (1, 1, 1, first.version + 1)
    assert lake.read("entity_redirects", "acme").rows() == [("acme", "b", "9"), ("acme", "c", "3")]


def test_old_versions_can_be_read(lake):
    first = lake.write("entity_redirects", "acme", redirects("acme", {"a": "1"}))
    lake.write("entity_redirects", "acme", redirects("acme", {"a": "2"}))
    assert lake.read("entity_redirects", "acme", version=first.version).rows() == [("acme", "a", "1")]


def test_banks_are_apart(lake):
    lake.write("entity_redirects", "acme", redirects("acme", {"a": "1"}))
    before = lake.fingerprint("entity_redirects", "acme")
    lake.write("entity_redirects", "o'hara", redirects("o'hara", {"a": "2"}))
    lake.write("entity_redirects", "o'hara", redirects("o'hara", {}))
    assert lake.fingerprint("entity_redirects", "acme") == before
    assert lake.read("entity_redirects", "acme").rows() == [("acme", "a", "1")]
    assert lake.read("entity_redirects", "o'hara").is_empty()


def test_change_feed_shows_only_what_changed(lake):
    lake.write("entity_redirects", "acme", redirects("acme", {"a": "1", "b": "2"}))
    done = lake.write("entity_redirects", "acme", redirects("acme", {"a": "1", "b": "3"}))
    delta = lake.delta("entity_redirects")
    assert delta is not None
    feed = pl.DataFrame(delta.load_cdf(starting_version=done.version))
    assert sorted(feed.select("_change_type", "old_entity_id", "entity_id").iter_rows()) == [
        ("update_postimage", "b", "3"),
        ("update_preimage", "b", "2"),
    ]


def test_clock_columns_are_kept_where_nothing_else_changed(lake):
    later = datetime(2026, 4, 1, tzinfo=UTC)
    rows = [document("acme", "d1", "one", NOON), document("acme", "d2", "two", NOON)]
    lake.write("documents", "acme", pl.DataFrame(rows, schema=DOCUMENTS.schema))
    rows = [document("acme", "d1", "one", later), document("acme", "d2", "changed", later)]
    assert lake.write("documents", "acme", pl.DataFrame(rows, schema=DOCUMENTS.schema)).updated == 1
    stored = dict(lake.read("documents", "acme").select("document_id", "ingested_at").iter_rows())
    assert stored == {"d1": NOON, "d2": later}


def test_where_leaves_the_other_rows(lake):
    def row(item: str, stage: str) -> dict[str, object]:
        filled: dict[str, object] = {name: "" for name, dtype in QUARANTINE.schema.items() if dtype == pl.String}
        times = {"attempts": 1, "transient": False, "first_failed_at": NOON, "last_failed_at": NOON}
        return filled | times | {"bank_id": "acme", "item_id": item, "stage": stage}

    both = pl.DataFrame([row("a", "load"), row("b", "extract")], schema=QUARANTINE.schema)
    lake.write("quarantine", "acme", both)
    lake.write("quarantine", "acme", both.clear(), where=lambda stored: stored["stage"] == "load")
    assert lake.read("quarantine", "acme")["item_id"].to_list() == ["b"]


@pytest.mark.parametrize(
    ("frame", "error", "words"),
    [
        (redirects("other", {"a": "1"}), LakeError, "not of bank acme"),
        (pl.concat([redirects("acme", {"a": "1"})] * 2), LakeError, "1 repeated key"),
        (redirects("acme", {"a": "1"}).with_columns(old_entity_id=pl.lit(None, pl.String)), LakeError, "without a key"),
        (redirects("acme", {"a": "1"}).drop("entity_id"), SchemaMismatchError, "missing column entity_id"),
        (redirects("acme", {"a": "1"}).with_columns(entity_id=pl.lit(1)), SchemaMismatchError, "not String"),
    ],
)
def test_rows_that_break_the_contract_are_refused(lake, frame, error, words):
    with pytest.raises(error, match=words):
        lake.write("entity_redirects", "acme", frame)
    assert lake.version("entity_redirects") is None


def test_unknown_table_says_which_exist(lake):
    with pytest.raises(UnknownNameError, match="Did you mean facts"):
        lake.read("fact", "acme")


def test_a_damaged_table_is_a_clear_error(lake, tmp_path):
    lake.write("entity_redirects", "acme", redirects("acme", {"a": "1"}))
    for file in (tmp_path / "lake" / "entity_redirects").rglob("*.parquet"):
        file.write_bytes(b"not parquet")
    with pytest.raises(LakeError, match="entity_redirects"):
        lake.read("entity_redirects", "acme")


def test_writers_of_different_banks_do_not_lose_rows(lake):
    lake.write("entity_redirects", "start", redirects("start", {"a": "1"}))
    banks = [f"bank{number}" for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda bank: lake.write("entity_redirects", bank, redirects(bank, {"a": bank})), banks))
    assert [lake.read("entity_redirects", bank)["entity_id"].to_list() for bank in banks] == [[b] for b in banks]


pairs = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("xyz"), max_size=6)


@settings(max_examples=15, deadline=None)
@given(st.lists(pairs, min_size=1, max_size=4))
def test_any_sequence_of_writes_ends_in_the_last(tmp_path_factory, sequence):
    lake = Lake(str(tmp_path_factory.mktemp("lake")))
    for one in sequence:
        lake.write("entity_redirects", "acme", redirects("acme", one))
    stored = dict(lake.read("entity_redirects", "acme").select("old_entity_id", "entity_id").iter_rows())
    assert stored == sequence[-1]

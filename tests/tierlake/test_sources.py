"""Sources: what is found, what is refused, what is read anew, and that nothing is lost on the way."""

import json
import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as profile
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from tierlake import sources
from tierlake.config import Settings
from tierlake.errors import ConfigError, SourceMissingError
from tierlake.sources import FAILURES, LoadedSources, load_documents, source_state
from transforms.ids import stable_id
from transforms.schemas import DOCUMENTS, conform

Make = Callable[..., Settings]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def build(*several: dict[str, Any], **options: Any) -> Settings:
        named = [{"name": f"s{n}", "path": "docs", "bank": "acme"} | source for n, source in enumerate(several)]
        return Settings.model_validate({"base": tmp_path, "sources": named, **options})

    (tmp_path / "docs").mkdir()
    return build


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def balanced(loaded: LoadedSources) -> LoadedSources:
    """Returns what it was given, after checking that every record is accounted for."""
    counts = loaded.counts
    assert counts["records"] == sum(counts[name] for name in ("documents", "failed", "expired", "duplicates"))
    assert (counts["documents"], counts["failed"]) == (loaded.documents.height, loaded.failures.height)
    assert loaded.failures.schema == FAILURES
    assert loaded.failures["item"].is_unique().all()
    now = pl.lit(datetime(2025, 1, 1, tzinfo=UTC)).dt.cast_time_unit("us").alias("ingested_at")
    stored = conform(loaded.documents.with_columns(now), DOCUMENTS)
    assert_frame_equal(stored.drop("ingested_at"), loaded.documents, check_column_order=False)
    assert loaded.documents["document_id"].is_unique().all()
    return loaded


def by_uri(loaded: LoadedSources, column: str) -> dict[str, Any]:
    documents = balanced(loaded).documents
    return dict(zip(documents["uri"], documents[column], strict=True))


def reasons(loaded: LoadedSources) -> dict[str, str]:
    return dict(balanced(loaded).failures.select("item", "reason").iter_rows())


def test_a_document_row(make: Make, tmp_path: Path) -> None:
    write(tmp_path / "docs", {"ops/deploy_run-book.md": "---\ndate: 2025-03-04\ntags: b, a\n---\nWe deploy on Monday."})
    loaded = balanced(load_documents(make({}), "acme"))
    (row,) = loaded.documents.to_dicts()
    assert json.loads(row.pop("metadata")) == {"tags": ["a", "b"], "_loader": row_mark(loaded)}
    assert len(row.pop("content_hash")) == 32
    assert row == {
        "bank_id": "acme",
        "document_id": stable_id("s0", "ops/deploy_run-book.md", ""),
        "uri": "docs/ops/deploy_run-book.md",
        "source": "s0",
        "path": "docs/ops/deploy_run-book.md",
        "file_hash": sha256((tmp_path / "docs/ops/deploy_run-book.md").read_bytes()).hexdigest(),
        "title": "deploy run book",
        "media_type": "text/markdown",
        "text": "We deploy on Monday.",
        "tier": "tier_fact",
        "language": "en",
        "author": None,
        "authored_at": datetime(2025, 3, 4, tzinfo=UTC),
        "turns": [],
    }
    assert loaded.counts == {
        "files": 1, "records": 1, "documents": 1, "failed": 0, "expired": 0, "duplicates": 0, "reused": 0,
    }  # fmt: skip


def row_mark(loaded: LoadedSources) -> str:
    return str(json.loads(loaded.documents["metadata"][0])["_loader"])


def test_turns_keep_their_type(make: Make, tmp_path: Path) -> None:
    chat = {"channel": "ops", "messages": [{"user": "Ada", "ts": "2025-03-04T10:00:00Z", "text": "Hi."}]}
    write(tmp_path / "docs", {"a.json": json.dumps(chat)})
    (turns,) = balanced(load_documents(make({}), "acme")).documents["turns"].to_list()
    assert turns == [{"start": 0, "end": 8, "speaker": "Ada", "at": datetime(2025, 3, 4, 10, tzinfo=UTC)}]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("docs", ["docs/a.md", "docs/deep/b.md", "docs/deep/c.txt", "docs/x [1].md"]),
        ("docs/", ["docs/a.md", "docs/deep/b.md", "docs/deep/c.txt", "docs/x [1].md"]),
        ("docs/a.md", ["docs/a.md"]),
        ("docs/x [1].md", ["docs/x [1].md"]),
        ("docs/*.md", ["docs/a.md", "docs/x [1].md"]),
        ("docs/**/*.md", ["docs/a.md", "docs/deep/b.md", "docs/x [1].md"]),
        ("docs/**", ["docs/a.md", "docs/deep/b.md", "docs/deep/c.txt", "docs/x [1].md"]),
        ("docs/*/*.txt", ["docs/deep/c.txt"]),
        ("docs/deep/../a.md", ["docs/a.md"]),
        ("docs/*.pdf", []),
    ],
)
def test_folders_files_and_globs(make: Make, tmp_path: Path, path: str, found: list[str]) -> None:
    names = ["a.md", "deep/b.md", "deep/c.txt", "x [1].md", ".hidden.md", ".git/d.md", "deep/.e/f.md"]
    write(tmp_path / "docs", {name: f"Text of {name}." for name in names})
    loaded = load_documents(make({"path": path}), "acme")
    assert sorted(by_uri(loaded, "uri")) == found
    assert sorted(source_state(make({"path": path}), "acme")) == found


def test_ids_and_uris_of_records_and_outside_folders(make: Make, tmp_path: Path) -> None:
    inner = tmp_path / "conf"
    inner.mkdir()
    write(tmp_path / "docs", {"r/a.jsonl": '{"id": "7", "text": "Seven."}'})
    settings = make({"path": "../docs"}).model_copy(update={"base": inner})
    loaded = balanced(load_documents(settings, "acme"))
    assert loaded.documents.select("document_id", "uri", "path").row(0) == (
        stable_id("s0", "r/a.jsonl", "7"),
        "../docs/r/a.jsonl#7",
        "../docs/r/a.jsonl",
    )
    absolute = make({"path": f"{tmp_path}/docs/*/*.jsonl"}).model_copy(update={"base": inner})
    assert load_documents(absolute, "acme").documents["uri"].to_list() == [f"{tmp_path}/docs/r/a.jsonl#7"]


@pytest.mark.parametrize("path", ["gone", "gone/*.md", "docs/gone.md"])
def test_a_missing_source_stops_the_run(make: Make, path: str) -> None:
    settings = make({}, {"path": path})
    with pytest.raises(SourceMissingError, match=r"source 's1'.*does not exist; mount or create it") as caught:
        load_documents(settings, "acme")
    assert caught.value.source == "s1"
    with pytest.raises(SourceMissingError):
        source_state(settings, "acme")


def test_unknown_options_stop_the_run(make: Make) -> None:
    with pytest.raises(ConfigError, match="source 's0': unknown option 'text_feild'"):
        load_documents(make({"loader": "csv", "options": {"text_feild": "x"}}), "acme")


def test_a_bank_without_sources_is_empty(make: Make) -> None:
    loaded = balanced(load_documents(make({}), "other"))
    assert (loaded.documents.height, loaded.failures.height) == (0, 0)


def test_banks_are_apart(make: Make, tmp_path: Path) -> None:
    write(tmp_path, {"docs/a.md": "One.", "other/b.md": "Two.", "other/c.docx": "x"})
    settings = make({}, {"path": "other", "bank": "other"})
    assert sorted(by_uri(load_documents(settings, "acme"), "uri")) == ["docs/a.md"]
    assert reasons(load_documents(settings, "acme")) == {}
    assert sorted(by_uri(load_documents(settings, "other"), "uri")) == ["other/b.md"]


def test_every_file_ends_in_documents_or_failures(make: Make, tmp_path: Path) -> None:
    write(
        tmp_path / "docs",
        {
            "good.md": "Text.",
            "empty.md": "",
            "blank.txt": " \n\x00\n",
            "picture.png": b"\x89PNG",
            "broken.txt": "Größe und Übermut tun gut".encode() + b" \xff",
            "broken.pdf": b"%PDF-1.4 nothing",
            "large.txt": "x" * 101,
            "rows.jsonl": '{"id": 1, "text": "a"}\n{"id": 1, "text": "b"}\nno\n{"id": 2, "text": ""}\n'
            '{"id": 3, "text": "c"}\n{"id": 3, "text": "c"}\n',
        },
    )
    loaded = load_documents(make({"max_bytes": 150}), "acme")
    found = reasons(loaded)
    in_rows = sorted(found.pop(item) for item in list(found) if item.startswith("docs/rows.jsonl#"))
    assert in_rows == ["duplicate_id", "invalid_record", "invalid_record"]
    assert found == {
        "docs/empty.md": "empty",
        "docs/blank.txt": "empty",
        "docs/picture.png": "unknown_format",
        "docs/broken.txt": "encoding",
        "docs/broken.pdf": "damaged",
    }
    assert loaded.counts == {
        "files": 8, "records": 13, "documents": 4, "failed": 8, "expired": 0, "duplicates": 1, "reused": 0,
    }  # fmt: skip
    assert loaded.failures.filter(pl.col("item") == "docs/picture.png")["detail"][0].startswith(
        "no loader for '.png'; known: .md"
    )


def test_a_large_file_is_not_read(make: Make, tmp_path: Path) -> None:
    write(tmp_path / "docs", {"a.txt": "x" * 101, "b.txt": "x" * 100})
    loaded = load_documents(make({"max_bytes": 100}), "acme")
    assert reasons(loaded) == {"docs/a.txt": "too_large"}
    assert loaded.counts["documents"] == 1


def test_links(make: Make, tmp_path: Path) -> None:
    write(
        tmp_path,
        {"docs/real.md": "Real.", "docs/deep/b.md": "Deep.", "docs/.data/c.md": "Hidden.", "out/secret.md": "Secret."},
    )
    docs = tmp_path / "docs"
    for name, target in {
        "inside.md": docs / "real.md",
        "mounted.md": docs / ".data/c.md",  # what a mounted configuration map looks like
        "out.md": tmp_path / "out/secret.md",
        "outdir": tmp_path / "out",
        "again": docs / "deep",
        "hidden": docs / ".data",
        "up": docs,
        "nowhere.md": docs / "gone.md",
        "circle.md": docs / "circle.md",
    }.items():
        (docs / name).symlink_to(target)
    loaded = load_documents(make({}), "acme")
    assert by_uri(loaded, "text") == {
        "docs/real.md": "Real.",
        "docs/deep/b.md": "Deep.",
        "docs/inside.md": "Real.",
        "docs/mounted.md": "Hidden.",
    }
    assert reasons(loaded) == {
        "docs/out.md": "link",
        "docs/outdir": "link",
        "docs/hidden": "link",
        "docs/nowhere.md": "unreadable",
        "docs/circle.md": "unreadable",
    }
    assert "secret" not in "".join(loaded.failures["detail"])
    globbed = load_documents(make({"path": "docs/*/*.md"}), "acme")
    assert by_uri(globbed, "text") == {"docs/deep/b.md": "Deep."}
    assert reasons(globbed) == {"docs/outdir": "link", "docs/hidden": "link"}
    assert len(source_state(make({}), "acme")) == 9


def test_what_is_no_file_is_not_opened(make: Make, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "docs/pipe.md")
    assert reasons(load_documents(make({}), "acme")) == {"docs/pipe.md": "unreadable"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_a_failure(make: Make, tmp_path: Path) -> None:
    write(tmp_path / "docs", {"a.md": "A.", "shut/b.md": "B."})
    (tmp_path / "docs/a.md").chmod(0)
    (tmp_path / "docs/shut").chmod(0)
    try:
        assert reasons(load_documents(make({}), "acme")) == {"docs/a.md": "unreadable", "docs/shut": "unreadable"}
    finally:
        (tmp_path / "docs/shut").chmod(0o700)


def test_odd_file_names(make: Make, tmp_path: Path) -> None:
    (tmp_path / "docs" / os.fsdecode(b"caf\xe9.md")).write_text("One.", encoding="utf-8")
    write(tmp_path / "docs", {"a#b.md": "Two.", "line\nbreak.md": "Three.", "日本.md": "Four."})
    texts = by_uri(load_documents(make({}), "acme"), "text")
    assert texts == {
        "docs/caf\\xe9.md": "One.",
        "docs/a#b.md": "Two.",
        "docs/line\nbreak.md": "Three.",
        "docs/日本.md": "Four.",
    }


def test_a_file_in_two_sources(make: Make, tmp_path: Path) -> None:
    write(tmp_path / "docs", {"a.md": "One.", "b.docx": "x"})
    loaded = balanced(load_documents(make({}, {"path": "docs/*"}), "acme"))
    assert loaded.documents["uri"].to_list() == ["docs/a.md", "docs/a.md"]
    assert sorted(reasons(loaded)) == ["docs/b.docx (s0, 1)", "docs/b.docx (s1, 2)"]


@pytest.mark.parametrize(
    ("source_tier", "claim", "trusted", "tier"),
    [
        ("tier_fact", "tier_working", False, "tier_working"),
        ("tier_fact", "tier_wisdom", False, "tier_fact"),
        ("tier_fact", "tier_wisdom", True, "tier_wisdom"),
        ("tier_fact", "tier_fact", False, "tier_fact"),
        ("tier_fact", "tier_unknown", True, "tier_fact"),
        ("tier_fact", "[tier_working]", False, "tier_fact"),
        ("tier_wisdom", "tier_working", False, "tier_working"),
    ],
)
def test_a_document_may_lower_its_tier(  # noqa: PLR0917  # a table's columns
    make: Make,
    tmp_path: Path,
    source_tier: str,
    claim: str,
    trusted: bool,  # noqa: FBT001  # pytest passes it by name
    tier: str,
) -> None:
    write(tmp_path / "docs", {"a.md": f"---\ntier: {claim}\nbank: other\nid: x\n---\nText."})
    loaded = balanced(load_documents(make({"tier": source_tier, "trust_front_matter": trusted}), "acme"))
    row = loaded.documents.row(0, named=True)
    assert (row["tier"], row["bank_id"]) == (tier, "acme")
    assert json.loads(row["metadata"])["bank"] == "other"


@pytest.mark.parametrize(
    ("front", "source", "language"),
    [("lang: de", "fr", "de"), ("x: y", "fr", "fr"), ("x: y", None, "en"), ("lang: nonsense", None, "en")],
)
def test_languages(make: Make, tmp_path: Path, front: str, source: str | None, language: str) -> None:
    write(tmp_path / "docs", {"a.md": f"---\n{front}\n---\nThe deploy process takes ten minutes."})
    loaded = load_documents(make({"language": source}), "acme")
    assert loaded.documents["language"].to_list() == [language]


def test_short_term_notes_expire_by_the_newest_document(make: Make, tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "docs/old.txt": "Date: 2025-01-02\n\nOld note.",
            "docs/edge.txt": "Date: 2025-02-01\n\nExactly thirty days.",
            "docs/undated.txt": "No date here.",
            "fact/old.txt": "Date: 2020-01-01\n\nOld fact.",
            "fact/new.txt": "Date: 2025-03-03\n\nNewest.",
        },
    )
    make_tiers = {"tier_working": {"ttl_days": 30}}
    settings = make({"tier": "tier_working"}, {"path": "fact"}, tiers=make_tiers)
    loaded = load_documents(settings, "acme")
    assert sorted(by_uri(loaded, "uri")) == ["docs/edge.txt", "docs/undated.txt", "fact/new.txt", "fact/old.txt"]
    assert loaded.counts["expired"] == 1
    (tmp_path / "fact/new.txt").unlink()
    again = load_documents(settings, "acme", loaded.documents)
    assert "docs/old.txt" in by_uri(again, "uri")  # the newest is older now: the note is back, as in a rebuild
    assert_frame_equal(again.documents, load_documents(settings, "acme").documents)


def same(one: LoadedSources, other: LoadedSources) -> None:
    assert_frame_equal(one.documents, other.documents)
    assert_frame_equal(one.failures, other.failures)
    assert {**one.counts, "reused": 0} == {**other.counts, "reused": 0}


def test_what_did_not_change_is_not_read_again(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(
        tmp_path / "docs", {"a.md": "One.", "b.jsonl": '{"id": 1, "text": "x"}\n{"id": 2, "text": "y"}\n', "c.md": ""}
    )
    settings = make({})
    first = balanced(load_documents(settings, "acme"))
    second = balanced(load_documents(settings, "acme", first.documents))
    same(first, second)
    assert second.counts["reused"] == 3
    (tmp_path / "docs/a.md").write_text("Changed.", encoding="utf-8")
    third = balanced(load_documents(settings, "acme", second.documents))
    assert third.counts["reused"] == 2
    same(third, load_documents(settings, "acme"))
    # Another code version, or another setting of the source, reads all of it again.
    monkeypatch.setattr(sources, "code_version", lambda: "another")
    assert load_documents(settings, "acme", third.documents).counts["reused"] == 0
    monkeypatch.undo()
    for change in ({"tier": "tier_working"}, {"language": "fr"}, {"trust_front_matter": True}, {"loader": "text"}):
        changed = make(change)
        again = balanced(load_documents(changed, "acme", third.documents))
        assert again.counts["reused"] == 0
        same(again, load_documents(changed, "acme"))


def test_a_source_that_points_elsewhere_gives_new_ids(make: Make, tmp_path: Path) -> None:
    write(tmp_path / "docs", {"deep/a.md": "One."})
    first = load_documents(make({}), "acme")
    narrowed = make({"path": "docs/deep"})
    same(load_documents(narrowed, "acme", first.documents), load_documents(narrowed, "acme"))


def test_files_with_failures_or_missing_rows_are_read_again(make: Make, tmp_path: Path) -> None:
    write(
        tmp_path / "docs",
        {"a.jsonl": '{"id": 1, "text": "x"}\nbroken\n', "b.jsonl": '{"id": 1, "text": "x"}\n{"id": 2, "text": "y"}\n'},
    )
    settings = make({})
    first = balanced(load_documents(settings, "acme"))
    same(first, load_documents(settings, "acme", first.documents))
    partly = first.documents.filter(pl.col("uri") != "docs/b.jsonl#2")
    same(first, load_documents(settings, "acme", partly))


def test_the_content_hash_covers_what_is_derived_from(make: Make, tmp_path: Path) -> None:
    def hash_of(text: str, **source: Any) -> str:
        write(tmp_path / "docs", {"a.md": text})
        return str(load_documents(make(source), "acme").documents["content_hash"][0])

    base = "---\ntitle: T\nauthor: A\ndate: 2025-03-04\n---\nThe text."
    changes = [
        base.replace("T\n", "U\n", 1),
        base.replace("A\n", "B\n", 1),
        base.replace("-04", "-05"),
        base.replace("The text", "Other"),
        base.replace("author", "tags: x\nauthor"),
        base.replace("author", "lang: fr\nauthor"),
    ]
    hashes = [hash_of(base), *map(hash_of, changes), hash_of(base, tier="tier_working")]
    assert len(set(hashes)) == len(hashes)
    assert hash_of(base + "\n\n\n") == hash_of(base)  # bytes that say nothing
    assert hash_of(base, max_bytes=1000) == hash_of(base)


def test_state_changes_with_the_file(make: Make, tmp_path: Path) -> None:
    write(tmp_path / "docs", {"a.md": "One.", "b.md": "Two."})
    settings = make({})
    before = source_state(settings, "acme")
    assert source_state(settings, "acme") == before
    (tmp_path / "docs/a.md").write_text("Longer.", encoding="utf-8")
    (tmp_path / "docs/c.md").write_text("New.", encoding="utf-8")
    after = source_state(settings, "acme")
    assert {path for path in after if after[path] != before.get(path)} == {"docs/a.md", "docs/c.md"}


CONTENT = st.sampled_from(
    [
        b"",
        b"One sentence.",
        b"Date: 2025-03-04\n\nA note.",
        b"\xff\xfe\x00",
        b'{"id": 1, "text": "a"}\n{"id": 1, "text": "b"}\n',
        b'{"text": "a"}\n{"text": "a"}\nbroken\n',
        b"id,text\n1,x\n2\n",
        b'{"messages": [{"user": "a", "text": "b"}, 3]}',
    ]
)
NAMES = st.sampled_from(["a.md", "b.txt", "c.jsonl", "d.csv", "e.json", "deep/f.txt", "g.xyz"])


@profile(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(versions=st.lists(st.dictionaries(NAMES, CONTENT, max_size=5), min_size=1, max_size=3))
def test_any_sequence_of_changes_equals_a_rebuild(make: Make, tmp_path: Path, versions: list[dict[str, bytes]]) -> None:
    settings = make({"tier": "tier_working"}, tiers={"tier_working": {"ttl_days": 10}})
    previous = None
    for files in versions:
        shutil.rmtree(tmp_path / "docs")
        (tmp_path / "docs").mkdir()
        write(tmp_path / "docs", files)
        loaded = balanced(load_documents(settings, "acme", previous))
        assert loaded.counts["files"] == len(files)
        same(loaded, load_documents(settings, "acme"))
        previous = loaded.documents
        if previous.height:
            # Rows in any order, as a table gives them.
            same(loaded, load_documents(settings, "acme", previous.sample(fraction=1.0, shuffle=True, seed=1)))


def test_many_files_are_checked_in_seconds(make: Make, tmp_path: Path) -> None:
    write(tmp_path / "docs", {f"{n % 20}/{n}.txt": f"Note {n} says something." for n in range(2_000)})
    settings = make({"language": "en"})
    first = load_documents(settings, "acme")
    second = load_documents(settings, "acme", first.documents)
    assert (first.counts["documents"], second.counts["reused"]) == (2_000, 2_000)
    assert_frame_equal(first.documents, second.documents)

"""Loaders: laws over any bytes, and inputs that were made to break a parser."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierlake.errors import LoadError
from tierlake.loaders.base import BadRecord, LoadedDocument
from tierlake.loaders.dates import read_date
from tierlake.loaders.decoding import clean_line, clean_text
from tierlake.loaders.records import fingerprint, json_value
from tierlake.loaders.registry import EXTENSIONS, load_bytes

# What makes the parsers work rather than give up at once.
PIECES = [
    b"---\n",
    b"title: x\n",
    b"date: 2025-03-04\n",
    b"# ",
    b"\n\n",
    b"- ",
    b"| a | b |\n|-|-|\n",
    b"> ",
    b"```\n",
    b"<div>",
    b"</p>",
    b"<table><tr><td>",
    b"<!--",
    b"<![CDATA[",
    b"&amp;",
    b"&#0;",
    b'{"text": "',
    b'"id": 1, ',
    b'"}\n',
    b"[",
    b"]",
    b"{}",
    b"null",
    b'{"messages": [',
    b'{"user": "a", "ts": "1", "text": "b"}',
    b"id,text\n",
    b'1,"a\n',
    b'"',
    b"From a@b Tue Mar  4 10:00:00 2025\n",
    b"From: =?utf-8?q?=FF?= <a@b>\n",
    b"Date: x\n",
    b"Content-Type: multipart/mixed; boundary=a\n\n",
    b"--a\n",
    b"--a--\n",
    b"Content-Type: text/plain; charset=nope\n",
    b"Content-Transfer-Encoding: base64\n\n",
    b"Subject: \xff\n",
    b"Message-ID: <\n",
    b"%PDF-1.4\n",
    b"1 0 obj\n<< /Type /Catalog /Pages 1 0 R >>\nendobj\n",
    b"trailer\n<< /Root 1 0 R >>\n",
    b"xref\n0 1\n",
    b"%%EOF",
    b"\x00",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    "\u202e\u0301\u2028".encode(),
    b"\\ud800",
    b"9" * 30,
    b"some words, ",
]
DATA = st.one_of(st.binary(max_size=200), st.lists(st.sampled_from(PIECES), max_size=14).map(b"".join))


def outcome(data: bytes, name: str) -> list[LoadedDocument | BadRecord] | str:
    """Returns what a file gives, or the reason why it gives nothing; any other exception fails the test."""
    try:
        return load_bytes(data, name=name)
    except LoadError as error:
        assert error.detail  # noqa: PT017  # both outcomes are looked at
        return error.reason


@settings(max_examples=300, deadline=None)
@given(data=DATA, extension=st.sampled_from(sorted(EXTENSIONS)))
def test_any_bytes_give_documents_or_one_failure(data: bytes, extension: str) -> None:
    result = outcome(data, f"x{extension}")
    assert result
    assert outcome(data, f"x{extension}") == result
    if isinstance(result, str):
        assert result in {"encoding", "damaged", "password", "invalid_record", "empty"}
        return
    assert len({item.key for item in result}) == len(result)
    for item in result:
        if isinstance(item, LoadedDocument):
            assert clean_text(item.text) == item.text
            assert clean_line(item.title) == item.title
            assert json_value(item.metadata) == item.metadata
            assert all(item.text[turn.start : turn.end].startswith(turn.speaker) for turn in item.turns)
            assert fingerprint(item)


@settings(max_examples=100, deadline=None)
@given(lines=st.lists(st.text(st.characters(exclude_characters="\r\n"), max_size=40), max_size=8))
def test_a_text_file_keeps_its_words(lines: list[str]) -> None:
    text = "\n".join(lines)
    result = outcome(text.encode("utf-8", "replace"), "x.txt")
    if isinstance(result, list) and isinstance(result[0], LoadedDocument) and result[0].authored_at is None:
        assert result[0].text == clean_text(text.encode("utf-8", "replace").decode())


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=60))
def test_the_normal_form_is_stable_and_keeps_letters(text: str) -> None:
    once = clean_text(text)
    assert clean_text(once) == once
    assert "\r" not in once
    assert "\n\n\n" not in once


@settings(max_examples=200, deadline=None)
@given(
    value=st.one_of(
        st.text(max_size=30), st.integers(), st.floats(), st.none(), st.booleans(), st.datetimes(), st.dates()
    )
)
def test_dates_are_utc_and_in_range(value: object) -> None:
    found = read_date(value)
    assert found is None or (1900 <= found.year <= 2100 and str(found.tzinfo) == "UTC")


RECORD = st.fixed_dictionaries(
    {"text": st.sampled_from(["a", "b", "c"])},
    optional={"id": st.sampled_from(["1", "2"]), "date": st.sampled_from(["2025-01-01", "2025-02-01"])},
)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), records=st.lists(RECORD, min_size=1, max_size=8))
def test_the_order_of_records_does_not_matter_and_each_is_accounted_for(
    data: st.DataObject, records: list[dict]
) -> None:
    from json import dumps

    def load(several: list[dict]) -> dict[str, str]:
        items = load_bytes("\n".join(map(dumps, several)).encode(), name="x.jsonl")
        counted = sum(item.metadata.get("_copies", 1) if isinstance(item, LoadedDocument) else 1 for item in items)
        assert counted == len(several)
        return {item.key: fingerprint(item) if isinstance(item, LoadedDocument) else item.reason for item in items}

    assert load(records) == load(data.draw(st.permutations(records)))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.md", b"[" * 50_000),
        ("x.md", b"*a_ " * 20_000),
        ("x.md", b"![[]()" * 5_000),
        ("x.md", b"<div>" * 20_000),
        ("x.txt", b"a" * 5_000_000),
        ("x.txt", b" " * 2_000_000 + b"x"),
        ("x.txt", ("a" + "\u0301\u0316" * 200_000).encode()),
        ("x.txt", ("a" + "\u0f71\u0f72" * 100_000).encode()),
        ("x.html", b"<table>" + b"<tr><td>a<td>b" * 5_000),
        ("x.html", b"<p>" + b"a" * 11_000_000),
        ("x.jsonl", b'{"text": "a", "n": ' + b"9" * 100_000 + b"}"),
        ("x.csv", b'a,"' * 20_000),
        ("x.eml", b"From: a\nContent-Type: multipart/mixed; boundary=a\n\n" + b"--a\n" * 20_000),
        ("x.eml", b"Subject: " + b"=?utf-8?q?a?= " * 2_000 + b"\n\nx"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bombs_end_in_time(name: str, data: bytes) -> None:
    start = time.process_time()
    outcome(data, name)
    # Each takes about a second at most; what is quadratic here takes minutes.
    assert time.process_time() - start < 15

"""Loaders: what each format's text, title, date and keys come to, written out."""

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from tierlake.errors import LoadError
from tierlake.loaders.base import BadRecord, LoadedDocument, Turn
from tierlake.loaders.dates import note_date, read_date
from tierlake.loaders.decoding import clean_line, clean_text, decode
from tierlake.loaders.language import detect_language
from tierlake.loaders.mail import own_words
from tierlake.loaders.pdf import page_text
from tierlake.loaders.registry import LOADERS, load_bytes, loader_name, option_faults


def one(data: str | bytes, name: str, **options: str) -> LoadedDocument:
    items = load_bytes(data.encode() if isinstance(data, str) else data, name=name, options=options)
    assert len(items) == 1
    assert isinstance(items[0], LoadedDocument)
    return items[0]


def split(data: str, name: str, **options: str) -> tuple[dict[str, LoadedDocument], list[BadRecord]]:
    items = load_bytes(data.encode(), name=name, options=options)
    documents = {item.key: item for item in items if isinstance(item, LoadedDocument)}
    return documents, [item for item in items if isinstance(item, BadRecord)]


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type,misc]  # the parts of a time


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("a\r\nb\rc\x0cd", "a\nb\nc\nd"),
        ("a\x00b\x07c\x85d", "abc\nd"),
        ("a  \n\n\n\n\tb\t \n", "a\n\n\tb"),
        ("e\u0301", "é"),
        ("\ufeffco\u00adop", "coop"),
        ("x\u202egnp.exe\u202c", "xgnp.exe"),
        ("\ud800 lone", "\ufffd lone"),
        ("می\u200cخواهم", "می\u200cخواهم"),  # the joiner is spelling in Persian
        ("a" + "\u0301" * 1000, "á" + "\u0301" * 29),
        ("line\u2028sep", "line\nsep"),
        ("", ""),
    ],
)
def test_text_has_one_normal_form(raw: str, clean: str) -> None:
    assert clean_text(raw) == clean
    assert clean_text(clean) == clean


def test_lines_are_short_and_single() -> None:
    assert clean_line(" Deploy\n\n runbook\t") == "Deploy runbook"
    assert len(clean_line("x" * 10_000)) == 300


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("Größe".encode(), "Größe"),
        ("\ufeffGröße".encode(), "Größe"),
        ("Größe".encode("utf-16"), "Größe"),
        ("Größe".encode("utf-32"), "Größe"),
        ("Hello Größe, that is all.".encode("utf-16-le"), "Hello Größe, that is all."),
        ("El niño comió mañana en España; ¿qué pasó?".encode("cp1252"), "El niño comió mañana en España; ¿qué pasó?"),
        ("The café is open.".encode("cp1252"), "The café is open."),
        ("Wczoraj spotkaliśmy się z zespołem.".encode("cp1250"), "Wczoraj spotkaliśmy się z zespołem."),
        ("Сегодня мы обсуждали запуск сервиса.".encode("cp1251"), "Сегодня мы обсуждали запуск сервиса."),
        (
            "今日は会議がありました。田中さんが出席しました。".encode("shift_jis"),
            "今日は会議がありました。田中さんが出席しました。",
        ),
        ("今天我们开会讨论了部署流程。".encode("gbk"), "今天我们开会讨论了部署流程。"),
        (b"some\0text with a nul", "some\0text with a nul"),
    ],
)
def test_encodings_are_told(data: bytes, text: str) -> None:
    assert decode(data) == text


def test_declared_and_forced_encodings() -> None:
    japanese = "会議".encode("iso2022_jp")
    assert decode(japanese, declared="iso-2022-jp") == "会議"
    assert (
        decode("Größe".encode(), declared="latin-1") == "Größe"
    )  # a false declaration is common; UTF-8 is not by chance
    assert decode("שלום".encode("cp1255"), forced="cp1255") == "שלום"


@pytest.mark.parametrize(
    "data",
    [
        "Größe und Übermut tun gut".encode() + b" \xff",  # mostly UTF-8: no other reading is better
        bytes(range(256)) * 8,
        b"\x89PNG\r\n\x1a\n" + bytes(range(200, 256)) * 4,
        b"\xff\xfe\x00",  # half a UTF-16 character
    ],
)
def test_what_no_encoding_fits_is_refused(data: bytes) -> None:
    with pytest.raises(LoadError) as caught:
        decode(data)
    assert caught.value.reason == "encoding"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2025-03-04", utc(2025, 3, 4)),
        ("2025-03", utc(2025, 3, 1)),
        ("20250304T101500Z", utc(2025, 3, 4, 10, 15)),
        ("2025-03-04 10:15:30.5", utc(2025, 3, 4, 10, 15, 30, 500_000)),
        ("2025-03-04T10:00:00+02:00", utc(2025, 3, 4, 8)),
        ("Tue, 4 Mar 2025 10:00:00 -0500", utc(2025, 3, 4, 15)),
        ("March 4, 2025", utc(2025, 3, 4)),
        ("4 March 2025 10:30", utc(2025, 3, 4, 10, 30)),
        ("4. März 2025", utc(2025, 3, 4)),
        ("4 марта 2025 г.", utc(2025, 3, 4)),
        ("2025年3月4日", utc(2025, 3, 4)),
        (1_741_082_400, utc(2025, 3, 4, 10)),
        (1_741_082_400_000, utc(2025, 3, 4, 10)),
        ("1741082400.000200", utc(2025, 3, 4, 10, 0, 0, 200)),
        (datetime(2025, 3, 4, 10, tzinfo=timezone(timedelta(hours=2))), utc(2025, 3, 4, 8)),
        (utc(2025, 3, 4).date(), utc(2025, 3, 4)),
        ("2025", None),  # any number
        ("yesterday", None),
        ("in 3 days", None),
        ("May", None),
        ("12 March", None),
        ("10:30", None),
        ("next Friday", None),
        ("Date of the offsite", None),
        ("2025-99-99", None),
        ("0000-00-00", None),
        ("1899-12-31", None),
        ("2101-01-01", None),
        ("9999-12-31T23:59:59-14:00", None),
        ("Tue, 4 Mar 99999 10:00:00", None),
        (float("nan"), None),
        (1e300, None),
        (-(10**30), None),
        (True, None),
        ("", None),
        (None, None),
        ("x" * 100_000, None),
    ],
)
def test_dates(written: object, read: datetime | None) -> None:
    assert read_date(written) == read


def test_a_date_that_cannot_be_used_is_noted() -> None:
    metadata: dict[str, object] = {}
    assert note_date("9999-01-01", metadata) is None
    assert metadata == {"date_ignored": "9999-01-01"}
    assert note_date(None, metadata := {}) is None
    assert metadata == {}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The deploy process takes ten minutes.", "en"),
        ("Сервис был перезапущен в пятницу.", "ru"),
        ("今天我们开会讨论了部署流程", "zh"),
        ("Alice joined Google.", "en"),
        ("INC-47", "und"),
        ("Sprint 14: Kubernetes, Redis, Kafka", "und"),
        ("", "und"),
    ],
)
def test_languages(text: str, code: str) -> None:
    assert detect_language(text) == code


MARKDOWN = """---
title: Deploy runbook
date: 2025-03-04
author: [Ada Osei, Bob]
lang: en-GB
tier: tier_working
tags: [ops, deploy]
---
# Deploy

We deploy *blue/green*
with a [bake](https://x.example) of ten minutes.

## Steps
- merge
  - review
- wait

1. one
2. two

| Step | Owner |
|------|-------|
| bake | Ada |

```sh
make run
make ui
```
> Never on Friday.
"""

MARKDOWN_TEXT = """Deploy

We deploy blue/green with a bake of ten minutes.

Steps

* merge
      + review
* wait

1. one
2. two

Step | Owner
bake | Ada

make run
make ui

Never on Friday."""


def test_markdown() -> None:
    document = one(MARKDOWN, "deploy.md")
    assert document.text == MARKDOWN_TEXT
    assert (document.title, document.author, document.language) == ("Deploy runbook", "Ada Osei, Bob", "en")
    assert document.authored_at == utc(2025, 3, 4)
    assert document.metadata == {"tier": "tier_working", "tags": ["ops", "deploy"]}


@pytest.mark.parametrize(
    ("data", "title", "text"),
    [
        ("# A *fine* plan\n\nText.", "A fine plan", "A fine plan\n\nText."),
        ("Just text.", "", "Just text."),
        (
            "---\n\nA rule starts this.\n\n---\n\nAnd another ends.",
            "",
            "A rule starts this.\n\nAnd another ends.",
        ),
        ("---\nonly one rule", "", "only one rule"),
        ("---\ntitle: 2025\n---\nBody", "2025", "Body"),
        ("Hi <script>alert(1)</script><b>there</b>", "", "Hi there"),
        ("a\n\n<!-- hidden -->\n\nb", "", "a\n\nb"),
    ],
)
def test_markdown_titles_and_bodies(data: str, title: str, text: str) -> None:
    document = one(data, "x.md")
    assert (document.title, document.text) == (title, text)


@pytest.mark.parametrize(
    "front",
    [
        "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]",
        "a: " + "[" * 5000,
        "a: !!python/object/apply:os.system [id]",
        "title: one: two",
        "a: " + "x" * 100_000,
    ],
)
def test_front_matter_that_is_not_plain_yaml_is_refused(front: str) -> None:
    with pytest.raises(LoadError) as caught:
        one(f"---\n{front}\n---\nBody", "x.md")
    assert caught.value.reason == "damaged"
    assert "\n" not in caught.value.detail


def test_front_matter_keeps_odd_values_as_json() -> None:
    document = one("---\ndate: 2025-99-99\nn: .nan\nd: 2024-01-02\n1: x\nbig: 1e999\n---\nBody", "x.md")
    assert document.authored_at is None
    assert document.metadata == {"date_ignored": "2025-99-99", "n": "nan", "d": "2024-01-02", "1": "x", "big": "1e999"}


@pytest.mark.parametrize(
    ("name", "data"),
    [("x.md", "> " * 200 + "deep"), ("x.html", "<div>" * 5000 + "deep"), ("x.json", "[" * 100_000)],
)
def test_deep_nesting_is_refused_rather_than_cut_off(name: str, data: str) -> None:
    with pytest.raises(LoadError) as caught:
        one(data, name)
    assert caught.value.reason == "damaged"


@pytest.mark.parametrize(
    ("data", "title", "date", "text"),
    [
        ("Standup notes\n\nAda is ill.\n", "Standup notes", None, "Standup notes\n\nAda is ill."),
        ("Date: 2025-03-04\n\nAda is ill.", "", utc(2025, 3, 4), "Ada is ill."),
        ("Standup\nDate: 4 March 2025\n\nAda is ill.", "Standup", utc(2025, 3, 4), "Standup\n\nAda is ill."),
        ("Standup\n\nDate: 4 March 2025\n\nAda.", "Standup", utc(2025, 3, 4), "Standup\n\nAda."),
        ("Date: to be decided\n\nAda.", "", None, "Date: to be decided\n\nAda."),
        ("Ada joined Acme.\n\nBob left.", "", None, "Ada joined Acme.\n\nBob left."),
        ("One line\nand the next", "", None, "One line\nand the next"),
        ("Alone", "", None, "Alone"),
        ("One.\n\nTwo.\n\nDate: 2025-03-04", "", None, "One.\n\nTwo.\n\nDate: 2025-03-04"),
    ],
)
def test_text(data: str, title: str, date: datetime | None, text: str) -> None:
    document = one(data, "x.txt")
    assert (document.title, document.authored_at, document.text) == (title, date, text)


HTML = """<!DOCTYPE html><html lang="de-AT"><head><meta charset="iso-8859-1"><title>Größe &amp; Plan</title>
<meta name="Author" content="Jürgen Weiß"><meta property="article:published_time" content="2025-03-04T09:00:00+01:00">
<style>p{color:red}</style><script>track()</script></head><body><h1>Plan</h1><p>Ein   Absatz
mit <b>Wort</b>.</p><!-- no --><div>Zeile</div><section>Teil</section><p hidden>x</p><noscript>y</noscript>
<table><tr><th>A<th>B<tr><td>lang und breit<td>1</table><time datetime="2020-01-01">alt</time></body></html>"""


def test_html() -> None:
    document = one(HTML.encode("cp1252"), "x.html")
    assert (document.title, document.author, document.language) == ("Größe & Plan", "Jürgen Weiß", "de")
    assert document.authored_at == utc(2025, 3, 4, 8)
    assert document.text.startswith("Plan\n\nEin Absatz mit Wort.\n\nZeile\nTeil")
    assert document.text.endswith("A | B\nlang und breit | 1\n\nalt")
    assert "track" not in document.text
    assert "color" not in document.text


def test_html_dates_and_titles_from_elsewhere() -> None:
    document = one("<h1>Only a heading</h1><time datetime='2025-03-04'>today</time>", "x.html")
    assert (document.title, document.authored_at) == ("Only a heading", utc(2025, 3, 4))


def test_html_expands_no_entities_and_opens_no_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("do-not-show", encoding="utf-8")
    page = f'<!DOCTYPE x [<!ENTITY a SYSTEM "file://{tmp_path}/secret"><!ENTITY b "&a;&a;&a;">]><p>Hello &a;&b;</p>'
    assert "Hello &a;&b;" in one(page, "x.html").text
    assert "do-not-show" not in one(page, "x.html").text


JSONL = """{"id": 7, "text": "Ada joined.", "title": "News", "date": "2025-03-04", "author": "Bob", "tags": ["hr"]}
{"body": "No id.", "from": "Eve", "created_at": 1741082400}

{"id": "8"}
not json
[1]
{"id": "9", "text": 5}
{"id": true, "text": "x"}
"""


def test_jsonl() -> None:
    documents, bad = split(JSONL, "x.jsonl")
    first = documents.pop("7")
    assert (first.title, first.text, first.author, first.authored_at) == ("News", "Ada joined.", "Bob", utc(2025, 3, 4))
    assert first.metadata == {"tags": ["hr"]}
    ((key, second),) = documents.items()
    assert key.startswith("sha-")
    assert (second.text, second.author, second.authored_at) == ("No id.", "Eve", utc(2025, 3, 4, 10))
    assert [record.reason for record in bad] == ["invalid_record"] * 5
    assert [record.detail.split(":")[0] for record in bad] == ["line 4", "line 5", "line 6", "line 7", "line 8"]
    assert "it has id: set options.text_field" in bad[0].detail


def test_jsonl_field_names_are_options() -> None:
    documents, bad = split('{"nr": "a", "note": "Hi.", "text": "no"}', "x.jsonl", id_field="nr", text_field="note")
    assert (bad, documents["a"].text, documents["a"].metadata) == ([], "Hi.", {"text": "no"})


def test_one_broken_line_costs_no_other() -> None:
    items = load_bytes(b'{"id": 1, "text": "a"}\n{"id": 2, "text": "\xff"}\n' + b"[" * 100_000, name="x.jsonl")
    assert [(item.reason if isinstance(item, BadRecord) else item.key) for item in items] == [
        "encoding", "invalid_record", "1",
    ]  # fmt: skip


def test_json_values_are_tamed() -> None:
    line = '{"id": 1, "text": "a\\u0000b\\ud800", "x": NaN, "y": 1e999, "deep": ' + "[" * 50 + "]" * 50 + "}"
    document = one(line, "x.jsonl")
    assert document.text == "ab\ufffd"
    assert (document.metadata["x"], document.metadata["y"]) == ("nan", "inf")
    assert json.dumps(document.metadata["deep"]).count("[") == 20


@pytest.mark.parametrize("flip", [False, True])
def test_records_that_share_an_id(flip: bool) -> None:  # noqa: FBT001  # pytest passes it
    lines = [
        '{"id": "a", "text": "old", "date": "2025-01-01"}',
        '{"id": "a", "text": "new", "date": "2025-02-01"}',
        '{"id": "a", "text": "undated"}',
        '{"id": "b", "text": "same"}',
        '{"text": "same", "id": "b"}',
        '{"text": "no id"}',
        '{"text": "no id"}',
    ]
    documents, bad = split("\n".join(reversed(lines) if flip else lines), "x.jsonl")
    assert documents["a"].text == "new"
    assert documents["b"].metadata == {"_copies": 2}
    unnamed = sorted(key for key in documents if key.startswith("sha-"))
    assert len(unnamed) == 2
    assert unnamed[1] == f"{unnamed[0]}~2"
    assert [record.reason for record in bad] == ["duplicate_id", "duplicate_id"]
    assert len({record.key for record in bad}) == 2
    assert all(record.key.startswith("a:") for record in bad)


def test_an_id_cannot_pass_for_a_hash_and_copies_cannot_be_claimed() -> None:
    documents, _ = split('{"id": "sha-1", "text": "x", "_copies": 99}', "x.jsonl")
    assert documents["id:sha-1"].metadata == {}


CSV = """id;title;text;date;owner
1;News;"Ada; joined.
She is new.";2025-03-04;Bob
2;Short;one cell too few
3;;Plain.;;

"""


def test_csv() -> None:
    documents, bad = split(CSV, "x.csv")
    assert documents["1"].text == "Ada; joined.\nShe is new."
    assert (documents["1"].title, documents["1"].authored_at) == ("News", utc(2025, 3, 4))
    assert documents["1"].metadata == {"owner": "Bob"}
    assert documents["3"].text == "Plain."
    assert [record.detail.split(":")[0] for record in bad] == ["line 4"]


def test_csv_without_a_text_column_states_its_cells() -> None:
    documents, bad = split("id\tname\trole\tdate\n1\tAda  Osei\tCTO\t2025-03-04\n2\tBob\t\t\n", "x.tsv")
    assert bad == []
    assert documents["1"].text == "name: Ada Osei\nrole: CTO\ndate: 2025-03-04"
    assert documents["1"].authored_at == utc(2025, 3, 4)
    assert documents["2"].text == "name: Bob"


def test_csv_an_unpaired_quote_costs_one_line() -> None:
    documents, bad = split('id,text\n1,"never closed\n2,two\n3,three\n', "x.csv")
    assert {key: item.text for key, item in documents.items()} == {"2": "two", "3": "three"}
    assert [record.detail.split(":")[0] for record in bad] == ["line 2"]


def test_csv_many_unpaired_quotes_end_in_time() -> None:
    items = load_bytes(b"id,text\n" + b'1,"x\n2,"y" z\n' * 2_000, name="x.csv")
    assert items
    assert all(isinstance(item, BadRecord) for item in items)


def test_csv_options() -> None:
    documents, _ = split("k|note\n1|Hi.\n", "x.csv", text_field="note", id_field="k", delimiter="|")
    assert documents["1"].text == "Hi."
    with pytest.raises(LoadError, match="no column 'notes'"):
        split("k|note\n1|Hi.\n", "x.csv", text_field="notes")


EML = b"""From: =?utf-8?q?J=C3=BCrgen_Wei=C3=9F?= <Juergen@acme.example>
To: Ada <ada@acme.example>, bob@acme.example
Date: Tue, 4 Mar 2025 10:00:00 +0100
Subject: Re: Deploy
Message-ID: <m1@acme.example>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: multipart/alternative; boundary="c"

--c
Content-Type: text/html

<p>HTML part</p>
--c
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Das Gr=F6=DFte zuerst.

On Mon, 3 Mar 2025 Ada <ada@acme.example>
wrote:
> Deploy on Friday?
> Really?

Nein.
--=20
J. Wei=DF
Acme
--c--
--b
Content-Type: application/pdf
Content-Disposition: attachment; filename="a.pdf"

JVBERi0=
--b--
"""


def test_eml() -> None:
    document = one(EML, "x.eml")
    assert (document.title, document.author) == ("Re: Deploy", "Jürgen Weiß")
    assert document.authored_at == utc(2025, 3, 4, 9)
    assert document.text == "Das Größte zuerst.\n\nNein."
    assert document.metadata == {
        "author_address": "juergen@acme.example",
        "to": ["Ada <ada@acme.example>", "bob@acme.example"],
        "message_id": "m1@acme.example",
        "attachments": 1,
    }


def test_eml_html_only_and_flowed() -> None:
    head = "From: a@x.example\nContent-Type: "
    assert one(f"{head}text/html\n\n<p>One</p><p>Two</p>", "x.eml").text == "One\n\nTwo"
    parts = "multipart/alternative; boundary=c\n\n--c\nContent-Type: text/plain\n\n \n"
    assert one(f"{head}{parts}--c\nContent-Type: text/html\n\n<p>Rich</p>\n--c--\n", "x.eml").text == "Rich"
    flowed = one(f"{head}text/plain; format=flowed\n\nOne long \nline.\nNext.\n", "x.eml")
    assert flowed.text == "One long line.\nNext."


@pytest.mark.parametrize(
    ("mail", "own"),
    [
        ("Yes.\n\n> Shall we?", "Yes."),
        ("Yes.\n\n-----Original Message-----\nFrom: Bob\n\nShall we?", "Yes."),
        ("> Only a quote.", "> Only a quote."),
        ("Yes.\n-- \nAda\nAcme", "Yes."),
        ("One.\n--\n" + "line\n" * 20, "One.\n--\n" + "line\n" * 19 + "line"),  # a rule, not a signature
        ("The plan for 4 March is this:\nwe wait for\n\n> the quote", "The plan for 4 March is this:\nwe wait for"),
        ("x > y holds.", "x > y holds."),
    ],
)
def test_only_marked_quotes_and_signatures_go(mail: str, own: str) -> None:
    assert own_words(mail) == own


MBOX = """From a@x Tue Mar  4 10:00:00 2025
From: Ada <a@x.example>
Message-ID: <1@x>
Date: Tue, 4 Mar 2025 10:00:00 +0000

>From now on we ship.

From b@x Tue Mar  4 11:00:00 2025
From: Bob <b@x.example>

No id.

"""


def test_mbox() -> None:
    documents, bad = split(MBOX, "x.mbox")
    assert bad == []
    assert documents["1@x"].text == "From now on we ship."
    assert documents["1@x"].author == "Ada"
    (other,) = documents.keys() - {"1@x"}
    assert other.startswith("sha-")
    with pytest.raises(LoadError, match="not an mbox"):
        split("Hello", "x.mbox")


def test_eml_needs_a_header() -> None:
    with pytest.raises(LoadError, match="no mail header"):
        one("\nJust text", "x.eml")


def test_chat() -> None:
    chat = {
        "channel": "ops",
        "messages": [
            {"user": "Ada", "ts": "2025-03-04T10:00:00Z", "text": "Deploy  hangs.\n\nAgain."},
            {"user": "Bob", "ts": "2025-03-04T11:00:00+01:00", "text": ""},
            {"ts": "never", "text": "A bot."},
            "broken",
        ],
    }
    documents, bad = split(json.dumps(chat), "x.json")
    document = documents[""]
    assert document.text == "Ada: Deploy  hangs.\nAgain.\n\nA bot."
    assert document.turns == (Turn(0, 26, "Ada", utc(2025, 3, 4, 10)), Turn(28, 34, "", None))
    assert [document.text[turn.start : turn.end] for turn in document.turns] == document.text.split("\n\n")
    assert (document.title, document.authored_at) == ("ops", utc(2025, 3, 4, 10))
    assert document.metadata == {"channel": "ops", "skipped_messages": 1}
    assert [(record.reason, record.detail) for record in bad] == [
        ("invalid_record", "message 4 is not an object with a text"),
    ]


def test_slack_export() -> None:
    messages = [
        {"type": "message", "subtype": "channel_join", "user": "U1", "ts": "1741082390.000100", "text": "joined"},
        {
            "type": "message", "user": "U1", "ts": "1741082400.000100", "user_profile": {"real_name": "Ada Osei"},
            "text": "<@U2> see <https://x.example|the plan> &amp; <https://y.example> <!here>",
        },
        {
            "type": "message", "user": "U2", "ts": "1741082460.5", "text": "ok",
            "user_profile": {"real_name": "", "display_name": "bob"},
        },
        {"type": "message", "user": "U1", "ts": "1741082470", "text": "<@U9>?"},
    ]  # fmt: skip
    document = one(json.dumps(messages), "2025-03-04.json")
    assert document.text == "Ada Osei: @bob see the plan & https://y.example here\n\nbob: ok\n\nAda Osei: @U9?"
    assert [turn.speaker for turn in document.turns] == ["Ada Osei", "bob", "Ada Osei"]
    assert document.turns[1].at == utc(2025, 3, 4, 10, 1, 0, 500_000)
    assert document.metadata == {"skipped_messages": 1}


@pytest.mark.parametrize(
    ("data", "reason"), [("{}", "invalid_record"), ("{", "damaged"), ('{"messages": 1}', "invalid_record")]
)
def test_json_that_is_no_chat(data: str, reason: str) -> None:
    with pytest.raises(LoadError) as caught:
        one(data, "x.json")
    assert caught.value.reason == reason


def make_pdf(*pages: list[str]) -> bytes:
    """Returns a PDF of the lines, written by hand: no library here writes text."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for lines in pages:
        shown = " ".join(f"({line}) Tj T*" for line in lines)
        stream = f"BT /F1 12 Tf 14 TL 72 700 Td {shown} ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        content = len(objects)
        resources = "/Resources << /Font << /F1 3 0 R >> >>"
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {resources} /Contents {content} 0 R >>")
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>"
    info = "<< /Title (Capacity plan) /Author (Ada Osei) /CreationDate (D:20250304101500+01'00') >>"
    objects.append(info)
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    trailer = f"trailer\n<< /Size {size} /Root 1 0 R /Info {len(objects)} 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return out + f"xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}".encode("latin-1")


def test_pdf() -> None:
    first = ["Capacity plan", "The data center in Hamburg has room for forty more ser-", "vers and one rack.", "1"]
    document = one(make_pdf(first, ["Second page.", "2"]), "x.pdf")
    assert document.text == (
        "Capacity plan\n\nThe data center in Hamburg has room for forty more servers and one rack.\n\nSecond page."
    )
    assert (document.title, document.author) == ("Capacity plan", "Ada Osei")
    assert document.authored_at == utc(2025, 3, 4, 9, 15)
    assert document.metadata == {"pages": 2}


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (
            "One full line of the page here\n- item one\n- item two",
            "One full line of the page here\n\n- item one\n\n- item two",
        ),
        ("A first.\n\nA second.", "A first.\n\nA second."),
        ("Alone", "Alone"),
        ("12", "12"),
        ("", ""),
    ],
)
def test_pdf_paragraphs(raw: str, text: str) -> None:
    assert page_text(raw) == text


def test_pdf_password_and_damage() -> None:
    from io import BytesIO

    from pypdf import PdfReader, PdfWriter

    whole = make_pdf(["Secret."])
    for password, reason in (("pass", "password"), ("", None)):
        writer = PdfWriter(clone_from=PdfReader(BytesIO(whole)))
        writer.encrypt(user_password=password, owner_password="owner", algorithm="AES-256")  # noqa: S106  # a sample
        locked = BytesIO()
        writer.write(locked)
        if reason is None:
            assert one(locked.getvalue(), "x.pdf").text == "Secret."
        else:
            with pytest.raises(LoadError) as caught:
                one(locked.getvalue(), "x.pdf")
            assert caught.value.reason == reason
    with pytest.raises(LoadError) as caught:
        one(whole[: len(whole) // 3], "x.pdf")
    assert caught.value.reason == "damaged"


def test_the_loader_is_told_by_name() -> None:
    assert loader_name("A.MD") == "markdown"
    with pytest.raises(LoadError, match=r"no loader for '\.docx'; known: \.md, .*\.pdf") as caught:
        loader_name("a.docx")
    assert caught.value.reason == "unknown_format"
    assert loader_name("a.docx", "text") == "text"


@pytest.mark.parametrize("loader", sorted(LOADERS))
def test_nothing_in_it_is_empty(loader: str) -> None:
    try:
        items = load_bytes(b"", name="x", loader=loader)
    except LoadError as error:
        assert error.reason in {"empty", "damaged"}  # noqa: PT017  # either outcome is right
    else:
        assert [item.text for item in items if isinstance(item, LoadedDocument)] == [""]


def test_unknown_options_are_named() -> None:
    assert option_faults("csv", {"text_field": "x", "delimiter": ";", "encoding": "cp1252"}) == []
    (fault,) = option_faults("markdown", {"text_field": "x"})
    assert fault == "unknown option 'text_field'; markdown knows encoding"
    assert option_faults("auto", {"delimiter": ";;"}) == ["option 'delimiter' must be one character"]
    assert option_faults("jsonl", {"id_field": 3}) == ["option 'id_field' must be text"]

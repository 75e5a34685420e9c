"""The command: what it prints, for people and programs, and its exit codes."""

from __future__ import annotations

import json
import sys

import polars as pl
import pytest

from dagster_project.cli import main
from tierlake.lake import Lake
from tierlake.manifest import read_published

TOML = """
default_bank = "acme"
[lake]
root = "lake"
[dagster]
home = "home"
[[sources]]
name = "notes"
path = "notes"
bank = "acme"
[[sources]]
name = "book"
path = "book"
bank = "acme"
tier = "tier_wisdom"
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    root = tmp_path_factory.mktemp("project")
    (root / "tierlake.toml").write_text(TOML, encoding="utf-8")
    (root / "notes").mkdir()
    (root / "notes" / "ann.txt").write_text("Ann Lee works at Initech. She leads the deploy team.", encoding="utf-8")
    (root / "notes" / "broken.pdf").write_bytes(b"%PDF-1.7 cut off")
    (root / "book").mkdir()
    (root / "book" / "deploy.md").write_text("# Deploys\n\nWe deploy on Mondays.", encoding="utf-8")
    return root


@pytest.fixture
def tierlake(project, monkeypatch, capsys):
    """Runs the command in this process over the project; gives exit code, output and errors."""

    def run(*arguments: str, config: str = "tierlake.toml") -> tuple[int, str, str]:
        command = ["tierlake", *arguments, "--config", str(project / config)]
        monkeypatch.setattr(sys, "argv", command)
        with pytest.raises(SystemExit) as stopped:
            main()
        said = capsys.readouterr()
        return int(stopped.value.code or 0), said.out, said.err

    return run


@pytest.fixture(scope="module")
def ran(project):
    """Runs the pipeline once for the module."""
    sys.argv = ["tierlake", "run", "--json", "--config", str(project / "tierlake.toml")]
    with pytest.raises(SystemExit) as stopped:
        main()
    assert not stopped.value.code
    return project


@pytest.mark.usefixtures("ran")
def test_run_lists_every_asset_and_a_second_run_changes_nothing(tierlake):
    code, before, _ = tierlake("tables", "--json")
    assert code == 0
    code, out, _ = tierlake("run", "--json")
    (run,) = json.loads(out)
    rows = {row["asset"]: row for row in run["rows"]}
    assert (code, run["success"], run["bank"]) == (0, True, "acme")
    assert (rows["documents"]["rows"], rows["facts"]["rows"], rows["quarantine"]["rows"]) == (2, 3, 1)
    assert {row["changed"] for row in rows.values()} <= {0, None}
    assert json.loads(tierlake("tables", "--json")[1]) == json.loads(before)


@pytest.mark.usefixtures("ran")
def test_run_for_people_is_a_table(tierlake):
    code, out, _ = tierlake("run")
    assert code == 0
    assert "bank acme" in out
    assert [line for line in out.splitlines() if "facts" in line and "3" in line]


@pytest.mark.usefixtures("ran")
def test_read_in_json_has_scores_and_reasons(tierlake):
    code, out, _ = tierlake(
        "read", "deploy", "--weight", "tier_wisdom=2", "--floor", "tier_fact=1", "--include-entities", "--json"
    )
    found = json.loads(out)
    assert code == 0
    assert {fact["tier"] for fact in found["facts"]} == {"tier_wisdom", "tier_fact"}
    for fact in found["facts"]:
        why = found["explanations"][fact["fact_id"]]
        assert found["fact_scores"][fact["fact_id"]] == pytest.approx(why["base"] * why["weight"])
        assert why["reason"] == "rank"
        assert {"title", "body", "confidence", "tags", "updated_at", "quote", "uri"} <= set(fact)
    assert "Ann Lee" in {entity["canonical_name"] for entity in found["entities"].values()}
    assert found["metadata"]["tier_weights"] == {"tier_wisdom": 2, "tier_fact": 1, "tier_working": 1}


@pytest.mark.usefixtures("ran")
def test_read_and_explain_for_people(tierlake):
    code, out, _ = tierlake("read", "deploy")
    assert (code, "We deploy on Mondays." in out, "book/deploy.md" in out) == (0, True, True)
    code, out, _ = tierlake("explain", "entity", "ann lee")
    assert (code, "Ann Lee (person)" in out, "no candidate" in out) == (0, True, True)
    code, out, _ = tierlake("explain", "entity", "Ann Lee", "--json")
    assert json.loads(out)["entities"][0]["canonical_name"] == "Ann Lee"


@pytest.mark.usefixtures("ran")
def test_quarantine_says_what_and_why(tierlake):
    code, out, _ = tierlake("quarantine", "--json")
    (row,) = json.loads(out)
    assert (code, row["uri"], row["reason"], row["transient"]) == (0, "notes/broken.pdf", "damaged", False)
    assert "notes/broken.pdf" in tierlake("quarantine")[1]


@pytest.mark.parametrize(
    ("arguments", "config", "code", "words"),
    [
        (["read", "x", "--bank", "acne"], "tierlake.toml", 2, "Did you mean acme"),
        (["read", "x"], "missing.toml", 2, "no such file"),
        (["read", "x", "--floor", "tier_fact=99"], "tierlake.toml", 2, "more than max_results 10"),
        (["read", "x", "--weight", "heavy"], "tierlake.toml", 2, "is not ID=NUMBER"),
        (["explain", "entity", "An Lee"], "tierlake.toml", 2, "Did you mean Ann Lee"),
        (["evaluate", "ranking"], "tierlake.toml", 1, "gold"),
    ],
)
@pytest.mark.usefixtures("ran")
def test_errors_say_what_to_do(tierlake, arguments, config, code, words):
    got, _, err = tierlake(*arguments, config=config)
    assert (got, words in " ".join(err.split()), "Traceback" in err) == (code, True, False)


def test_reading_before_the_first_run_says_so(project, tierlake):
    (project / "other.toml").write_text(TOML.replace('"lake"', '"nowhere"'), encoding="utf-8")
    code, _, err = tierlake("read", "x", config="other.toml")
    assert (code, "tierlake run" in err) == (1, True)


def test_a_source_that_is_missing_fails_and_keeps_the_tables(project, tierlake):
    (project / "gone.toml").write_text(TOML.replace('path = "book"', 'path = "vanished"'), encoding="utf-8")
    code, out, _ = tierlake("run", "--json", config="gone.toml")
    (run,) = json.loads(out)
    assert (code, run["success"]) == (1, False)
    assert "vanished" in run["failures"][0]["message"]


@pytest.mark.usefixtures("ran")
def test_a_failed_check_publishes_nothing(project, tierlake):
    """A stored document that another hand has robbed of its uri: the run stops, readers keep what they had."""
    lake = Lake(str(project / "lake"))
    before = read_published(lake.root, "acme")
    good = lake.read("documents", "acme")
    lake.write("documents", "acme", good.with_columns(uri=pl.lit(None, pl.String)))
    code, out, _ = tierlake("run", "--json")
    (run,) = json.loads(out)
    assert (code, run["success"], run["failures"]) == (3, False, [])
    assert [check["table"] for check in run["failed_checks"] if check["blocking"]] == ["documents"]
    assert "Nothing was published" in tierlake("run")[1]
    assert read_published(lake.root, "acme") == before
    lake.write("documents", "acme", good)
    assert tierlake("run", "--json")[0] == 0


@pytest.mark.parametrize("command", [[], ["run"], ["read"], ["explain", "entity"], ["tables"], ["quarantine"], ["ui"]])
def test_help_teaches(command, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["tierlake", *command, "--help"])
    with pytest.raises(SystemExit) as stopped:
        main()
    out = capsys.readouterr().out
    assert not stopped.value.code
    assert "Usage" in out
    assert len(out.splitlines()) > 8

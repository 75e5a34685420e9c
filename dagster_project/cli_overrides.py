"""`tierlake override ...`: decisions of people, appended to a file that the next run reads; to undo one adds a row."""

from __future__ import annotations

from datetime import UTC, datetime
from getpass import getuser
from typing import Annotated

import polars as pl
import typer

from dagster_project.cli_options import Bank, Config, Json, open_lake, print_json
from tierlake.config import Settings
from tierlake.errors import UnknownNameError
from tierlake.lake import Lake
from tierlake.overrides import What, append_override, load_overrides

app = typer.Typer(
    no_args_is_help=True,
    help="Correct the memory: who is the same, who is not. A decision is a line in data/overrides; the next run "
    "applies it, and `undo` withdraws it.",
)
Why = Annotated[str, typer.Option("--why", help="The reason, for those who read it later.")]
Who = Annotated[str | None, typer.Option("--who", help="Who decides. Default: the user of this machine.")]
First = Annotated[str, typer.Argument(help="A name or an entity id.")]
Second = Annotated[str, typer.Argument(help="The other name or entity id.")]


@app.command()
def same(one: First, other: Second, why: Why, who: Who = None, bank: Bank = None, config: Config = None) -> None:
    """Say that two entities are one."""
    _decide("same", [one, other], why, who, bank, config)


@app.command()
def different(one: First, other: Second, why: Why, who: Who = None, bank: Bank = None, config: Config = None) -> None:
    """Say that two names or entities are not one, whatever the score."""
    _decide("different", [one, other], why, who, bank, config)


@app.command()
def alias(one: First, other: Second, why: Why, who: Who = None, bank: Bank = None, config: Config = None) -> None:
    """Say that a name stands for another, also where it does not occur yet."""
    _decide("alias", [one, other], why, who, bank, config, known=False)


@app.command()
def block(
    name: Annotated[str, typer.Argument(help="The name.")],
    why: Why,
    who: Who = None,
    bank: Bank = None,
    config: Config = None,
) -> None:
    """Say that a name is no entity."""
    _decide("block", [name], why, who, bank, config, known=False)


@app.command()
def undo(
    override_id: Annotated[str, typer.Argument(help="The id that `tierlake override list` shows.")],
    why: Why,
    who: Who = None,
    bank: Bank = None,
    config: Config = None,
) -> None:
    """Withdraw a decision."""
    settings, _ = open_lake(config)
    chosen = settings.bank(bank)
    known = load_overrides(settings, chosen).filter(pl.col("undone_by").is_null())["override_id"].to_list()
    if override_id not in known:
        raise UnknownNameError("override in force", override_id, known)
    _append(settings, chosen, "undo", [override_id], why, who)


@app.command("list")
def list_overrides(bank: Bank = None, as_json: Json = False, config: Config = None) -> None:
    """List the decisions of a bank, those that were withdrawn marked."""
    from dagster_project import render

    settings, _ = open_lake(config)
    rows = load_overrides(settings, settings.bank(bank)).sort("when", "override_id").to_dicts()
    if as_json:
        print_json([{key: render.iso(value) for key, value in row.items()} for row in rows])
    else:
        render.overrides(rows)


def _decide(
    what: What, given: list[str], why: str, who: str | None, bank: str | None, config: Config, *, known: bool = True
) -> None:
    settings, lake = open_lake(config)
    chosen = settings.bank(bank)
    which = [_meant(lake, chosen, name) for name in given] if known else given
    _append(settings, chosen, what, which, why, who)


def _meant(lake: Lake, bank: str, name: str) -> str:
    """Returns the name or id as given where it means one entity; an ambiguous or unknown one is an error."""
    from tierlake.explain import explain_entity

    tables = ("entities", "resolutions", "mentions", "facts")
    frames = {table: lake.read(table, bank) for table in tables}
    found = explain_entity(name, redirects=lake.read("entity_redirects", bank), **frames).entities
    if len(found) > 1:
        listed = ", ".join(f"{each.entity_id} ({each.canonical_name}, {len(each.mentions)} mentions)" for each in found)
        raise typer.BadParameter(f"{name!r} means {len(found)} entities; name one by its id: {listed}")
    return name


def _append(settings: Settings, bank: str, what: What, which: list[str], why: str, who: str | None) -> None:
    row = append_override(settings, bank, what, which, why=why, who=who or getuser(), when=datetime.now(UTC))
    typer.echo(f"{row['override_id']}: {what} {', '.join(which)}. The next `tierlake run` applies it.")

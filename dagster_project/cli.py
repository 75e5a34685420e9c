"""The `tierlake` command."""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version as installed_version
from typing import Annotated, NoReturn

import typer

from dagster_project import cli_overrides
from dagster_project.cli_options import Bank, Config, Json, open_lake, print_json
from tierlake.config import load_settings
from tierlake.errors import ConfigError, InvalidReadOptions, TierlakeError, UnknownNameError

EXIT_FAILED, EXIT_USAGE, EXIT_CHECKS = 1, 2, 3

app = typer.Typer(
    name="tierlake",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
explain_app = typer.Typer(no_args_is_help=True, help="Say why the memory holds what it holds.")
evaluate_app = typer.Typer(no_args_is_help=True, help="Measure against labeled data, offline.")
app.add_typer(explain_app, name="explain")
app.add_typer(evaluate_app, name="evaluate")
app.add_typer(cli_overrides.app, name="override")


def _print_version(wanted: bool) -> None:  # noqa: FBT001  # typer calls it with the option's value
    if wanted:
        typer.echo(installed_version("tierlake"))
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[  # its callback has done all
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """A batch memory lakehouse: documents in, ranked and explained memory out.

    Start with `tierlake run`, then `tierlake read "your question"`.
    """


@app.command()
def run(
    bank: Annotated[list[str] | None, typer.Option("--bank", help="Only this bank; may be given again.")] = None,
    drain: Annotated[
        bool, typer.Option("--drain", help="Also summarize every entity that waits in the backlog.")
    ] = False,
    as_json: Json = False,
    config: Config = None,
) -> None:
    """Materialize every table of every bank: read what changed, recompute what follows, check, publish.

    Running it again without a change writes nothing. Exit code 3: a check failed, and readers keep the last good set.
    """
    from dagster_project import render
    from dagster_project.runs import execute_ingest

    settings, _ = open_lake(config)
    banks = [settings.bank(name) for name in bank] if bank else None
    with render.run_progress() as on_step:
        runs = execute_ingest(settings, banks, drain=drain, on_step=on_step)
    if as_json:
        print_json([asdict(one) for one in runs])
    else:
        render.runs(runs)
    if not all(one.success for one in runs):
        only_checks = all(one.success or (one.failed_checks and not one.failures) for one in runs)
        raise typer.Exit(EXIT_CHECKS if only_checks else EXIT_FAILED)


@app.command()
def read(
    query: Annotated[str, typer.Argument(help="What to look for, in words. Empty: the newest facts.")],
    ids: Annotated[
        list[str] | None,
        typer.Option(
            "--id", help="A tier or an entity id; may be given again. Default: every tier.", show_default=False
        ),
    ] = None,
    weight: Annotated[list[str] | None, typer.Option("--weight", help="ID=W: multiply the id's scores by W.")] = None,
    floor: Annotated[list[str] | None, typer.Option("--floor", help="ID=N: at least N facts of the id.")] = None,
    max_results: Annotated[int, typer.Option("--max-results", help="How many facts at most.")] = 10,
    include_entities: Annotated[
        bool, typer.Option("--include-entities", help="Also the entities of the facts, with their observations.")
    ] = False,
    include_zero_weight: Annotated[
        bool, typer.Option("--include-zero-weight", help="Let ids of weight 0 fill up at the bottom.")
    ] = False,
    as_of: Annotated[
        str | None, typer.Option("--as-of", help="Read the memory as it was: a run id, a version or a time.")
    ] = None,
    bank: Bank = None,
    as_json: Json = False,
    config: Config = None,
) -> None:
    """Read ranked facts from the published tables, with scores and why each is in.

    Example: tierlake read "deploy process" --weight tier_wisdom=2 --floor tier_wisdom=1
    """
    from dagster_project import render
    from tierlake.read.memory import Memory

    settings, lake = open_lake(config)
    memory = Memory.open(lake.root, bank=settings.bank(bank), as_of=as_of)
    bundle = memory.read(
        ids or list(settings.tiers),
        query,
        max_results=max_results,
        tier_weights=_pairs("weight", weight),
        tier_floors=_pairs("floor", floor),
        include_zero_weight_entities=include_zero_weight,
        include_entities=include_entities,
    )
    if as_json:
        print_json(bundle.to_dict())
    else:
        render.bundle(bundle)


def _pairs(option: str, given: list[str] | None) -> dict[str, float] | None:
    """Returns ID=NUMBER options as a mapping."""
    if given is None:
        return None
    pairs = {}
    for text in given:
        name, _, number = text.rpartition("=")
        try:
            pairs[name] = float(number)
        except ValueError:
            name = ""
        if not name:
            raise typer.BadParameter(f"{text!r} is not ID=NUMBER, e.g. tier_wisdom=2", param_hint=f"--{option}")
    return pairs


@explain_app.command("entity")
def explain_entity_command(
    name: Annotated[str, typer.Argument(help="A name, or an entity id (an old one follows its redirect).")],
    bank: Bank = None,
    as_json: Json = False,
    config: Config = None,
) -> None:
    """Say which names are one entity, by which rule and score, and which facts they stand in."""
    from dagster_project import render
    from tierlake.explain import explain_entity

    settings, lake = open_lake(config)
    chosen = settings.bank(bank)
    tables = ("entities", "resolutions", "mentions", "facts")
    frames = {table: lake.read(table, chosen) for table in tables}
    explanation = explain_entity(name, redirects=lake.read("entity_redirects", chosen), **frames)
    if as_json:
        print_json(explanation.to_dict())
    else:
        render.explanation(explanation)


@app.command()
def tables(bank: Bank = None, as_json: Json = False, config: Config = None) -> None:
    """List the tables of the lake: rows of each bank, Delta version, last write."""
    from dagster_project import render
    from transforms.schemas import TABLES

    settings, lake = open_lake(config)
    banks = [settings.bank(bank)] if bank else settings.banks
    rows = []
    for name in TABLES:
        delta = lake.delta(name)
        if delta is None:
            continue
        # Delta's history counts milliseconds since 1970.
        last = datetime.fromtimestamp(delta.history(limit=1)[0]["timestamp"] / 1000, UTC)
        counts = {one: lake.count(name, one) for one in banks}
        rows.append({"table": name, "version": delta.version(), "rows": counts, "written_at": render.iso(last)})
    if as_json:
        print_json(rows)
    else:
        render.tables(rows, banks)


@app.command()
def quarantine(bank: Bank = None, as_json: Json = False, config: Config = None) -> None:
    """List what could not be processed, why, and whether the next run tries again."""
    from dagster_project import render

    settings, lake = open_lake(config)
    banks = [settings.bank(bank)] if bank else settings.banks
    rows = [row for one in banks for row in lake.read("quarantine", one).iter_rows(named=True)]
    if as_json:
        print_json([{key: render.iso(value) for key, value in row.items()} for row in rows])
    else:
        render.quarantine(rows)


@app.command()
def review(bank: Bank = None, as_json: Json = False, config: Config = None) -> None:
    """List near misses: names that just became one entity, or just did not. `tierlake override` decides them."""
    from dagster_project import render
    from tierlake.explain import near_misses

    settings, lake = open_lake(config)
    chosen = settings.bank(bank)
    near = near_misses(
        resolutions=lake.read("resolutions", chosen),
        mentions=lake.read("mentions", chosen),
        entities=lake.read("entities", chosen),
        threshold=settings.resolution.threshold,
    )
    rows = near.to_dicts()
    if as_json:
        print_json(rows)
    else:
        render.review(rows)


@evaluate_app.command("ranking")
def evaluate_ranking_command(bank: Bank = None, as_json: Json = False, config: Config = None) -> None:
    """Print nDCG@10, recall, MRR and hits of the published bank over the labeled queries, beside plain BM25."""
    from tierlake.evaluation.run import evaluate_bank

    settings, lake = open_lake(config)
    evaluation = evaluate_bank(lake, settings, settings.bank(bank))
    if as_json:
        print_json(evaluation.to_dict())
    else:
        evaluation.print()


@app.command()
def ui(
    port: Annotated[int, typer.Option("--port", help="Port on 127.0.0.1; 0 takes a free one.")] = 3000,
    config: Config = None,
) -> None:
    """Start the Dagster UI, schedules and sensors over the same runs as `tierlake run`. Ends with Ctrl-C."""
    from dagster_project.home import serve_ui
    from tierlake.config import find_config

    file = find_config(config).resolve()
    raise typer.Exit(serve_ui(load_settings(file), file, port))


def _fail(error: Exception, code: int) -> NoReturn:
    typer.secho(f"tierlake: {error}", err=True, fg="red")
    sys.exit(code)


def main() -> None:
    """Runs the command; an expected error is one message on standard error and an exit code, never a traceback."""
    try:
        app()
    except (ConfigError, UnknownNameError, InvalidReadOptions) as error:
        _fail(error, EXIT_USAGE)
    except TierlakeError as error:
        _fail(error, EXIT_FAILED)


if __name__ == "__main__":
    main()

"""Tables for people on a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from dagster_project.runs import BankRun
    from tierlake.explain import EntityExplanation
    from tierlake.read.memory import Bundle

_console = Console()
# Tasks and events that stand below an answer; all of them are in --json.
SHOWN_WORK: Final = 3


def iso(value: Any) -> Any:
    """Returns a time as ISO 8601 in UTC; anything else as it is."""
    return value.astimezone(UTC).isoformat(timespec="seconds") if isinstance(value, datetime) else value


@contextmanager
def run_progress() -> Iterator[Callable[[str, int, int], None]]:
    """Gives a function that shows which asset runs, on a terminal; silent elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda *_: None
        return
    with console.status("starting") as status:
        yield lambda name, done, total: status.update(f"{name} ({done}/{total})")


def runs(done: Sequence[BankRun]) -> None:
    """Prints what each bank's run made: asset, rows, Delta version, changed rows, seconds."""
    for run in done:
        table = Table(title=f"bank {run.bank}", title_justify="left")
        for column, justify in (("asset", "left"), ("rows", "right"), ("version", "right"), ("changed", "right")):
            table.add_column(column, justify=justify)  # type: ignore[arg-type]  # a literal type behind a loop
        table.add_column("seconds", justify="right")
        empty = []
        for row in run.rows:
            if row.rows == 0:
                empty.append(row.asset)
                continue
            version = "" if row.delta_version is None else str(row.delta_version)
            changed = "" if row.changed is None else str(row.changed)
            table.add_row(row.asset, str(row.rows), version, changed, f"{row.seconds:.2f}")
        _console.print(table)
        if empty:
            _console.print(f"no rows yet: {', '.join(empty)}", style="dim")
        for check in run.failed_checks:
            _console.print(f"check failed: {check}", style="red")
        for failure in run.failures:
            _console.print(
                f"{failure.asset} failed: {escape(failure.message)}\n  next: {failure.next_step}", style="red"
            )
        waiting = next((row.rows for row in run.rows if row.asset == "quarantine"), 0)
        if waiting:
            _console.print(f"{waiting} item(s) in quarantine: tierlake quarantine says why", style="yellow")
        if not run.success:
            _console.print("Nothing was published: readers keep the last good set.", style="red")


def bundle(found: Bundle) -> None:
    """Prints ranked facts with score, reason and source; then tasks, events and entities."""
    table = Table(expand=True)
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("tier", no_wrap=True)
    table.add_column("fact, and where it stands", ratio=1)
    table.add_column("why", no_wrap=True)
    for fact in found.facts:
        score = found.fact_scores.get(fact.fact_id)
        why = found.explanations.get(fact.fact_id)
        table.add_row(
            "" if score is None else f"{score:.4f}",
            fact.tier,
            f"{escape(fact.body)}\n[dim]{escape(fact.uri)}[/dim]",
            "" if why is None else why.reason,
        )
    nothing = "No fact matches. Try other words, or `tierlake tables` to see what is there."
    _console.print(table if found.facts else nothing)
    if found.facts:
        _work(found)
    for entity in found.entities.values():
        text = " ".join(observation.text for observation in entity.observations)
        _console.print(f"{entity.canonical_name} ({entity.kind}) {text}", markup=False)


def _work(found: Bundle) -> None:
    """Prints the first open tasks and the last events of the ids that were read, whatever the query."""
    shown = found.tasks[:SHOWN_WORK]
    if shown:
        _console.print(f"open tasks of these ids, first {len(shown)} of {len(found.tasks)}:", style="dim")
    for task in shown:
        _console.print(f"  [P{task.priority}] {task.description} ({task.status})", markup=False)
    events = found.events[-SHOWN_WORK:]
    if events:
        _console.print(f"events of these ids, last {len(events)} of {len(found.events)}:", style="dim")
    for event in events:
        _console.print(f"  {iso(event.at)[:10]} {event.summary}", markup=False)


def explanation(found: EntityExplanation) -> None:
    """Prints why an entity's mentions are one thing."""
    for entity in found.entities:
        _console.print(f"\n{entity.canonical_name} ({entity.kind}), {entity.entity_id}", style="bold", markup=False)
        for mention in entity.mentions:
            parts = (mention.name, mention.cooccurrence, mention.temporal)
            names = ("name", "co-occurrence", "temporal")
            shown = ", ".join(f"{name} {part:.3f}" for name, part in zip(names, parts, strict=True) if part is not None)
            total = "" if mention.total is None else f" {mention.total:.3f} ({shown})"
            runner_up = (
                "" if mention.runner_up is None else f"; next {mention.runner_up_name} {mention.runner_up_total:.3f}"
            )
            _console.print(f"  {mention.surface}: {mention.method}{total}{runner_up}", markup=False)
            _console.print(f"    why   {mention.reason}", markup=False, style="dim")
            _console.print(f"    fact  {mention.fact_title}", markup=False, style="dim")


def tables(rows: Sequence[dict[str, Any]], banks: Sequence[str]) -> None:
    """Prints the lake's tables with the rows of each bank."""
    table = Table()
    table.add_column("table")
    for bank in banks:
        table.add_column(bank, justify="right")
    table.add_column("version", justify="right")
    table.add_column("last write")
    for row in rows:
        counts = [str(row["rows"][bank]) for bank in banks]
        table.add_row(row["table"], *counts, str(row["version"]), str(row["written_at"]))
    _console.print(table if rows else "The lake is empty. Run `tierlake run`.")


def quarantine(rows: Sequence[dict[str, Any]]) -> None:
    """Prints what could not be processed and what happens next."""
    table = Table(expand=True)
    for name in ("bank", "stage", "reason", "tries", "next try"):
        table.add_column(name, no_wrap=True)
    table.add_column("what and why", ratio=1, overflow="fold")
    for row in rows:
        waits = "next run" if row["transient"] else "on change"
        what = f"{escape(row['uri'] or row['item'])}\n[dim]{escape(row['detail'])}[/dim]"
        table.add_row(row["bank_id"], row["stage"], row["reason"], str(row["attempts"]), waits, what)
    _console.print(table if rows else "Nothing is in quarantine.")


def review(rows: Sequence[dict[str, Any]]) -> None:
    """Prints near misses, with the command that would decide each."""
    for row in rows:
        if row["decision"] == "joined":
            _console.print(f"{row['total']:.3f}  {row['surface']} just joined {row['entity']}", markup=False)
            hint = f"tierlake override different {_quoted(row['surface'])} {_quoted(row['entity'])} --why ..."
        else:
            _console.print(
                f"{row['total']:.3f}  {row['surface']} ({row['entity']}) just missed {row['other']}", markup=False
            )
            hint = f"tierlake override same {_quoted(row['entity'])} {_quoted(row['other'])} --why ..."
        _console.print(f"       {hint}", markup=False, style="dim")
    if not rows:
        _console.print("No decision was close.")


def _quoted(name: str) -> str:
    return shlex.quote(name)


def overrides(rows: Sequence[dict[str, Any]]) -> None:
    """Prints decisions, oldest first."""
    for row in rows:
        state = f", undone by {row['undone_by']}" if row["undone_by"] else ""
        value = f" = {row['value']}" if row["value"] else ""
        _console.print(f"{row['override_id']}  {row['what']} {' | '.join(row['which'])}{value}{state}", markup=False)
        _console.print(f"    {iso(row['when'])[:10]} {row['who']}: {row['why']}", markup=False, style="dim")
    if not rows:
        _console.print("No decision was written down.")

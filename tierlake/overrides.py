"""Human decisions: rows of `data/overrides/*.jsonl`, append-only; undoing one is a row too."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import polars as pl
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tierlake.config import Settings
from tierlake.errors import ConfigError
from transforms.ids import stable_id
from transforms.schemas import OVERRIDES, conform

What = Literal["alias", "same", "different", "block", "label", "retract", "promote", "undo"]


class Override(BaseModel):
    """One line of an overrides file."""

    model_config = ConfigDict(extra="forbid")

    override_id: str | None = None
    bank: str
    what: What
    which: Annotated[list[str], Field(min_length=1)]
    value: str | None = None
    who: str
    when: datetime
    why: str

    def row(self) -> dict[str, Any]:
        """Returns the row of the table, not yet undone."""
        when = self.when if self.when.tzinfo else self.when.replace(tzinfo=UTC)
        given = self.override_id or stable_id(self.what, *self.which, self.value or "", self.who, when.isoformat())
        return {
            "bank_id": self.bank,
            "override_id": given,
            "what": self.what,
            "which": self.which,
            "value": self.value,
            "who": self.who,
            "when": when.astimezone(UTC),
            "why": self.why,
            "undone_by": None,
        }


def load_overrides(settings: Settings, bank: str) -> pl.DataFrame:
    """Returns a bank's decisions, those that an `undo` names marked with its id.

    Args:
        settings: Where the files are (`[overrides] path`), and which tiers exist.
        bank: The bank.

    Raises:
        ConfigError: A line cannot be understood, an id stands twice, or an undo names none; all are listed.
    """
    folder = settings.path(settings.overrides.path)
    faults: list[str] = []
    rows: list[dict[str, Any]] = []
    for file in sorted(folder.glob("*.jsonl")):
        rows += _file_rows(file, settings, faults)
    rows = [row for row in rows if row["bank_id"] == bank]
    undo = {row["which"][0]: row["override_id"] for row in rows if row["what"] == "undo"}
    known = [row["override_id"] for row in rows]
    faults += [f"override_id {name!r} stands {known.count(name)} times" for name in set(known) if known.count(name) > 1]
    faults += [
        f"undo {by!r} names {name!r}, which is no override of bank {bank}"
        for name, by in undo.items()
        if name not in known
    ]
    if faults:
        raise ConfigError(folder, sorted(faults))
    rows = [{**row, "undone_by": undo.get(row["override_id"])} for row in rows]
    return conform(pl.DataFrame(rows, schema=OVERRIDES.schema), OVERRIDES)


def _file_rows(file: Path, settings: Settings, faults: list[str]) -> list[dict[str, Any]]:
    rows = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            override = Override.model_validate(json.loads(line))
        except (ValueError, ValidationError) as error:
            problems = (
                "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
                if isinstance(error, ValidationError)
                else f"not JSON: {error}"
            )
            faults.append(f"{file.name}:{number}: {problems}")
            continue
        if override.what == "promote" and override.value not in settings.tiers:
            faults.append(f"{file.name}:{number}: promote needs value, one of {list(settings.tiers)}")
        rows.append(override.row())
    return rows


def append_override(  # each is a column of the row
    settings: Settings, bank: str, what: What, which: list[str], *, why: str, who: str, when: datetime
) -> dict[str, Any]:
    """Returns the row of a new decision after appending it to the bank's file; no line is ever changed.

    Args:
        settings: Where the files are.
        bank: The bank.
        what: What is said.
        which: Of what: names, entity ids or, for `undo`, the id of an override.
        why: The reason.
        who: Who decides.
        when: When, aware.
    """
    given = Override(bank=bank, what=what, which=which, who=who, when=when, why=why)
    row = given.row()
    line = given.model_copy(update={"override_id": row["override_id"]}).model_dump(mode="json", exclude_none=True)
    file = settings.path(settings.overrides.path) / f"{bank}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    # A last line without its end must not swallow the new one.
    start = "" if not text or text.endswith("\n") else "\n"
    with file.open("a", encoding="utf-8") as out:
        out.write(start + json.dumps(line, ensure_ascii=False) + "\n")
    return row

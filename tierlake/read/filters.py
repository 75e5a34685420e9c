"""Filters of `read`: which facts may take part at all. They apply before anything is cut."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, time
from typing import Any, Final, Literal, get_args

import polars as pl

from tierlake.errors import InvalidReadOptions
from transforms.schemas import FACT_KINDS

Clock = Literal["event", "occurred", "mentioned"]
TagMatch = Literal["any", "all", "exact"]

_TIME: Final = pl.Datetime("us", "UTC")


@dataclass(frozen=True)
class Filters:
    """Conditions on facts; each that is given must hold.

    Attributes:
        kind: One or several of world, experience, opinion.
        tags: Tags; facts without tags never match.
        tags_match: `any` of the tags, `all` of them, or `exact`ly these.
        since: Not before this time (a datetime, a date or ISO 8601; UTC where it has no zone).
        until: Before this time.
        clock: The time that counts: when it `occurred`, when it was `mentioned`, or `event`: occurred, else mentioned.
            A fact that occurred over a range matches where the range overlaps; an undated fact matches no time.
        documents: Ids or uris of documents.
        entities: Entity ids; the fact mentions one of them. An old id follows its redirect.
    """

    kind: str | Iterable[str] | None = None
    tags: str | Iterable[str] | None = None
    tags_match: TagMatch = "any"
    since: datetime | date | str | None = None
    until: datetime | date | str | None = None
    clock: Clock = "event"
    documents: str | Iterable[str] | None = None
    entities: str | Iterable[str] | None = None


@dataclass(frozen=True)
class ParsedFilters:
    """Checked filters; None where a condition was not given."""

    kinds: tuple[str, ...] | None
    tags: tuple[str, ...] | None
    tags_match: TagMatch
    since: datetime | None
    until: datetime | None
    clock: Clock
    documents: tuple[str, ...] | None
    entities: tuple[str, ...] | None

    @property
    def on_columns(self) -> bool:
        """Returns whether a condition looks at the columns of the facts (all but `entities` do)."""
        given = (self.kinds, self.tags, self.since, self.until, self.documents)
        return any(condition is not None for condition in given)

    def condition(self, document_ids: list[str] | None) -> pl.Expr:
        """Returns the condition on columns, true where none was given.

        Args:
            document_ids: The documents that `documents` names, as ids.
        """
        conditions = [pl.lit(value=True)]
        if self.kinds is not None:
            conditions.append(pl.col("kind").is_in(self.kinds))
        if self.tags is not None:
            conditions.append(self._tag_condition(self.tags))
        if document_ids is not None:
            conditions.append(pl.col("document_id").is_in(document_ids))
        if self.since is not None or self.until is not None:
            conditions.append(self._time_condition())
        return pl.all_horizontal(conditions).fill_null(value=False)

    def _tag_condition(self, tags: tuple[str, ...]) -> pl.Expr:
        wanted = pl.lit(pl.Series([list(tags)], dtype=pl.List(pl.String))).first()
        shared = pl.col("tags").list.set_intersection(wanted).list.len()
        if self.tags_match == "any":
            return shared > 0
        if self.tags_match == "all":
            return shared == len(tags)
        return (shared == len(tags)) & (pl.col("tags").list.n_unique() == len(tags))

    def _time_condition(self) -> pl.Expr:
        if self.clock == "mentioned":
            start = end = pl.col("mentioned_at")
        elif self.clock == "occurred":
            start, end = pl.col("occurred_start"), pl.col("occurred_end")
        else:
            start = pl.coalesce("occurred_start", "mentioned_at")
            end = pl.when(pl.col("occurred_start").is_not_null()).then(pl.col("occurred_end"))
        # A point in time lies in [since, until); a range [start, end) overlaps it.
        ends_after = pl.lit(value=True)
        if self.since is not None:
            since = pl.lit(self.since, dtype=_TIME)
            ends_after = (start >= since) | (end > since).fill_null(value=False)
        begins_before = pl.lit(value=True) if self.until is None else start < pl.lit(self.until, dtype=_TIME)
        return start.is_not_null() & ends_after & begins_before


FILTER_COLUMNS: Final = ("kind", "tags", "document_id", "occurred_start", "occurred_end", "mentioned_at")


def parse_filters(filters: Filters | Mapping[str, Any] | None) -> ParsedFilters:
    """Returns checked filters.

    Raises:
        InvalidReadOptions: An unknown filter, kind, clock or way to match tags; a time that cannot be read.

    Example:
        >>> parse_filters({"kind": "opinion", "since": "2026-05-01"}).since
        datetime.datetime(2026, 5, 1, 0, 0, tzinfo=datetime.timezone.utc)
    """
    if filters is None:
        given = Filters()
    elif isinstance(filters, Filters):
        given = filters
    elif isinstance(filters, Mapping):
        known = [one.name for one in fields(Filters)]
        unknown = [name for name in filters if name not in known]
        if unknown:
            raise InvalidReadOptions("filters", f"no filter {unknown[0]!r}; there are {', '.join(known)}")
        given = Filters(**filters)
    else:
        raise InvalidReadOptions("filters", f"{type(filters).__name__} is neither Filters nor a mapping")
    for name, value, allowed in (
        ("tags_match", given.tags_match, get_args(TagMatch)),
        ("clock", given.clock, get_args(Clock)),
        *(("kind", kind, FACT_KINDS) for kind in _strings("kind", given.kind) or ()),
    ):
        if value not in allowed:
            raise InvalidReadOptions("filters", f"{name} is {value!r}; it is one of {', '.join(allowed)}")
    return ParsedFilters(
        kinds=_strings("kind", given.kind),
        tags=_strings("tags", given.tags),
        tags_match=given.tags_match,
        since=_time("since", given.since),
        until=_time("until", given.until),
        clock=given.clock,
        documents=_strings("documents", given.documents),
        entities=_strings("entities", given.entities),
    )


def _strings(name: str, value: str | Iterable[str] | None) -> tuple[str, ...] | None:
    if value is None:
        return None
    listed = [value] if isinstance(value, str) else list(value) if isinstance(value, Iterable) else [value]
    if not all(isinstance(item, str) for item in listed):
        raise InvalidReadOptions("filters", f"{name} is {value!r}; it is a string or a list of strings")
    return tuple(dict.fromkeys(listed))


def _time(name: str, value: datetime | date | str | None) -> datetime | None:
    if value is None:
        return None
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError as error:
            raise InvalidReadOptions("filters", f"{name} is {value!r}, not an ISO 8601 time") from error
    if not isinstance(value, date):
        raise InvalidReadOptions("filters", f"{name} is {value!r}; it is a datetime, a date or ISO 8601")
    if not isinstance(value, datetime):
        value = datetime.combine(value, time())
    return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)

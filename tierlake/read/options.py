"""Options of `read` and `rank_facts`: what is accepted, what is corrected in silence, and what is refused.

The rules are those of the peer that the seed describes: weights never fail, floors fail where they contradict the
rest, and every refusal comes before anything is read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any, Final

from tierlake.errors import InvalidReadOptions
from transforms.ranking import RankConfig

DEFAULT_MAX_RESULTS: Final = 10
# The seed's reader takes at most this many ids in one ranking pass.
MAX_IDS: Final = 100
# A missing weight changes nothing: the seed's rule.
DEFAULT_WEIGHT: Final = 1.0


@dataclass(frozen=True)
class TierOptions:
    """Ids with their weights and floors, checked.

    Attributes:
        ids: Without duplicates, in the caller's order.
        max_results: At least 0.
        weights: For each id, finite and at least 0.
        floors: Finite floors of requested ids, truncated, at least 0.
        include_zero_weight: Whether ids with weight 0 fill in.
    """

    ids: tuple[str, ...]
    max_results: int
    weights: dict[str, float]
    floors: dict[str, int]
    include_zero_weight: bool

    @property
    def active(self) -> tuple[str, ...]:
        """Returns the ids whose facts are looked at: a weight of 0 skips an id unless zero weights are included."""
        return tuple(name for name in self.ids if self.weights[name] > 0 or self.include_zero_weight)

    @property
    def ranking(self) -> RankConfig:
        """Returns the parameters of the pure ranking."""
        return RankConfig(self.ids, self.max_results, self.weights, self.floors, self.include_zero_weight)


def finite(value: object) -> float | None:
    """Returns a number as a float; None for anything but a finite number (a boolean is not a number).

    Example:
        >>> [finite(value) for value in (2, "2", True, float("nan"), 10**400)]
        [2.0, None, None, None, None]
    """
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def parse_ids(ids: str | Iterable[str]) -> tuple[str, ...]:
    """Returns the ids without duplicates, in order.

    Raises:
        InvalidReadOptions: An id is not a string, or there are more than 100.
    """
    listed = [ids] if isinstance(ids, str) else list(_iterable("ids", ids))
    for name in listed:
        if not isinstance(name, str):
            raise InvalidReadOptions("ids", f"{name!r} is not a string; an id is a tier or an entity_id")
    unique = tuple(dict.fromkeys(listed))
    if len(unique) > MAX_IDS:
        raise InvalidReadOptions("ids", f"{len(unique)} ids, at most {MAX_IDS} in one read")
    return unique


def parse_count(field: str, value: object) -> int:
    """Returns a number truncated to an integer, at least 0.

    Raises:
        InvalidReadOptions: It is not a finite number.
    """
    number = finite(value)
    if number is None:
        raise InvalidReadOptions(field, f"{value!r} is not a finite number")
    return max(0, math.trunc(number))


def parse_weights(ids: Iterable[str], weights: Mapping[str, Any] | None) -> dict[str, float]:
    """Returns a weight for each id: missing or not finite is 1.0, negative is 0; other ids are dropped.

    Example:
        >>> parse_weights(["a", "b", "c"], {"a": -2, "b": float("inf"), "elsewhere": 9})
        {'a': 0.0, 'b': 1.0, 'c': 1.0}
    """
    given = _mapping("tier_weights", weights)
    numbers = {name: finite(given.get(name)) for name in ids}
    return {name: DEFAULT_WEIGHT if number is None else max(0.0, number) for name, number in numbers.items()}


def parse_floors(ids: Iterable[str], floors: Mapping[str, Any] | None) -> dict[str, int]:
    """Returns the floors of the ids, truncated and at least 0; those that are not finite numbers are dropped."""
    given = _mapping("tier_floors", floors)
    numbers = {name: finite(given[name]) for name in ids if name in given}
    return {name: max(0, math.trunc(number)) for name, number in numbers.items() if number is not None}


def parse_tiers(
    *,
    ids: str | Iterable[str],
    max_results: object,
    tier_weights: Mapping[str, Any] | None,
    tier_floors: Mapping[str, Any] | None,
    include_zero_weight_entities: bool,
    check_floors: bool = True,
) -> TierOptions:
    """Returns the checked options.

    Args:
        ids: A string or several.
        max_results: A number; None is the default.
        tier_weights: Id to weight.
        tier_floors: Id to floor.
        include_zero_weight_entities: Whether zero-weight ids fill in.
        check_floors: False where floors are not used (a read without a query).

    Raises:
        InvalidReadOptions: Too many ids; a `max_results` that is not finite; a finite floor on an id that was not asked
            for; a floor above 0 on a zero-weight id that is not included; floors that sum to more than `max_results`.
    """
    names = parse_ids(ids)
    limit = parse_count("max_results", DEFAULT_MAX_RESULTS if max_results is None else max_results)
    options = TierOptions(
        ids=names,
        max_results=limit,
        weights=parse_weights(names, tier_weights),
        floors=parse_floors(names, tier_floors),
        include_zero_weight=bool(include_zero_weight_entities),
    )
    if check_floors:
        _check_floors(options, _mapping("tier_floors", tier_floors))
    return options


def _check_floors(options: TierOptions, given: Mapping[str, Any]) -> None:
    unknown = [name for name, floor in given.items() if name not in options.ids and finite(floor) is not None]
    if unknown:
        raise InvalidReadOptions("tier_floors", f"{unknown[0]!r} has a floor but is not among ids {list(options.ids)}")
    skipped = [name for name in options.ids if options.floors.get(name) and name not in options.active]
    if skipped:
        raise InvalidReadOptions(
            "tier_floors",
            f"{skipped[0]!r} has a floor of {options.floors[skipped[0]]} and weight 0, which skips it; "
            "give it a weight or set include_zero_weight_entities",
        )
    total = sum(options.floors.values())
    if total > options.max_results:
        raise InvalidReadOptions("tier_floors", f"floors sum to {total}, more than max_results {options.max_results}")


def _mapping(field: str, value: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidReadOptions(field, f"{type(value).__name__} is not a mapping of id to number")
    return value


def _iterable(field: str, value: Iterable[str]) -> Iterable[str]:
    if not isinstance(value, Iterable):
        raise InvalidReadOptions(field, f"{value!r} is neither a string nor a list of strings")
    return value

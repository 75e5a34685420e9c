"""What to tell people about a failed step: the reason without a traceback, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tierlake import errors

# What Dagster's step of a blocking check fails with.
CHECK_ERROR: Final = "DagsterAssetCheckFailedError"


@dataclass(frozen=True)
class Failure:
    """One step that failed.

    Attributes:
        asset: The asset (several, with commas, where one step makes several), or the run where no step failed.
        message: Why, without a traceback.
        next_step: What to do.
    """

    asset: str
    message: str
    next_step: str


def root_cause(error: Any) -> Any:
    """Returns the innermost of an error's causes (Dagster wraps what its steps raise)."""
    while error is not None and error.cause is not None:
        error = error.cause
    return error


def explain(asset: str, error: Any, *, bank: str, run_id: str, quote_unknown: bool) -> Failure:
    """Returns a failure in words.

    Args:
        asset: What failed.
        error: Dagster's `SerializableErrorInfo`, or None where it has none.
        bank: The bank of the run.
        run_id: The run.
        quote_unknown: Whether to repeat the message of an error that is not tierlake's own. Such a message may quote
            a document: it may be shown to the person who runs tierlake, and must not be sent anywhere.
    """
    again = f"`tierlake run --bank {bank}`"
    cause = root_cause(error)
    if cause is None:
        return Failure(asset, "no reason was recorded (the process may have been killed)", f"run {again} again")
    name = cause.cls_name or "Error"
    if name in own_errors():
        return Failure(asset, one_line(cause.message, name), f"do what the message says, then {again}")
    log = f"open `tierlake ui` and read the log of run {run_id}, then {again}"
    if not quote_unknown:
        return Failure(asset, f"{name} (its message stands in the log of the run)", log)
    return Failure(asset, f"{name}: {one_line(cause.message, name)}", log)


def own_errors() -> set[str]:
    """Returns the names of tierlake's own errors, whose messages are written for people and quote no document."""
    found: set[str] = set()
    waiting: list[type[Exception]] = [errors.TierlakeError, errors.InvalidReadOptions]
    while waiting:
        kind = waiting.pop()
        found.add(kind.__name__)
        waiting += kind.__subclasses__()
    return found


def one_line(message: str, name: str) -> str:
    r"""Returns an error's message in one line, without the name of its class and module.

    >>> one_line("tierlake.errors.LakeError: table facts cannot be opened\n", "LakeError")
    'table facts cannot be opened'
    """
    text = " ".join(message.split())
    prefix, separator, rest = text.partition(": ")
    return rest if separator and prefix.split(".")[-1] == name else text

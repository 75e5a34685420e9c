"""The published set of a bank: which version of each table, and which index, readers use.

One small file a bank, replaced atomically after the checks of a run have passed: a reader never sees half a run.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from tierlake.errors import LakeError

FOLDER = "_published"


@dataclass(frozen=True)
class Published:
    """One published set.

    Attributes:
        bank: The bank.
        versions: Table to Delta version.
        fingerprints: Table to the hash of the bank's data files: tells whether anything of the bank changed.
        index: The fact index, relative to the lake's root.
        run_id: The run that published it.
        published_at: When (ISO 8601, UTC).
    """

    bank: str
    versions: dict[str, int]
    fingerprints: dict[str, str]
    index: str
    run_id: str
    published_at: str


def _file(root: str | Path, bank: str) -> Path:
    return Path(root) / FOLDER / f"{bank}.json"


def read_published(root: str | Path, bank: str) -> Published | None:
    """Returns what readers of the bank use; None where nothing was published.

    Raises:
        LakeError: The file is there and cannot be understood.
    """
    file = _file(root, bank)
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        return Published(**data)
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, OSError) as error:
        raise LakeError(
            f"{file} cannot be read ({error}); run `tierlake run --bank {bank}` to publish again"
        ) from error


def publish(root: str | Path, published: Published) -> None:
    """Makes `published` what readers see, atomically."""
    file = _file(root, published.bank)
    file.parent.mkdir(parents=True, exist_ok=True)
    waiting = file.with_name(f".{file.name}.{os.getpid()}")
    waiting.write_text(json.dumps(asdict(published), indent=1, sort_keys=True), encoding="utf-8")
    waiting.replace(file)


def withdraw(root: str | Path, bank: str) -> None:
    """Removes the published set of a bank that no longer exists."""
    _file(root, bank).unlink(missing_ok=True)


def published_banks(root: str | Path) -> list[str]:
    """Returns the banks that have a published set, sorted."""
    return sorted(file.stem for file in (Path(root) / FOLDER).glob("*.json") if not file.name.startswith("."))

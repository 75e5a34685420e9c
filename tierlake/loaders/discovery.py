"""The files of a source: found without following a link out of its folder, and read within a limit."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from tierlake.config import Settings, SourceSettings
from tierlake.errors import LoadError, SourceMissingError

_WILDCARDS: Final = frozenset("*?[")


@dataclass(frozen=True)
class FoundFile:
    """A file of a source.

    Attributes:
        path: Where it is.
        relative: Its path relative to the source's folder, with `/`.
        uri: Its path relative to the configuration file's folder; as the source gives it where it is outside.
        fault: Why it is not to be read; None where it is.
    """

    path: Path
    relative: str
    uri: str
    fault: LoadError | None = None


@dataclass(frozen=True)
class _Root:
    folder: Path  # as configured, absolute
    real: Path  # where it really is
    prefix: str  # what uris start with
    pattern: str | None = None  # a glob below the folder
    only: str | None = None  # the one file of a source that is a file


def find_files(settings: Settings, source: SourceSettings) -> list[FoundFile]:
    """Returns the files of a source, sorted by relative path; hidden ones (`.name`, also folders) are left out.

    A link to a file inside the source's folder is a file. A link to a visible folder inside is skipped, since what is
    in it is read where it is. A link that leads out, or nowhere, and what is no regular file come back with a fault.

    Raises:
        SourceMissingError: The path is not there: a mount that vanished must not empty a bank.
    """
    root = _root(settings, source)
    names = sorted({name for name in _names(root) if not _hidden(name)})
    found = (_classify(root, name) for name in names)
    return sorted((file for file in found if file is not None), key=lambda file: file.relative)


def read_file(file: FoundFile, max_bytes: int) -> bytes:
    """Returns a file's bytes.

    Raises:
        LoadError: `too_large` over `max_bytes`; `unreadable` where the system refuses; else the file's own fault.
    """
    if file.fault is not None:
        raise file.fault
    try:
        with file.path.open("rb") as stream:
            # One byte more than allowed tells a larger file, even one that grows meanwhile.
            data = stream.read(max_bytes + 1)
    except OSError as error:
        raise LoadError("unreadable", f"{error.strerror or error}: check the file and its permissions") from error
    if len(data) > max_bytes:
        detail = f"larger than the source's max_bytes = {max_bytes:,}: split the file or raise the limit"
        raise LoadError("too_large", detail)
    return data


def printable(path: str) -> str:
    r"""Returns a path as valid Unicode: bytes of a file name that are not UTF-8 as `\xNN`.

    Example:
        >>> printable("a\udcff.md")
        'a\\xff.md'
    """
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _root(settings: Settings, source: SourceSettings) -> _Root:
    base = Path(os.path.abspath(settings.base))  # noqa: PTH100  # links stay as written: uris show the configured path
    lexical = Path(os.path.normpath(base / source.path))
    if lexical.is_dir():
        folder, pattern, only = lexical, None, None
    elif os.path.lexists(lexical):
        folder, pattern, only = lexical.parent, None, lexical.name
    elif _WILDCARDS & set(source.path):
        parts = lexical.parts
        first = next(place for place, part in enumerate(parts) if _WILDCARDS & set(part))
        folder, pattern, only = Path(*parts[:first]), "/".join(parts[first:]), None
    else:
        raise SourceMissingError(source.name, lexical)
    if not folder.is_dir():
        raise SourceMissingError(source.name, folder)
    return _Root(folder, folder.resolve(), _prefix(base, folder, source), pattern, only)


def _prefix(base: Path, folder: Path, source: SourceSettings) -> str:
    if folder.is_relative_to(base):
        return folder.relative_to(base).as_posix()
    given = PurePosixPath(Path(source.path).as_posix())
    fixed = [part for part in given.parts if not _WILDCARDS & set(part)]
    # As given, cut where the folder ends: below it stand the relative paths.
    depth = len(given.parts) if folder.name == given.name else min(len(fixed), len(given.parts) - 1)
    return PurePosixPath(*given.parts[:depth]).as_posix()


def _names(root: _Root) -> Iterator[str]:
    if root.only is not None:
        yield root.only
    elif root.pattern is not None:
        # `**` alone names folders before Python 3.13 and files too after it: make it mean files everywhere.
        pattern = f"{root.pattern}/*" if root.pattern.endswith("**") else root.pattern
        for path in root.folder.glob(pattern):
            # What lies behind a link to a folder is not followed here either: the link itself is judged.
            behind = [folder for folder in path.parents if folder.is_relative_to(root.folder) and folder != root.folder]
            link = next((folder for folder in reversed(behind) if folder.is_symlink()), None)
            if link is not None or path.is_symlink() or not path.is_dir():
                yield (link or path).relative_to(root.folder).as_posix()
    else:
        yield from _walk(root)


def _walk(root: _Root) -> Iterator[str]:
    failed: list[str] = []
    for folder, folders, files in os.walk(root.folder, onerror=lambda error: failed.append(str(error.filename))):
        folders[:] = [name for name in folders if not name.startswith(".")]
        links = [name for name in folders if Path(folder, name).is_symlink()]
        for name in (*files, *links):
            yield Path(folder, name).relative_to(root.folder).as_posix()
    for name in failed:  # a folder that cannot be listed becomes a fault, not an empty folder
        yield Path(name).relative_to(root.folder).as_posix()


def _hidden(name: str) -> bool:
    return any(part.startswith(".") for part in PurePosixPath(name).parts if part != ".")


def _classify(root: _Root, name: str) -> FoundFile | None:
    path = root.folder / name
    uri = printable((PurePosixPath(root.prefix) / name).as_posix())

    def faulty(reason: str, detail: str) -> FoundFile:
        return FoundFile(path, name, uri, LoadError(reason, detail))

    try:
        real = path.resolve(strict=True)
        mode = real.stat().st_mode
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle, before Python 3.13
        return faulty("unreadable", f"{getattr(error, 'strerror', None) or error}: a broken link, or a file in the way")
    if not real.is_relative_to(root.real):
        # Its target is not named: what is outside the source is nobody's business here.
        return faulty("link", "a link that leads out of the source's folder: copy the file into it")
    if stat.S_ISDIR(mode):
        if path.is_symlink():
            seen = not _hidden(real.relative_to(root.real).as_posix())
            return None if seen else faulty("link", "a link to a hidden folder: link its files one by one")
        return faulty("unreadable", "the folder cannot be listed: check its permissions")
    if not stat.S_ISREG(mode):
        return faulty("unreadable", "not a regular file (a pipe, socket or device)")
    return FoundFile(path, name, uri)

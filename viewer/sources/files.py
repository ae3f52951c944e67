"""Touching the file system: regular files only, read once, bounded, never outside a folder."""

import io
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from viewer.errors import LimitExceeded, ParseFault, SourceError
from viewer.limits import Limits
from viewer.sources.json_bytes import encoding, utf8

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_NUMBERS = re.compile(r"([0-9]+)")


class Listing(NamedTuple):
    """A folder's entries in natural order, hidden ones left out."""

    names: tuple[str, ...]
    complete: bool
    """False where the folder holds more than the limit allows to look at."""


def open_regular(path: Path) -> tuple[io.BufferedReader, int]:
    """Return ``path`` opened for reading and its size now.

    Raises:
        SourceError: it does not exist, may not be read, or is no regular file. Never waits, as
            opening a named pipe would.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError as error:
        raise SourceError(str(path), "no such file or folder") from error
    except OSError as error:
        raise SourceError(str(path), error.strerror or str(error)) from error
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        what = next((name for test, name in _KINDS if test(found.st_mode)), "a special file")
        raise SourceError(str(path), f"{what}, not a regular file")
    return os.fdopen(descriptor, "rb"), found.st_size


def read_bytes(path: Path, limits: Limits) -> bytes:
    """Return all bytes of ``path``; what is appended while it is read is left out.

    Raises:
        SourceError: the file cannot be read.
        LimitExceeded: it is larger than ``limits.file_bytes``.
    """
    file, size = open_regular(path)
    with file:
        check_size(path, size, limits)
        try:
            return file.read(size)
        except OSError as error:
            raise SourceError(str(path), error.strerror or str(error)) from error


def check_size(path: Path, size: int, limits: Limits) -> None:
    """Refuse a file of ``size`` bytes that is too large.

    Raises:
        LimitExceeded: ``size`` is more than ``limits.file_bytes``.
    """
    if size > limits.file_bytes:
        reason = f"{size} bytes; files up to {limits.file_bytes} are read (limit: file_bytes)"
        raise LimitExceeded(str(path), reason)


def listing(folder: Path, limits: Limits) -> Listing:
    """Return the names in ``folder``.

    Raises:
        SourceError: it cannot be listed.
    """
    names: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if len(names) >= limits.folder_files:
                    return Listing(tuple(sorted(names, key=natural)), complete=False)
                names.append(entry.name)
    except OSError as error:
        raise SourceError(str(folder), error.strerror or str(error)) from error
    return Listing(tuple(sorted(names, key=natural)), complete=True)


def natural(name: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """Return a sort key that puts ``2`` before ``10``."""
    parts = _NUMBERS.split(name)
    return tuple((0, int(p), "") if i % 2 else (1, 0, p) for i, p in enumerate(parts)), name


def leads_out(path: Path, folder: Path) -> bool:
    """Return whether ``path``, an entry of ``folder``, is a link to something outside it."""
    if not path.is_symlink():
        return False
    try:
        return not path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):
        return True


def lines(path: Path, limits: Limits) -> Iterator[bytes]:
    """Yield the lines of ``path`` as UTF-8 with their ends, up to the size it has now.

    Raises:
        SourceError: the file cannot be read, or is UTF-16 or UTF-32 and broken.
        LimitExceeded: it is larger than ``limits.file_bytes``.
    """
    file, left = open_regular(path)
    with file:
        check_size(path, left, limits)
        try:
            if encoding(file.peek(4)[:4])[0] != "utf-8":
                yield from io.BytesIO(utf8(file.read(left)))
                return
            while left > 0 and (line := file.readline(left)):
                left -= len(line)
                yield line
        except ParseFault as error:
            raise SourceError(str(path), error.reason) from error
        except OSError as error:
            raise SourceError(str(path), error.strerror or str(error)) from error

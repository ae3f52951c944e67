"""What is known of a place before any reader opens it."""

from itertools import islice
from pathlib import Path

from viewer.errors import SourceError
from viewer.limits import DEFAULT_LIMITS, Limits
from viewer.sources.base import HEAD_BYTES, Probe
from viewer.sources.files import open_regular


def probe(
    location: Path, limits: Limits = DEFAULT_LIMITS, names: tuple[str, ...] | None = None
) -> Probe:
    """Return what can be known of ``location`` without a reader.

    Args:
        location: a folder or a regular file; nothing else is opened.
        limits: bounds.
        names: what stands in a file's folder, where the caller has looked already.

    Raises:
        SourceError: it does not exist, may not be read, or is a pipe or a device.
    """
    try:
        if location.is_dir():
            return Probe(
                path=location, is_dir=True, size=0, head=b"", names=names_in(location, limits)
            )
        file, size = open_regular(location)
        with file:
            head = file.read(HEAD_BYTES)
        return Probe(
            path=location,
            is_dir=False,
            size=size,
            head=head,
            names=names_in(location.parent, limits) if names is None else names,
        )
    except OSError as error:
        raise SourceError(str(location), error.strerror or str(error)) from error


def names_in(folder: Path, limits: Limits) -> tuple[str, ...]:
    """Return the sorted names in ``folder``, at most ``limits.folder_files`` of them.

    Raises:
        SourceError: it cannot be listed.
    """
    try:
        return tuple(sorted(entry.name for entry in islice(folder.iterdir(), limits.folder_files)))
    except OSError as error:
        raise SourceError(str(folder), error.strerror or str(error)) from error

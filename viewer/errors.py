"""Every exception the viewer raises on purpose; each message is fit for a user to read."""


class ViewerError(Exception):
    """Base of all named errors; ``str(error)`` is one line that says what is wrong and where."""


class SourceError(ViewerError):
    """A source as a whole cannot be read.

    Args:
        place: where, as ``path[!inner][:line[:col]][#pointer]``.
        reason: what is wrong, in words.
    """

    def __init__(self, place: str, reason: str) -> None:
        self.place = place
        self.reason = reason
        super().__init__(f"{place}: {reason}")


class UnknownFormat(SourceError):
    """No reader claims the source."""


class AmbiguousFormat(SourceError):
    """Two readers claim the source; the message names both."""


class LimitExceeded(SourceError):
    """A stated limit was passed; the message names the limit and its value."""


class ParseFault(ViewerError):
    """Bytes that yield no value: ``reason`` with ``line`` and ``column`` (1-based) where known."""

    def __init__(self, reason: str, line: int | None = None, column: int | None = None) -> None:
        self.reason = reason
        self.line = line
        self.column = column
        super().__init__(reason)


class ProfileError(ViewerError):
    """A profile cannot be found, read or chosen."""


class SchemaFileError(ViewerError):
    """A JSON Schema is itself invalid; ``pointers`` names each wrong place in it."""

    def __init__(self, message: str, pointers: tuple[str, ...] = ()) -> None:
        self.pointers = pointers
        super().__init__(message)


class PointerError(ViewerError):
    """A JSON Pointer is malformed or leads nowhere."""


class PatchError(ViewerError):
    """A JSON Patch is malformed or cannot be applied; the message names the operation."""


class SelectionError(ViewerError):
    """The thread, namespace or checkpoint asked for is not in the source, or more than one is."""


class QueryError(ViewerError):
    """What is searched for is nothing, or no regular expression that can be run."""

"""JSON files that are no source: the two documents of ``diff``, the schema of ``check``."""

from pathlib import Path
from typing import Any

from viewer.errors import LimitExceeded, ParseFault, SourceError
from viewer.settings import settings
from viewer.sources.sharing import SharedLoader


def load(path: Path) -> Any:
    """Return the JSON document in the file ``path``.

    Raises:
        SourceError: it cannot be read, is too large, or holds no JSON document; with its place.
    """
    limits = settings().limits
    try:
        with path.open("rb") as file:
            raw = file.read(limits.file_bytes + 1)
    except OSError as error:
        raise SourceError(str(path), error.strerror or str(error)) from error
    if len(raw) > limits.file_bytes:
        raise LimitExceeded(str(path), f"larger than file_bytes = {limits.file_bytes}")
    try:
        return SharedLoader("json", limits.depth).load(raw)
    except ParseFault as fault:
        place = "".join(f":{n}" for n in (fault.line, fault.column) if n is not None)
        raise SourceError(f"{path}{place}", fault.reason) from fault

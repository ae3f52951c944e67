"""JSON files that are no source: the documents of ``diff`` and ``check``, and a schema."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from viewer.chain import Chain, assemble
from viewer.errors import LimitExceeded, ParseFault, SourceError
from viewer.model import Problem, Record, Thread, ThreadRef
from viewer.profiles import load_profile
from viewer.settings import settings
from viewer.sources.sharing import SharedLoader


class Documents:
    """Loads JSON files one after another; what a file shares with the one before is shared.

    ``problems`` holds a problem for each key that stands twice.
    """

    def __init__(self) -> None:
        self._limits = settings().limits
        self._loader = SharedLoader("json", self._limits.depth)
        self.problems: list[tuple[str, Problem]] = []
        """Path as given → problem."""

    def load(self, name: str) -> Any:
        """Return the JSON document in the file ``name``.

        Raises:
            SourceError: it cannot be read, is too large, or holds no JSON document; with its place.
        """
        raw = self._bytes(name)
        try:
            found = self._loader.load(raw)
        except ParseFault as fault:
            place = "".join(f":{n}" for n in (fault.line, fault.column) if n is not None)
            raise SourceError(f"{name}{place}", fault.reason) from fault
        self.problems += [(name, problem) for problem in self._doubled(name)]
        return found

    def chain(self, name: str) -> Chain:
        """Return a chain of one checkpoint whose state is the whole document in the file ``name``.

        Raises:
            SourceError: as `load` does.
        """
        stem = Path(name).stem
        state = self.load(name)
        twice = self._loader.duplicate_keys
        record = Record(place=name, made_id=stem, state=state, duplicate_keys=twice)
        thread = Thread(ref=ThreadRef(thread_id=stem), records=(record,))
        return assemble(name, "document", thread, load_profile("plain"))

    def _bytes(self, name: str) -> bytes:
        most = self._limits.file_bytes
        try:
            with Path(name).open("rb") as file:
                raw = file.read(most + 1)
        except OSError as error:
            raise SourceError(name, error.strerror or str(error)) from error
        if len(raw) > most:
            raise LimitExceeded(name, f"larger than {most} bytes (limit: file_bytes)")
        return raw

    def _doubled(self, name: str) -> Iterator[Problem]:
        for pointer in self._loader.duplicate_keys:
            yield Problem(
                place=f"{name}#{pointer}",
                reason="key stands twice in one object; the last value is used",
                keyword="duplicate_key",
            )

"""What stands beside the checkpoints of a run folder."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from viewer.errors import ParseFault, SourceError
from viewer.limits import Limits
from viewer.model import MISSING, Problem, Sidecars
from viewer.sources.files import leads_out, listing, read_bytes
from viewer.sources.json_bytes import parse

SIDECAR_FOLDERS = ("observations", "memories", "tasks", "what_if")


def read_sidecars(folder: Path, limits: Limits, problems: list[Problem]) -> Sidecars:
    """Return what stands beside the checkpoints in ``folder``.

    A memory is known by its own ``id`` and a task by its own ``taskId``; where an envelope has
    none, and for all others, by the file's stem. What cannot be read becomes a problem.
    """
    read = _Beside(folder, limits, problems)
    return Sidecars(
        observations=dict(read.files("observations")),
        memories={_own(value, "id") or stem: value for stem, value in read.files("memories")}
        if (folder / "memories").is_dir()
        else None,
        tasks={_task_id(value) or stem: _versions(value) for stem, value in read.files("tasks")},
        what_if=dict(read.files("what_if")),
        working_schema=read.document("working.schema.json"),
        versions=read.document("versions.json"),
        walk=read.document("walk.json"),
    )


class _Beside:
    def __init__(self, folder: Path, limits: Limits, problems: list[Problem]) -> None:
        self._folder = folder
        self._limits = limits
        self._problems = problems

    def files(self, name: str) -> Iterator[tuple[str, Any]]:
        """Yield the stem and the value of each JSON file in the folder called ``name``."""
        inner = self._folder / name
        if not inner.is_dir():
            return
        if leads_out(inner, self._folder):
            self._problem(str(inner), "a link that leads out of the folder; not followed")
            return
        try:
            names = listing(inner, self._limits).names
        except SourceError as error:
            self._problem(error.place, error.reason)
            return
        for entry in names:
            path = inner / entry
            if path.suffix == ".jsonl":
                continue  # Recorded calls, which `viewer.sources.recordings` reads.
            value = self._value(path)
            if value is not MISSING:
                yield path.stem, value

    def document(self, name: str) -> dict[str, Any] | None:
        """Return the object in the file called ``name``; None where it is not there."""
        path = self._folder / name
        if not path.exists() and not path.is_symlink():
            return None
        value = self._value(path)
        if value is MISSING or isinstance(value, dict):
            return None if value is MISSING else value
        self._problem(str(path), "must be an object; not read")
        return None

    def _value(self, path: Path) -> Any:
        if leads_out(path, self._folder):
            self._problem(str(path), "a link that leads out of the folder; not followed")
            return MISSING
        try:
            found = parse(read_bytes(path, self._limits), self._limits.depth)
        except SourceError as error:
            self._problem(error.place, error.reason)
            return MISSING
        except ParseFault as error:
            where = f":{error.line}:{error.column}" if error.line is not None else ""
            self._problem(f"{path}{where}", error.reason)
            return MISSING
        for pointer in found.duplicate_keys:
            reason = "key stands twice in one object; the last value is used"
            self._problem(f"{path}#{pointer}", reason, "duplicate_key")
        return found.value

    def _problem(self, place: str, reason: str, keyword: str = "unreadable") -> None:
        self._problems.append(Problem(place=place, reason=reason, keyword=keyword))


def _own(value: Any, key: str) -> str | None:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) and found else None


def _versions(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list) else (value,)


def _task_id(value: Any) -> str | None:
    return next((found for one in _versions(value) if (found := _own(one, "taskId"))), None)

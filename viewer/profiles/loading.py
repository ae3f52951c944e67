"""Find, read and choose profiles; what they hold is compiled once."""

import json
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from viewer.errors import ProfileError
from viewer.model import Phase
from viewer.pointer import Pattern, exists, find, join, pattern
from viewer.profiles.sections import ProfileFile, Status
from viewer.settings import bundle

PLAIN = "plain"
FILE = "profile.toml"
_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A profile ready for use: files read, pointers and patterns compiled."""

    file: ProfileFile
    state_schema: Mapping[str, Any] | None
    memory_schema: Mapping[str, Any] | None
    task_schema: Mapping[str, Any] | None
    lists: tuple[tuple[Pattern, str], ...]
    noise: tuple[Pattern, ...]
    owners: tuple[tuple[Pattern, str], ...]
    planes: tuple[tuple[Pattern, str], ...]
    legal: Mapping[str, tuple[str, ...]]
    """Status → statuses it may turn into, itself included unless it is terminal."""
    include: tuple[Pattern, ...] = ()
    """What the model is shown, by ``[projection]``."""
    exclude: tuple[Pattern, ...] = ()
    """What of that it is not shown."""
    optional: tuple[Pattern, ...] = ()
    """What an app may show it or not."""

    @property
    def name(self) -> str:
        """The profile's name (``agent-state``)."""
        return self.file.name

    def field(self, name: str, state: Any) -> Any:
        """Return the value of the field ``name`` of `Fields` in ``state``; None where it is not."""
        where = getattr(self.file.fields, name)
        return None if where is None else find(state, where)

    def phase(self, status: str | None, *, leaf: bool = True) -> Phase:
        """Return the phase of a status word; a profile may give checkpoints with children another."""
        if status is None:
            return "unknown"
        passed = self.file.status.passed
        if passed is not None and not leaf:
            return passed
        return self.file.status.phases.get(status, "unknown")

    def owner(self, tokens: tuple[str | int, ...]) -> str | None:
        """Return who may write at ``tokens``: the first pattern that covers it, or None."""
        return next((who for where, who in self.owners if where.matches(tokens)), None)

    def plane(self, tokens: tuple[str | int, ...]) -> str | None:
        """Return the plane of ``tokens``: the first pattern that covers it, or None."""
        return next((plane for where, plane in self.planes if where.matches(tokens)), None)


def load_profile(name: str | Path) -> Profile:
    """Return the profile called ``name``, or the one in the folder that ``name`` is.

    Raises:
        ProfileError: there is none, or its files are not what they must be.
    """
    text = str(name)
    if text in builtin_names():
        return _load(bundle() / "schemas" / text)
    folder = Path(name)
    if folder.is_dir():
        return _load(folder)
    names = ", ".join(builtin_names())
    raise ProfileError(f"no profile {text!r}: neither one of {names} nor a folder with {FILE}")


@cache
def builtin_names() -> tuple[str, ...]:
    """Return the names of the profiles that come with the viewer, sorted."""
    return tuple(sorted(p.parent.name for p in (bundle() / "schemas").glob(f"*/{FILE}")))


@cache
def builtin_profiles() -> tuple[Profile, ...]:
    """Return the profiles that come with the viewer, by name."""
    return tuple(_load(bundle() / "schemas" / name) for name in builtin_names())


def choose(state: Any, candidates: tuple[Profile, ...] | None = None) -> Profile:
    """Return the profile whose ``[match]`` claims ``state``: most pointers win, else plain.

    Raises:
        ProfileError: two profiles claim it with equally many pointers.
    """
    best: list[Profile] = []
    most = 0
    for profile in builtin_profiles() if candidates is None else candidates:
        match = profile.file.match
        if not match.all or any(exists(state, p) for p in match.none):
            continue
        if all(exists(state, p) for p in match.all) and len(match.all) >= most:
            best = [*best, profile] if len(match.all) == most else [profile]
            most = len(match.all)
    if len(best) > 1:
        names = " and ".join(p.name for p in best)
        raise ProfileError(f"profiles {names} both claim this state; name one with --profile")
    return best[0] if best else load_profile(PLAIN)


@cache
def _load(folder: Path) -> Profile:
    path = folder / FILE
    try:
        file = ProfileFile.model_validate(tomllib.loads(_text(path)))
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(f"{path}: not TOML: {error}") from error
    except RecursionError as error:
        raise ProfileError(f"{path}: nested too deep") from error
    except ValidationError as error:
        faults = "; ".join(f"{_place(e['loc'])}: {e['msg']}" for e in error.errors()[:5])
        raise ProfileError(f"{path}#{faults}") from error
    except ValueError as error:
        raise ProfileError(f"{path}: not TOML: a number is too long") from error
    shown = file.projection
    return Profile(
        file=file,
        state_schema=_schema(folder, file.schema_.state),
        memory_schema=_schema(folder, file.schema_.memory),
        task_schema=_schema(folder, file.schema_.task),
        lists=tuple((pattern(p), key) for p, key in file.lists.items()),
        noise=tuple(pattern(p) for p in file.noise),
        owners=tuple((pattern(p), who) for p, who in file.owners.items()),
        planes=tuple((pattern(p), plane) for p, plane in file.planes.items()),
        legal=_legal(file.status),
        include=tuple(pattern(p) for p in shown.include) if shown else (),
        exclude=tuple(pattern(p) for p in shown.exclude) if shown else (),
        optional=tuple(pattern(p) for p in shown.optional) if shown else (),
    )


def _place(loc: tuple[int | str, ...]) -> str:
    """Return a pydantic place as a pointer, without the rule's name that it puts after its index."""
    return join(loc[:2] + loc[3:] if loc[:1] == ("rules",) else loc)


def _legal(status: Status) -> dict[str, tuple[str, ...]]:
    legal: dict[str, tuple[str, ...]] = {
        word: () if word in status.terminal else (word,) for word in status.values
    }
    for edge in status.transition:
        legal[edge.from_] += tuple(to for to in edge.to if to not in legal[edge.from_])
    return legal


def _schema(folder: Path, name: str | None) -> dict[str, Any] | None:
    if name is None:
        return None
    path = folder / name
    if path.resolve().parent != folder.resolve():
        raise ProfileError(f"{folder / FILE}: schema {name!r} must stand beside the profile")
    try:
        found = json.loads(_text(path))
    except json.JSONDecodeError as error:
        raise ProfileError(f"{path}:{error.lineno}:{error.colno}: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        raise ProfileError(f"{path}: nested too deep or a number too long") from error
    if not isinstance(found, dict):
        raise ProfileError(f"{path}: a schema must be an object")
    return found


def _text(path: Path) -> str:
    try:
        seen = path.stat()
        if not stat.S_ISREG(seen.st_mode):
            raise ProfileError(f"{path}: not a regular file")
        if seen.st_size > _BYTES:
            raise ProfileError(f"{path}: larger than {_BYTES} bytes")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ProfileError(f"{path}: {error}") from error

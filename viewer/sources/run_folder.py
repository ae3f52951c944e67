"""Read a run folder: checkpoints with what belongs to them.

``about.json``; ``checkpoints/*.json``, one ``chain.jsonl`` or ``*.json`` in the root, the first
of these that is there; beside them ``observations/<checkpoint_id>.json``, ``memories/<id>.json``,
``tasks/<taskId>.json`` (a list holds its versions), ``what_if/*.json``, ``working.schema.json``,
``versions.json`` and ``walk.json`` (design, "Chains and files").
"""

from collections.abc import Iterable
from pathlib import Path

from viewer.errors import SourceError
from viewer.limits import Limits
from viewer.model import Problem
from viewer.profiles import builtin_names
from viewer.sources import json_folder, jsonl
from viewer.sources.about import FILE, About, read_about
from viewer.sources.base import NOT_A_FOLDER, Probe, Reader, Reading, Verdict
from viewer.sources.elements import Element
from viewer.sources.files import leads_out, listing
from viewer.sources.grouping import loaded
from viewer.sources.json_shape import SIDECAR_FILES
from viewer.sources.sidecars import SIDECAR_FOLDERS, read_sidecars

NAME = "run-folder"
CHAIN = "chain.jsonl"
CHECKPOINTS = "checkpoints"


def detect(probe: Probe) -> Verdict:
    """Claim a folder that holds checkpoints and at least one name of a run folder."""
    if not probe.is_dir:
        return Verdict(False, NOT_A_FOLDER)
    marks = [name for name in json_folder.RUN_MARKS if name in probe.names]
    if not marks:
        return Verdict(False, "none of " + ", ".join(json_folder.RUN_MARKS))
    try:
        about = read_about(probe.path)
    except SourceError:
        about = None
    if about is not None and about.reader not in (None, NAME):
        return Verdict(False, f"about.json names the reader {about.reader}")
    where = _where(probe.path, probe.names)
    if where is None:
        return Verdict(False, f"{marks[0]}, but no checkpoint beside it")
    return Verdict(True, f"a run folder ({marks[0]}) with {where}")


def open_folder(path: Path, limits: Limits) -> Reading:
    """Return the threads of the run folder at ``path``.

    Raises:
        SourceError: it cannot be listed.
    """
    problems: list[Problem] = []
    profile = _profile(path, limits, problems)
    sidecars = read_sidecars(path, limits, problems)
    return loaded(
        str(path),
        _elements(path, limits, problems),
        limits,
        name=path.resolve().name,
        problems=problems,
        sidecars=sidecars,
        profile=profile,
    )


def _where(folder: Path, names: Iterable[str]) -> str | None:
    """Return which of the three places holds the checkpoints."""
    names = tuple(names)
    inner = folder / CHECKPOINTS
    if CHECKPOINTS in names and inner.is_dir() and not leads_out(inner, folder):
        try:
            if json_folder.first_shape(inner, listing_names(inner))[0] is not None:
                return f"{CHECKPOINTS}/"
        except SourceError:
            return None
    if CHAIN in names and (folder / CHAIN).is_file() and not leads_out(folder / CHAIN, folder):
        return CHAIN
    name, shape = json_folder.first_shape(folder, names)
    return "*.json" if name is not None and shape.kind == "object" else None


def listing_names(folder: Path) -> tuple[str, ...]:
    """Return the names in ``folder``, within the default limits."""
    return listing(folder, Limits()).names


def _elements(folder: Path, limits: Limits, problems: list[Problem]) -> Iterable[Element]:
    names = listing(folder, limits).names
    where = _where(folder, names)
    if where == f"{CHECKPOINTS}/" and CHAIN in names:
        reason = f"not read: the checkpoints are in {CHECKPOINTS}/"
        problems.append(Problem(place=str(folder / CHAIN), reason=reason))
    if where == f"{CHECKPOINTS}/":
        return json_folder.elements(folder / CHECKPOINTS, limits, problems)
    if where == CHAIN:
        return jsonl.elements(folder / CHAIN, limits)
    return json_folder.elements(
        folder, limits, problems, beside={*SIDECAR_FILES, *SIDECAR_FOLDERS, CHECKPOINTS}
    )


def _profile(folder: Path, limits: Limits, problems: list[Problem]) -> str | None:
    """Return the name of the profile that ``about.json`` gives, if we have it."""
    try:
        about: About | None = read_about(folder, limits)
    except SourceError as error:
        problems.append(Problem(place=error.place, reason=error.reason))
        return None
    if about is None or about.profile is None or about.profile in builtin_names():
        return about.profile if about is not None else None
    reason = f"no profile {about.profile!r}; there are {', '.join(builtin_names())}"
    problems.append(Problem(place=f"{folder / FILE}#/profile", reason=reason))
    return None


READER = Reader(
    name=NAME,
    title="A run folder: checkpoints with observations, memories, tasks and what-if proposals",
    detect=detect,
    open=open_folder,
)

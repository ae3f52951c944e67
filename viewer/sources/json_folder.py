"""Read a folder of checkpoint files, one checkpoint or patch a file, in natural order.

Hidden files are passed over, and so are sources of their own, such as the database of the same
application: ``open_sources`` opens them beside the folder. Whatever else is in the folder and no
checkpoint is a problem, and so is a link that leads out of it.
"""

from collections.abc import Collection, Iterator
from pathlib import Path

from viewer.errors import SourceError
from viewer.limits import Limits
from viewer.model import Problem
from viewer.sources.base import HEAD_BYTES, NOT_A_FOLDER, Probe, Reader, Reading, Verdict
from viewer.sources.elements import Element, element
from viewer.sources.files import leads_out, listing, natural, open_regular, read_bytes
from viewer.sources.grouping import loaded
from viewer.sources.json_shape import SIDECAR_FILES, Shape, shape_at
from viewer.sources.recorded_call import recording_kind
from viewer.sources.sharing import SharedLoader
from viewer.sources.standing_alone import belongs, stands_alone

RUN_MARKS = (
    "chain.jsonl",
    "checkpoints",
    "observations",
    "memories",
    "tasks",
    "what_if",
    *SIDECAR_FILES,
)
"""Names that make a folder a run folder, where it holds checkpoints too."""
LANGGRAPH_DEV = ".langgraph_api"
"""The name beside which ``langgraph.json`` and the like are no checkpoints."""
_TEMPORARY = ("~", ".tmp", ".temp", ".bak", ".swp", ".part", ".lock")
_LOOKED_AT = 100


def detect(probe: Probe) -> Verdict:
    """Claim a folder whose first JSON file is one checkpoint."""
    if not probe.is_dir:
        return Verdict(False, NOT_A_FOLDER)
    if LANGGRAPH_DEV in probe.names:
        return Verdict(False, f"{LANGGRAPH_DEV} makes it the folder of a LangGraph project")
    marks = [name for name in RUN_MARKS if name in probe.names]
    if marks:
        return Verdict(False, f"{marks[0]} makes it a run folder")
    name, shape = first_shape(probe.path, probe.names)
    if name is None:
        return Verdict(False, "no JSON file in the folder itself")
    if shape.kind != "object":
        return Verdict(False, f"{name} is no single checkpoint: {shape.why}")
    return Verdict(True, f"checkpoint files, {name} the first of them")


def first_shape(folder: Path, names: Collection[str]) -> tuple[str | None, Shape]:
    """Return the first file of ``folder`` that may be a checkpoint, and its shape."""
    candidates = [name for name in names if _may_be_checkpoint(name)]
    for name in sorted(candidates, key=natural)[:_LOOKED_AT]:
        path = folder / name
        if path.is_dir() or leads_out(path, folder):
            continue
        try:
            file, _ = open_regular(path)
            with file:
                head = file.read(HEAD_BYTES)
        except SourceError:
            continue
        shape = shape_at(path, head)
        if shape.kind != "none":
            return name, shape
    return None, Shape("none", "no JSON file")


def open_folder(path: Path, limits: Limits) -> Reading:
    """Return the threads of the folder at ``path``.

    Raises:
        SourceError: it cannot be listed.
    """
    problems: list[Problem] = []
    return loaded(
        str(path),
        elements(path, limits, problems),
        limits,
        name=path.resolve().name,
        problems=problems,
    )


def elements(
    folder: Path, limits: Limits, problems: list[Problem], beside: Collection[str] = ()
) -> Iterator[Element]:
    """Yield an element for each checkpoint file of ``folder``.

    Args:
        folder: where the files stand.
        limits: bounds.
        problems: gets one for each entry that is no checkpoint.
        beside: names that belong to something else and are passed over.

    Raises:
        SourceError: the folder cannot be listed.
    """
    loader = SharedLoader(depth=limits.depth)
    names, complete = listing(folder, limits)
    if not complete:
        reason = (
            f"more than {limits.folder_files} entries; the rest is left out (limit: folder_files)"
        )
        problems.append(Problem(place=str(folder), reason=reason, keyword="limit"))
    for name in names:
        if name in beside or belongs(name, names):
            continue
        path = folder / name
        if not name.lower().endswith(".json") and stands_alone(path, names):
            continue
        refusal = _refusal(path, folder)
        if refusal is not None:
            problems.append(Problem(place=str(path), reason=refusal))
            continue
        try:
            raw = read_bytes(path, limits)
        except SourceError as error:
            if path.is_file():
                yield Element(error.place, path.stem, 0, fault=error.reason)
            else:
                problems.append(Problem(place=error.place, reason=error.reason))
            continue
        if recording_kind(raw[:HEAD_BYTES]) is not None:
            continue  # What the model was shown; `viewer.sources.recordings` joins it.
        if not name.lower().endswith(".json") and shape_at(path, raw[:HEAD_BYTES]).kind == "none":
            problems.append(Problem(place=str(path), reason="not JSON; not read"))
            continue
        if b'"values"' in raw and stands_alone(path, names):
            continue
        yield element(loader, raw, str(path), path.stem)


def _may_be_checkpoint(name: str) -> bool:
    return not (name.startswith(".") or name in SIDECAR_FILES or name.endswith(_TEMPORARY))


def _refusal(path: Path, folder: Path) -> str | None:
    if leads_out(path, folder):
        return "a link that leads out of the folder; not followed"
    if path.is_dir():
        return "a subfolder is no part of the chain; open it on its own"
    if path.name in SIDECAR_FILES:
        return "a name that no checkpoint has; not read"
    if path.name.endswith(_TEMPORARY):
        return "named like a temporary file; not read"
    return None


READER = Reader(
    name="json-folder",
    title="A folder of checkpoint files",
    detect=detect,
    open=open_folder,
)

"""Reader of the folder in which `langgraph dev` and LangGraph Studio keep their threads."""

from collections.abc import Iterator
from pathlib import Path

from viewer.chain import when
from viewer.errors import SourceError
from viewer.limits import Limits
from viewer.model import Problem, Thread, ThreadRef
from viewer.sources.base import NOT_A_FOLDER, Probe, Reader, Verdict
from viewer.sources.files import open_regular
from viewer.sources.langgraph.blobs import Blobs
from viewer.sources.langgraph.dev_memories import dev_memories
from viewer.sources.langgraph.dev_rows import DevRows
from viewer.sources.langgraph.dev_store import CHECKPOINTS, FILES, DevStore, dev_store
from viewer.sources.langgraph.kin import Keeper
from viewer.sources.langgraph.memories import beside
from viewer.sources.langgraph.naming import id_time
from viewer.sources.langgraph.notes import bounded
from viewer.sources.langgraph.thread import load_thread

FOLDER = ".langgraph_api"
_HEAD_BYTES = 512
_DICT = b"}"


class DevReading:
    """An opened folder; the files are read again where they changed since."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self._folder = path / FOLDER if (path / FOLDER).is_dir() else path
        self._limits = limits
        self._seen = _signs(self._folder)
        self._rows = self._read()
        self._keeper = Keeper()
        store = self._rows.store
        self._threads = tuple(self._refs(store))
        self._problems = bounded(
            [*store.problems, *_stray(store, str(self._folder))], limits, str(self._folder)
        )

    @property
    def threads(self) -> tuple[ThreadRef, ...]:
        """Every thread and namespace, in the order of their first checkpoints."""
        return self._threads

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Files that are missing or damaged, and writes of threads that have no checkpoint."""
        return self._problems

    def load(self, ref: ThreadRef) -> Thread:
        """Return the records of one thread and namespace.

        Raises:
            SourceError: the files broke since they were opened, or a limit is passed.
        """
        signs = _signs(self._folder)
        if signs != self._seen:
            self._seen, self._rows = signs, self._read()
        place = str(self._folder)
        kin = self._keeper.kin(signs, ref.thread_id)
        thread = load_thread(self._rows, ref, place=place, limits=self._limits, kin=kin)
        found = dev_memories(self._rows.store.items, place, self._limits)
        return thread if found is None else beside(thread, found)

    def _read(self) -> DevRows:
        return DevRows(dev_store(self._folder, self._limits), str(self._folder), self._limits)

    def _refs(self, store: DevStore) -> Iterator[ThreadRef]:
        blobs = Blobs(self._limits.depth)
        for (thread, namespace), chain in store.checkpoints.items():
            newest = chain[max(chain)]
            ts = blobs.shape(*newest.checkpoint).get("ts")
            yield ThreadRef(
                thread_id=thread,
                namespace=namespace,
                checkpoints=len(chain),
                updated_at=when(ts if isinstance(ts, str) else None)
                or id_time(newest.checkpoint_id),
            )


def _signs(folder: Path) -> tuple[tuple[int, int] | None, ...]:
    """Return what changes when the server writes its files again."""
    found: list[tuple[int, int] | None] = []
    for name in FILES:
        try:
            stat = (folder / name).stat()
            found.append((stat.st_mtime_ns, stat.st_size))
        except OSError:
            found.append(None)
    return tuple(found)


def _stray(store: DevStore, place: str) -> Iterator[Problem]:
    for thread, namespace in store.writes.keys() - store.checkpoints.keys():
        yield Problem(
            place=f"{place}!writes[{thread}/{namespace}]",
            reason="writes of a thread and namespace that has no checkpoint (yet)",
            keyword="stray_writes",
        )


def detect(probe: Probe) -> Verdict:
    """Claim the folder, or the project folder in which the server made it."""
    if not probe.is_dir:
        return Verdict(False, NOT_A_FOLDER)
    if CHECKPOINTS in probe.names:
        return _verdict(probe.path / CHECKPOINTS)
    if FOLDER not in probe.names:
        return Verdict(False, f"neither {CHECKPOINTS} nor {FOLDER} in the folder")
    return _verdict(probe.path / FOLDER / CHECKPOINTS)


def _verdict(path: Path) -> Verdict:
    """Return whether a file is the pickle of a dict, as the server dumps it."""
    try:
        file, _ = open_regular(path)
        with file:
            head = file.read(_HEAD_BYTES)
    except (SourceError, OSError):
        return Verdict(False, f"{path.name} cannot be read")
    start = 11 if head[2:3] == b"\x95" else 2
    if head[:1] != b"\x80" or head[1:2] > b"\x05" or head[start : start + 1] != _DICT:
        return Verdict(False, f"{path.name} is no pickle of a dict")
    return Verdict(True, f"{path.name} is the pickle that langgraph dev keeps its threads in")


READER = Reader(
    name="langgraph-dev",
    title="The .langgraph_api folder of langgraph dev and LangGraph Studio",
    detect=detect,
    open=DevReading,
)

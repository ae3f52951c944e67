"""What of the chains above and below a namespace its own chain must know, read cheaply."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, Protocol, runtime_checkable

from viewer.model import Problem, ThreadRef
from viewer.sources.langgraph.blobs import Blobs
from viewer.sources.langgraph.kin import Kin
from viewer.sources.langgraph.naming import INTERRUPT
from viewer.sources.langgraph.stored import Stored, StoredWrite


@runtime_checkable
class IndexedRows(Protocol):
    """A store that can read single rows; one that cannot has its chains read whole."""

    def links(self, ref: ThreadRef) -> Iterable[tuple[str, str | None]]:
        """Return id and parent id of each checkpoint of a chain."""
        ...

    def checkpoint(self, ref: ThreadRef, checkpoint_id: str, blobs: Blobs) -> Stored | None:
        """Return one checkpoint with its writes; None where it is not there or damaged."""
        ...

    def interrupts(self, ref: ThreadRef, blobs: Blobs) -> Iterable[StoredWrite]:
        """Return the rows of a chain in which its tasks, or those below, asked a question."""
        ...


class WholeRows(Protocol):
    """A store that reads chain by chain."""

    def checkpoints(self, ref: ThreadRef, blobs: Blobs) -> Iterable[Stored | Problem]:
        """Return the checkpoints of a chain, without their writes."""
        ...

    def writes(self, ref: ThreadRef, blobs: Blobs) -> Iterable[tuple[str, StoredWrite] | Problem]:
        """Return the write rows of a chain, each with its checkpoint's id."""
        ...


class Step(NamedTuple):
    """A checkpoint of an ancestor's chain with its nearest."""

    stored: Stored
    parent: Stored | None
    children: tuple[Stored, ...]
    head: bool
    """Whether it is the live head of its chain."""


class Ancestry:
    """The other chains of one thread, within the read transaction of ``rows``."""

    def __init__(
        self, rows: WholeRows, thread_id: str, blobs: Blobs, kin: Kin | None = None
    ) -> None:
        self._rows: IndexedRows = rows if isinstance(rows, IndexedRows) else _Whole(rows, blobs)
        self._thread_id = thread_id
        self._blobs = blobs
        self.kin = Kin() if kin is None else kin

    def head(self, namespace: str) -> Stored | None:
        """Return the live head of a chain."""
        links = self._chain(namespace)
        top = live_head(links)
        return None if top is None else self._at(namespace, top)

    def step(self, namespace: str, checkpoint_id: str) -> Step | None:
        """Return a checkpoint of a chain with its parent and children."""
        links = self._chain(namespace)
        stored = self._at(namespace, checkpoint_id) if checkpoint_id in links else None
        if stored is None:
            return None
        below = [own for own, parent in links.items() if parent == checkpoint_id]
        parent_id = stored.parent_id
        return Step(
            stored,
            None if parent_id is None else self._at(namespace, parent_id),
            tuple(child for own in below if (child := self._at(namespace, own)) is not None),
            live_head(links) == checkpoint_id,
        )

    def asked(
        self, namespace: str, question_ids: Callable[[StoredWrite], Iterable[str]]
    ) -> frozenset[str]:
        """Return the ids of all questions that stand in a chain."""
        known = self.kin.asked
        if namespace not in known:
            rows = self._rows.interrupts(self._ref(namespace), self._blobs)
            known[namespace] = frozenset(i for row in rows for i in question_ids(row))
        return known[namespace]

    def _ref(self, namespace: str) -> ThreadRef:
        return ThreadRef(thread_id=self._thread_id, namespace=namespace)

    def _chain(self, namespace: str) -> Mapping[str, str | None]:
        known = self.kin.links
        if namespace not in known:
            known[namespace] = dict(self._rows.links(self._ref(namespace)))
        return known[namespace]

    def _at(self, namespace: str, checkpoint_id: str) -> Stored | None:
        return self._rows.checkpoint(self._ref(namespace), checkpoint_id, self._blobs)


def live_head(links: Mapping[str, str | None]) -> str | None:
    """Return the highest id among the checkpoints that are no other's parent."""
    parents = set(links.values())
    return max((own for own in links if own not in parents), default=None)


class _Whole:
    """Single rows of a store that only reads whole chains; each chain is read once."""

    def __init__(self, rows: WholeRows, blobs: Blobs) -> None:
        self._rows = rows
        self._blobs = blobs
        self._chains: dict[str, dict[str, Stored]] = {}

    def links(self, ref: ThreadRef) -> Iterable[tuple[str, str | None]]:
        return [(one.checkpoint_id, one.parent_id) for one in self._chain(ref).values()]

    def checkpoint(self, ref: ThreadRef, checkpoint_id: str, blobs: Blobs) -> Stored | None:
        return self._chain(ref).get(checkpoint_id)

    def interrupts(self, ref: ThreadRef, blobs: Blobs) -> Iterable[StoredWrite]:
        chain = self._chain(ref).values()
        return [w for one in chain for w in one.writes if w.channel == INTERRUPT]

    def _chain(self, ref: ThreadRef) -> Mapping[str, Stored]:
        if ref.namespace not in self._chains:
            written: dict[str, list[StoredWrite]] = {}
            for found in self._rows.writes(ref, self._blobs):
                if not isinstance(found, Problem):
                    written.setdefault(found[0], []).append(found[1])
            chain = [c for c in self._rows.checkpoints(ref, self._blobs) if isinstance(c, Stored)]
            self._chains[ref.namespace] = {c.checkpoint_id: written_at(c, written) for c in chain}
        return self._chains[ref.namespace]


def written_at(one: Stored, written: Mapping[str, Iterable[StoredWrite]]) -> Stored:
    """Return a checkpoint with its writes of ``written``, in the order in which they apply."""
    own = sorted(written.get(one.checkpoint_id, ()), key=lambda write: write.sort)
    return one._replace(writes=tuple(own))

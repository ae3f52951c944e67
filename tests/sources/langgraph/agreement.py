"""Where our reading of a store and what LangGraph said of it part: the contract, field by field.

``conftest.py`` hands `compare` to tests of every kind of store as the fixture ``compare``. Truths
are of ``tests/data/langgraph`` and ``../shared/samples/langgraph``; those of the shared old
releases are looser (classes dropped, fewer fields), which `Truth` evens out.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import one_form

from viewer.chain import Chain, when
from viewer.jsontext import dumps
from viewer.model import Checkpoint, Task
from viewer.sources.langgraph.tasks import pending_update, result

INTERNAL = ("branch:", "join:", "start:", "__")
KINDS = {"__pregel_pull": "pull", "__pregel_push": "push"}


class Difference(NamedTuple):
    """One field that our reading and the truth do not share."""

    thread: str
    """``thread/namespace``"""
    where: str
    """The checkpoint, and the task in it."""
    name: str
    own: str
    want: str

    def __str__(self) -> str:
        both = zip(self.own, self.want, strict=False)
        part = next((at for at, (one, other) in enumerate(both) if one != other), 0)
        start = max(0, part - 60)
        own, want = (text[start : start + 200] for text in (self.own, self.want))
        return f"{self.thread} {self.where} {self.name}: …{own}… but is …{want}…"


@dataclass
class Compared:
    """What differs, and how often each field was compared."""

    differences: list[Difference] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    pending: int = 0
    """Checkpoints whose values LangGraph shows with an update that the store has yet to apply."""

    @property
    def told(self) -> str:
        """Every difference, one a line."""
        return "\n".join(map(str, self.differences))

    def check(self, thread: str, where: str, name: str, own: Any, want: Any) -> None:
        """Compare one field as exact JSON text."""
        self.counts[name] += 1
        mine, truly = (
            dumps(one_form.ordered(own)),
            dumps(one_form.ordered(one_form.as_stored(want, own))),
        )
        if mine != truly:
            self.differences.append(Difference(thread, where, name, mine, truly))


def compare(
    chains: Mapping[tuple[str, str], Callable[[], Chain]], truth: Any, *, ordered: bool = True
) -> Compared:
    """Compare every thread and namespace of a store with the truth, in every field that it carries.

    Args:
        chains: (thread, namespace) → what loads its chain.
        truth: the parsed ``expected.json``.
        ordered: False where the store keeps no order among the tasks of a step.
    """
    done = Compared()
    release = tuple(map(int, truth["made_by"]["langgraph"].split(".")))
    wanted = {
        (thread, namespace): told
        for thread, by_namespace in truth["threads"].items()
        for namespace, told in _by_namespace(by_namespace).items()
    }
    done.check("", "", "namespaces", sorted(map(list, chains)), sorted(map(list, wanted)))
    for key in wanted.keys() & chains.keys():
        below = {namespace for thread, namespace in wanted if thread == key[0]}
        told = wanted[key]
        loose = "live_status" not in told
        thread = _Thread(done, release, f"{key[0]}/{key[1]}", below, loose)
        thread.ordered = ordered and release >= (0, 3)
        thread.compare(chains[key](), told)
    return done


def _by_namespace(told: Any) -> dict[str, Any]:
    return {"": told} if "history" in told else dict(told)


@dataclass
class _Thread:
    done: Compared
    release: tuple[int, ...]
    place: str
    namespaces: set[str]
    """Of the thread."""
    loose: bool
    """Whether the truth has lost the classes of values."""
    ordered: bool = True
    """Whether the store keeps the order of tasks; the first format did not."""
    names: set[str] = field(default_factory=set)
    """Channels that LangGraph counts to the state."""

    def compare(self, chain: Chain, told: Any) -> None:
        history = told["history"]
        values = [one["values"] for one in history if isinstance(one.get("values"), dict)]
        self.names = {name for one in values for name in one}
        self._check("", "count", len(chain.checkpoints), told.get("count", len(history)))
        by_id = {one.checkpoint_id: one for one in chain.checkpoints}
        for want in history:
            found = want.get("checkpoint_id") or want["checkpoint"]["checkpoint_id"]
            own = by_id.get(found)
            self._check(found, "checkpoint", own is not None, True)
            if own is not None:
                self._checkpoint(chain, own, want)
        if chain.head is not None:
            self._live(chain.checkpoints[chain.head], told)

    def _check(self, where: str, name: str, own: Any, want: Any) -> None:
        self.done.check(self.place, where, name, own, want)

    def _checkpoint(self, chain: Chain, own: Checkpoint, want: Any) -> None:
        at = own.checkpoint_id
        parent = want["parent_checkpoint"] if "parent_checkpoint" in want else want["parent"]
        above = parent["checkpoint_id"] if isinstance(parent, dict) else parent
        self._check(at, "parent", own.parent_id, above)
        mine = {"step": own.step, "source": own.origin, **own.metadata}
        self._check(at, "metadata", one_form.metadata(mine), one_form.metadata(want["metadata"]))
        if not own.has_state:
            return
        self._check(at, "created_at", own.created_at, when(want["created_at"]))
        self._check(at, "next", self._in_order(own.next), self._in_order(want["next"]))
        self._tasks(own, want["tasks"])
        asked = [one for task in want["tasks"] for one in task["interrupts"]]
        self._interrupts(at, "interrupts", own.interrupts, asked)
        if "values" in want:
            self._values(own, chain.state(own.index), want["values"])

    def _in_order(self, names: Any) -> list[Any]:
        """Return names in their order, where the store keeps one."""
        return list(names) if self.ordered else sorted(names)

    def _tasks(self, own: Checkpoint, told: list[Any]) -> None:
        """Compare the planned tasks; others of which rows tell (calls, handlers) come after them."""
        mine, rest = own.tasks[: len(own.next)], own.tasks[len(own.next) :]
        if not self.ordered:
            mine = tuple(sorted(mine, key=lambda task: (task.node, task.id)))
            told = sorted(told, key=lambda task: (task["name"], task["id"]))
        at = own.checkpoint_id
        self._check(at, "tasks", [t.node for t in mine], [t["name"] for t in told])
        self._check(at, "other tasks", [t.node for t in rest if t.kind in ("pull", "push")], [])
        for task, want in zip(mine, told, strict=False):
            where = f"{at} {want['name']}"
            self._check(where, "task.id", task.id, want["id"])
            error = task.errors[-1].message if task.errors else None
            if self.release > (0, 2, 14) or want["error"]:  # that one's history never has errors
                self._check(where, "task.error", error, want["error"])
            self._interrupts(where, "task.interrupts", task.interrupts, want["interrupts"])
            if "path" in want:
                self._check(where, "task.path", task.kind, KINDS[want["path"][0]])
            if "result" in want:
                self._check(
                    where, "task.result", self._result(task), one_form.settled(want["result"])
                )
            if "state" in want:
                self._check(where, "task.state", task.namespace, self._below(want["state"]))

    def _result(self, task: Task) -> Any:
        """Return a task's result; in the first formats nodes also write channels of their name."""
        found = result(task)
        if isinstance(found, dict) and "$type" not in found and self.release < (0, 4):
            return {name: value for name, value in found.items() if name in self.names}
        return found

    def _below(self, state: Any) -> str | None:
        """Return the namespace that stores what the truth says of a task's subgraph.

        LangGraph names one for every subgraph; one that remembers stores without task ids, and one
        that has not begun stores nothing.
        """
        if state is None:
            return None
        found = state.get("checkpoint", state)["checkpoint_ns"]
        parts = found.split("|")
        bare_ = "|".join(part.split(":")[0] for part in parts if not part.isdigit())
        return next((one for one in (found, bare_) if one in self.namespaces), None)

    def _interrupts(self, where: str, name: str, own: Any, told: list[Any]) -> None:
        """Compare questions; an id that the release did not have, or that is sealed, is left out."""
        ids = all(one["id"] is not None for one in told) and not any(map(_is_sealed, own))
        mine = [[one.id if ids else None, one.value] for one in own]
        want = [[one["id"] if ids else None, one_form.settled(one["value"])] for one in told]
        if not self.ordered:
            mine, want = sorted(mine, key=dumps), sorted(want, key=dumps)
        self._check(where, name, one_form.bare(mine) if self.loose else mine, want)

    def _values(self, own: Checkpoint, state: Any, told: Any) -> None:
        if not isinstance(told, dict) or "$type" in told:  # a workflow returns one value
            self._check(own.checkpoint_id, "values", state.get("__end__"), one_form.settled(told))
            return
        mine = {name: value for name, value in state.items() if not name.startswith(INTERNAL)}
        if self.release < (0, 3):  # channels that are named like nodes have no mark
            mine = {name: value for name, value in mine.items() if name in self.names}
        truly = one_form.settled(told)
        if pending := pending_update(own.writes):
            self.done.pending += 1
            for write in pending:
                if write.channel in truly:
                    mine[write.channel] = _updated(mine.get(write.channel), write.value)
        # a reducer channel that nothing was written to is empty for LangGraph and not stored
        unwritten = {k for k, v in truly.items() if k not in mine and v in ([], {}, "", 0)}
        truly = {name: value for name, value in truly.items() if name not in unwritten}
        if self.loose:
            mine, truly = one_form.bare(mine), one_form.bare(truly)
        self._check(own.checkpoint_id, "values", mine, truly)

    def _live(self, head: Checkpoint, told: Any) -> None:
        where = head.checkpoint_id
        # who was to run stands in the checkpoint: of an unreadable one only questions and errors tell
        if "live_status" in told and (head.has_state or head.status is not None):
            self._check(where, "live_status", head.status, told["live_status"])
        if not head.has_state:
            return
        # up to 0.2.19 the library does not tell finished tasks from others
        left = head.next if self.release < (0, 2, 60) else head.next_live
        self._check(where, "live_next", self._in_order(left), self._in_order(told["live_next"]))
        asked = [one for one in head.interrupts if one.open]
        if "live_interrupts" in told:
            self._interrupts(where, "live_interrupts", asked, told["live_interrupts"])
        planned = {task.id: task for task in head.tasks}
        for want in told.get("live_tasks", ()):
            task = planned.get(want["id"])
            self._check(where, "live_tasks", task and task.node, want["name"])
            if task is None:
                continue
            open_ = [one for one in task.interrupts if one.open]
            self._interrupts(where, "live_tasks.interrupts", open_, want["interrupts"])
            if "result" in want:
                mine = self._result(task)
                self._check(where, "live_tasks.result", mine, one_form.settled(want["result"]))
            if "state" in want:
                below = self._below(want["state"])
                self._check(where, "live_tasks.state", task.namespace, below)


def _is_sealed(asked: Any) -> bool:
    return isinstance(asked.value, dict) and asked.value.get("$type") == "encrypted"


def _updated(value: Any, update: Any) -> Any:
    return [*value, *update] if isinstance(value, list) and isinstance(update, list) else update


def load_all(source: Any) -> Iterator[tuple[tuple[str, str], Callable[[], Chain]]]:
    """Yield what `compare` takes, of an open source."""
    for ref in source.threads:
        yield (ref.thread_id, ref.namespace), lambda ref=ref: source.chain(ref)

"""Which chain a question comes from: every ancestor of the asking task holds a copy of it."""

from collections.abc import Sequence

from viewer.sources.langgraph.ancestry import Ancestry
from viewer.sources.langgraph.asked import question_ids
from viewer.sources.langgraph.attach import QUESTIONS, TaskRows
from viewer.sources.langgraph.naming import interrupt_id, task_namespace, without_ids


class Askers:
    """Tells who asked what stands in one chain.

    Since release 0.6 a question's id is the hash of the namespace of the task that asked. Where it
    is not that of the task at hand, the deepest chain below that holds the same id has asked.
    """

    def __init__(self, ancestry: Ancestry, namespace: str, namespaces: Sequence[str]) -> None:
        self._ancestry = ancestry
        self._namespace = namespace
        self._below = [n for n in namespaces if n != namespace]
        self._by_task: dict[str, list[str]] | None = None
        self._remembered: dict[str, list[str]] = {}

    def __call__(self, task: TaskRows, question: str) -> str | None:
        """Return the namespace that asked ``question``; None where it is the chain's own."""
        own = task_namespace(self._namespace, task.node, task.id)
        if not self._below or any(question == interrupt_id(own, n) for n in range(QUESTIONS)):
            return None
        return next((n for n in self._under(own, task.id) if question in self._asked(n)), None)

    def _asked(self, namespace: str) -> frozenset[str]:
        return self._ancestry.asked(namespace, question_ids)

    def _under(self, own: str, task: str) -> list[str]:
        """Return the namespaces below a task, deepest first.

        A call's has the name of what it called.
        """
        if self._by_task is None:
            self._by_task = {}
            for name in self._below:
                for named in {part.partition(":")[2] for part in name.split("|")}:
                    self._by_task.setdefault(named, []).append(name)
        kept = without_ids(own)
        if kept not in self._remembered:
            self._remembered[kept] = [
                name for name in self._below if name == kept or name.startswith(f"{kept}|")
            ]
        found = dict.fromkeys((*self._remembered[kept], *self._by_task.get(task, ())))
        return sorted(found, key=lambda name: name.count("|"), reverse=True)

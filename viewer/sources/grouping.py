"""From placed records to an opened source: which thread each belongs to."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice

from viewer.errors import ProfileError, SourceError
from viewer.limits import Limits
from viewer.model import MISSING, NO_SIDECARS, Problem, Record, Sidecars, Thread, ThreadRef
from viewer.profiles import Profile, choose, load_profile
from viewer.sources.elements import Element
from viewer.sources.records import Placed, records
from viewer.sources.sharing import collector_paused

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A `Reading` whose threads are all in memory, their states shared."""

    place: str
    threads: tuple[ThreadRef, ...]
    problems: tuple[Problem, ...]
    by_key: Mapping[_Key, Thread] = field(repr=False)

    def load(self, ref: ThreadRef) -> Thread:
        """Return the records of one thread and namespace.

        Raises:
            SourceError: the source holds no such thread.
        """
        try:
            return self.by_key[ref.thread_id, ref.namespace]
        except KeyError as error:
            raise SourceError(self.place, f"no thread {ref.thread_id!r}") from error


def loaded(
    place: str,
    elements: Iterable[Element],
    limits: Limits,
    *,
    name: str,
    problems: Iterable[Problem] = (),
    sidecars: Sidecars = NO_SIDECARS,
    profile: str | None = None,
) -> Loaded:
    """Return the opened source of ``elements``.

    A wrapper's ``thread_id`` and ``namespace`` decide; a record without them belongs to the
    thread of the one before it (or to the first that is named). Where no wrapper names a thread,
    all are one, called by what every state says at its profile's thread field, else ``name``.

    Args:
        place: the source's path.
        elements: its values in source order, read to the end here.
        limits: bounds; what is beyond ``limits.checkpoints`` is left out and said.
        name: id of the thread that nothing names.
        problems: those of the source; a list may still grow while ``elements`` are read.
        sidecars: what stands beside the checkpoints; the same for each thread.
        profile: name of the profile of all states, where something says it.
    """
    with collector_paused():
        found = records(islice(elements, limits.checkpoints + 1), limits)
    cut = len(found) > limits.checkpoints
    more = []
    if cut:
        reason = (
            f"more than {limits.checkpoints} checkpoints; the rest is left out (limit: checkpoints)"
        )
        more.append(Problem(place=place, reason=reason, keyword="limit"))
        found = found[: limits.checkpoints]
    groups = _groups(found, name, profile)
    threads = {
        key: Thread(ref=_ref(key, group), records=tuple(group), sidecars=sidecars, profile=profile)
        for key, group in groups.items()
    }
    return Loaded(
        place=place,
        threads=tuple(thread.ref for thread in threads.values()),
        problems=_few((*problems, *more), place, limits),
        by_key=threads,
    )


def _few(problems: tuple[Problem, ...], place: str, limits: Limits) -> tuple[Problem, ...]:
    over = len(problems) - limits.problems
    if over <= 0:
        return problems
    reason = f"{over} more problems are not listed (limit: problems)"
    return (*problems[: limits.problems], Problem(place=place, reason=reason, keyword="limit"))


def _groups(found: list[Placed], name: str, profile: str | None) -> dict[_Key, list[Record]]:
    first = next((p for p in found if p.thread_id is not None), None)
    if first is None:
        name = _own_name([p.record for p in found], profile) or name
    key = (name, "") if first is None else (first.thread_id or name, first.namespace)
    groups: dict[_Key, list[Record]] = {}
    for record, thread_id, namespace in found:
        if thread_id is not None:
            key = (thread_id, namespace)
        elif record.listed and (namespace or first is None):
            key = (key[0], namespace)
        groups.setdefault(key, []).append(record)
    return groups or {key: []}


def _own_name(found: list[Record], profile: str | None) -> str | None:
    states = [record.state for record in found if record.state is not MISSING]
    if not states:
        return None
    try:
        meaning: Profile = choose(states[0]) if profile is None else load_profile(profile)
    except ProfileError:
        return None
    names = {
        name if isinstance(name := meaning.field("thread_id", s), str) else None for s in states
    }
    return names.pop() if len(names) == 1 else None


def _ref(key: _Key, group: list[Record]) -> ThreadRef:
    times = [record.created_at for record in group if record.created_at is not None]
    return ThreadRef(
        thread_id=key[0],
        namespace=key[1],
        checkpoints=sum(record.listed for record in group),
        updated_at=max(times, default=None),
    )

"""How often the projection of profile langgraph equals what the model was really shown.

Runs the agents of `scripted_agents`, records each model call with `viewer.recorder`, computes the
same calls from the store alone and compares message by message. ``python bench/observation.py``
prints the table of docs/observation.md and writes it there with ``--write``.
"""

import argparse
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from langgraph.checkpoint.sqlite import SqliteSaver  # noqa: E402
from scripted_agents import APPS, turns_of  # noqa: E402

from viewer.analysis.messages import Message, messages  # noqa: E402
from viewer.analysis.observe import observe  # noqa: E402
from viewer.analysis.said import ModelCall, conversation, said  # noqa: E402
from viewer.chain import Chain  # noqa: E402
from viewer.model import NO_SIDECARS  # noqa: E402
from viewer.recorder import Recorder  # noqa: E402
from viewer.sources import open_source  # noqa: E402

CALLS = 200
PAGE = Path(__file__).parents[1] / "docs" / "observation.md"
BEGIN, END = "<!-- table: bench/observation.py -->", "<!-- end of the table -->"
EQUAL = "equal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One recorded call beside what the projection of its checkpoint says."""

    kind: str
    node: str
    verdict: str
    """`EQUAL`, or why the two differ."""
    system: bool
    """The model got a system prompt that stands nowhere in the state."""


def recorded(folder: Path, kind: str, thread: str, most: int) -> Path:
    """Run one app with a recorder and return its store; stop after the turn with call ``most``."""
    store = folder / f"{list(APPS).index(kind)}-{thread}.db"
    connection = sqlite3.connect(store, check_same_thread=False)
    seen = Recorder(f"{store}.observations.jsonl")
    config = {"configurable": {"thread_id": thread}, "callbacks": [seen], "recursion_limit": 60}
    for turn in turns_of(APPS[kind], SqliteSaver(connection)):
        turn(config)
        if _lines(store) >= most:
            break
    connection.close()
    if seen.failures:
        raise RuntimeError(seen.last_failure)
    return store


def _lines(store: Path) -> int:
    path = Path(f"{store}.observations.jsonl")
    return path.read_text(encoding="utf-8").count('"kind": "call"') if path.exists() else 0


def compared(store: Path, kind: str) -> Iterator[Compared]:
    """Yield each call recorded beside ``store``, compared with the store alone.

    Raises:
        RuntimeError: a call is joined to no checkpoint.
    """
    source = open_source(store)
    if source.problems:
        raise RuntimeError(source.problems[0].reason)
    joined = 0
    for ref in source.threads:
        chain = source.chain(ref)
        if chain.problems:
            raise RuntimeError(chain.problems[0].reason)
        for checkpoint in chain.checkpoints:
            for call in observe(chain, checkpoint.index).calls or ():
                joined += 1
                yield _compared(chain, checkpoint.index, call, kind)
    if joined != _lines(store):
        raise RuntimeError(f"{kind}: {_lines(store)} calls recorded, {joined} joined")


def _compared(chain: Chain, index: int, call: ModelCall, kind: str) -> Compared:
    computed = conversation(messages(_projected(chain, index), chain.profile))
    shown = conversation(call.messages)
    state = [said(m) for m in messages(chain.state(index), chain.profile)]
    system = [m for m in call.messages if m.role == "system" and said(m) not in state]
    return Compared(kind=kind, node=call.node, verdict=why(computed, shown), system=bool(system))


def _projected(chain: Chain, index: int) -> Any:
    from dataclasses import replace

    found = observe(replace(chain, sidecars=NO_SIDECARS), index)
    if found.kind != "computed":
        raise RuntimeError(found.why)
    return found.value


def why(computed: Iterable[Message], shown: Iterable[Message]) -> str:
    """Return `EQUAL`, or how what was shown differs from what is computed."""
    one, other = [*computed], [*shown]
    words, seen = [said(m) for m in one], [said(m) for m in other]
    if words == seen:
        return EQUAL
    ids = {m.id for m in one if m.id is not None}
    if not any(word in words for word in seen) and not any(m.id in ids for m in other):
        return "no message of the state: a call for another purpose"
    added = [m for m, word in zip(other, seen, strict=True) if word not in words]
    if any(m.id in ids for m in added):
        return "a message's text replaced on the way"
    if added:
        return "a message added on the way"
    return "messages left out on the way"


def run(calls: int = CALLS, kinds: Iterable[str] = tuple(APPS)) -> list[Compared]:
    """Return ``calls`` compared calls, the same share of each kind where that goes."""
    named = [*kinds]
    found: dict[str, list[Compared]] = {kind: [] for kind in named}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(calls):
            for kind in named:
                share = -(-calls // len(named))
                missing = share - len(found[kind])
                if missing > 0:
                    store = recorded(Path(folder), kind, f"t{number}", missing)
                    found[kind] += [*compared(store, kind)][:missing]
            if sum(map(len, found.values())) >= calls:
                break
    return [one for kind in named for one in found[kind]][:calls]


def table(found: Iterable[Compared]) -> str:
    """Return the agreement by kind of app as a Markdown table."""
    rows = ["| app | calls | equal | why the others differ | system prompt only recorded |"]
    rows.append("|---|---:|---:|---|---:|")
    listed = [*found]
    for kind in dict.fromkeys(one.kind for one in listed):
        own = [one for one in listed if one.kind == kind]
        reasons = Counter(one.verdict for one in own if one.verdict != EQUAL)
        told = "; ".join(f"{reason} ({count})" for reason, count in reasons.most_common())
        rows.append(f"| {kind} | {len(own)} | {_equal(own)} | {told} | {_system(own)} |")
    rows.append(f"| **all** | {len(listed)} | **{_equal(listed)}** | | {_system(listed)} |")
    return "\n".join(rows)


def _equal(found: Iterable[Compared]) -> int:
    return sum(one.verdict == EQUAL for one in found)


def _system(found: Iterable[Compared]) -> int:
    return sum(one.system for one in found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the table into the docs")
    chosen = parser.parse_args()
    made = table(run())
    print(made)
    if chosen.write:
        text = PAGE.read_text(encoding="utf-8")
        head, rest = text.split(BEGIN)
        _, tail = rest.split(END)
        PAGE.write_text(f"{head}{BEGIN}\n{made}\n{END}{tail}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

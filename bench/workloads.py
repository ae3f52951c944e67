"""Chains and pairs of states, seeded: the same call yields the same bytes on every machine.

A chain grows as an agent run does: each step counts usage, appends events, messages and evidence,
edits a text now and then, and rarely removes or moves an item ("mixed"); "append" only appends,
"churn" edits, removes and moves some of everything at every step.
"""

import json
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

WORK = Path(__file__).parent / "made"
SEED = 7
_PROSE = (
    "the of and to in a is that for it as was with be by on not he this are or his from at which "
    "but have an had they you were their one all we can her has there been if more when will would "
    "who so no agent tool plan step search result evidence context token model prompt response "
    "checkpoint state budget retry timeout latency user document invoice contract clause supplier "
    "customer order shipment refund policy section table figure analysis summary review approve "
    "reject revise merge branch commit deploy verify compute estimate compare extract classify rank "
    "café naïve Zürich São 東京 大阪 данные résumé ✓ → “quoted” under_score hyphen-ated 3.14 42 2024-05-01"
)
_COMMON = _PROSE.split()
_ENDS = (". ", ". ", "? ", "; ", ".\n", ".\n\n- ")


class Spec(NamedTuple):
    """What a chain is made from."""

    kind: str
    """``task`` or ``agent``"""
    documents: int
    size: int
    """Bytes of the last document, about."""
    style: str = "mixed"


CHAINS = {
    "t200_200k": Spec("task", 200, 200_000),
    "a200_200k": Spec("agent", 200, 200_000),
    "t200_2m": Spec("task", 200, 2_000_000),
    "a2000_20k": Spec("agent", 2_000, 20_000),
    "t20_200k": Spec("task", 20, 200_000),
    "a20_200k": Spec("agent", 20, 200_000),
    "t20_2m": Spec("task", 20, 2_000_000),
    "a20_20k": Spec("agent", 20, 20_000),
    "t10_20k": Spec("task", 10, 20_000),
    "t10_5m": Spec("task", 10, 5_000_000),
    "t10_200k_append": Spec("task", 10, 200_000, "append"),
    "t10_200k_churn": Spec("task", 10, 200_000, "churn"),
    "t10_2m_churn": Spec("task", 10, 2_000_000, "churn"),
}


class _Maker:
    """Makes the parts of states from one stream of random numbers."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.made = 0

    def id(self, prefix: str) -> str:
        self.made += 1
        return f"{prefix}_{self.made:06d}_{self.random.getrandbits(32):08x}"

    def sentence(self) -> str:
        rng = self.random
        count = rng.randint(6, 18)
        words = [_COMMON[min(int(rng.expovariate(1 / 28)), len(_COMMON) - 1)] for _ in range(count)]
        return words[0].capitalize() + " " + " ".join(words[1:]) + rng.choice(_ENDS)

    def text(self, size: int) -> str:
        parts, have = [], 0
        while have < size:
            parts.append(self.sentence())
            have += len(parts[-1].encode())
        return "".join(parts)

    def edited(self, text: str) -> str:
        rng = self.random
        if len(text) < 40:
            return text + self.sentence()
        start = rng.randrange(len(text))
        return text[:start] + self.sentence() + text[start + rng.randint(40, 150) :]

    def time(self, step: int) -> str:
        day, hour, minute = 1 + step // 1440 % 28, step // 60 % 24, step % 60
        return f"2025-03-{day:02d}T{hour:02d}:{minute:02d}:{self.random.randint(0, 59):02d}Z"

    def event(self, seq: int, step: int) -> dict[str, Any]:
        rng = self.random
        return {
            "seq": seq,
            "type": rng.choice(("step.started", "step.finished", "tool.called", "llm.response")),
            "at": self.time(step),
            "step": step,
            "payload": {
                "ms": round(rng.random() * 900, 2),
                "ok": rng.random() < 0.95,
                "node": rng.choice(("planner", "worker", "critic", "router")),
                "n": rng.randint(0, 9),
            },
        }

    def message(self, step: int) -> dict[str, Any]:
        rng = self.random
        role = rng.choice(("user", "assistant", "tool", "system"))
        made: dict[str, Any] = {"id": self.id("msg"), "role": role, "createdAt": self.time(step)}
        if rng.random() < 0.25:
            image = {"type": "image_ref", "ref": self.id("img"), "w": rng.randint(64, 2048)}
            made["content"] = [
                {"type": "text", "text": self.text(rng.randint(200, 1500))},
                image | {"h": rng.randint(64, 2048)},
            ]
        else:
            made["content"] = self.text(int(min(6000, rng.lognormvariate(6.6, 0.8))))
        if role == "assistant" and rng.random() < 0.5:
            made["toolCalls"] = [
                {
                    "id": self.id("tc"),
                    "name": rng.choice(("search", "read", "sql", "calc")),
                    "args": {
                        "q": self.sentence().strip(),
                        "limit": rng.randint(1, 50),
                        "strict": rng.random() < 0.5,
                        "opts": {"k": rng.random(), "lang": None},
                    },
                }
                for _ in range(rng.randint(1, 3))
            ]
        made["tokens"] = rng.randint(10, 2000)
        return made

    def evidence(self, step: int) -> dict[str, Any]:
        rng = self.random
        return {
            "id": self.id("ev"),
            "kind": rng.choice(("web", "file", "db", "human")),
            "source": f"https://example.test/{rng.getrandbits(40):x}",
            "score": round(rng.random(), 4),
            "quote": self.text(rng.randint(150, 900)),
            "tags": rng.sample(_COMMON[40:90], rng.randint(1, 5)),
            "meta": {
                "page": rng.randint(1, 400),
                "hash": f"{rng.getrandbits(128):032x}",
                "lang": rng.choice(("en", "fr", "ja")),
                "used": rng.random() < 0.3,
            },
            "addedAtStep": step,
        }

    def memory(self) -> dict[str, Any]:
        rng = self.random
        return {
            "id": self.id("mem"),
            "kind": rng.choice(("episodic", "semantic", "file")),
            "score": round(rng.random(), 4),
            "key": f"mem/{rng.getrandbits(48):012x}",
            "pinned": rng.random() < 0.1,
            "summary": self.text(rng.randint(80, 400)),
        }


def _usage() -> dict[str, Any]:
    model = {"calls": 0, "tokens": 0}
    return {
        "inputTokens": 0,
        "outputTokens": 0,
        "costUsd": 0.0,
        "cacheHits": 0,
        "byModel": {"small": model, "large": dict(model)},
    }


def _task(make: _Maker) -> dict[str, Any]:
    rng = make.random
    return {
        "schemaVersion": "1.2",
        "taskId": make.id("task"),
        "goal": make.text(300),
        "status": "queued",
        "step": 0,
        "attachments": [
            {
                "id": make.id("att"),
                "name": f"file{i}.pdf",
                "size": rng.randint(1000, 9_000_000),
                "sha256": f"{rng.getrandbits(256):064x}",
            }
            for i in range(3)
        ],
        "plan": [
            {
                "id": make.id("pl"),
                "title": make.sentence().strip(),
                "status": "todo",
                "notes": make.text(60),
                "dependsOn": [],
            }
            for _ in range(4)
        ],
        "evidence": [],
        "proposal": None,
        "errors": [],
        "usage": _usage(),
        "events": [],
        "messages": [],
    }


def _agent(make: _Maker) -> dict[str, Any]:
    values = (1, 1.5, "1", None, True)
    return {
        "schemaVersion": "1.0",
        "agentId": make.id("agent"),
        "status": "running",
        "step": 0,
        "working": {
            "scratch": make.text(400),
            "variables": {f"v{i}": make.random.choice(values) for i in range(20)},
            "notes": [],
        },
        "pendingTool": None,
        "memoryRefs": [],
        "usage": _usage(),
        "events": [],
        "messages": [],
    }


def _grow(make: _Maker, state: dict[str, Any], step: int, room: float) -> int:
    """Append parts worth about ``room`` bytes to ``state``; return their bytes."""
    rng = make.random
    used = 0
    while used < room:
        kind = rng.random()
        into: list[Any]
        part: Any
        if kind < 0.42:
            into, part = state["events"], make.event(len(state["events"]), step)
        elif kind < 0.72:
            into, part = state["messages"], make.message(step)
        elif kind < 0.97:
            known = state.get("evidence")
            into = state["memoryRefs"] if known is None else known
            part = make.memory() if known is None else make.evidence(step)
        elif "errors" in state:
            into, part = state["errors"], {"code": "E_TOOL", "message": make.sentence().strip()}
        else:
            into, part = state["working"]["notes"], make.text(80)
        size = len(encoded(part))
        if used and used + size > room * 1.5:
            break
        into.append(part)
        used += size
    return used


def _step(make: _Maker, state: dict[str, Any], step: int, spec: Spec) -> None:
    """Change ``state`` in place as one step of a run does, but for what it appends."""
    rng = make.random
    usage = state["usage"]
    state["step"] = step
    usage["inputTokens"] += rng.randint(200, 4000)
    usage["outputTokens"] += rng.randint(20, 900)
    usage["costUsd"] = round(usage["costUsd"] + rng.random() * 0.02, 6)
    usage["cacheHits"] += rng.random() < 0.4
    model = usage["byModel"][rng.choice(("small", "large"))]
    model["calls"] += 1
    model["tokens"] += rng.randint(100, 3000)
    if rng.random() < 0.3:
        state["status"] = rng.choice(("planning", "running", "waiting", "paused"))
    if spec.style == "append":
        return
    if "working" in state:
        working = state["working"]
        value = rng.choice((step, step * 0.5, str(step), None, True, False))
        working["variables"][f"v{rng.randrange(24)}"] = value
        if rng.random() < 0.4:
            working["scratch"] = make.edited(working["scratch"])
        call = {"id": make.id("tc"), "name": "sql", "args": {"q": make.sentence().strip()}}
        state["pendingTool"] = None if rng.random() < 0.5 else call
    else:
        if rng.random() < 0.25:
            rng.choice(state["plan"])["status"] = rng.choice(("todo", "doing", "done"))
        if rng.random() < 0.2:
            body = make.text(min(20_000, max(400, spec.size // 60)))
            if state["proposal"] is not None:
                body = make.edited(state["proposal"]["body"])
            state["proposal"] = {"body": body, "confidence": round(rng.random(), 3), "changes": []}
    _touch(make, state, spec.style == "churn")


def _touch(make: _Maker, state: dict[str, Any], churn: bool) -> None:
    """Edit, remove and move items: rarely, or with ``churn`` three in a hundred every time."""
    rng = make.random
    rows = state["evidence"] if "evidence" in state else state["memoryRefs"]
    edits = max(1, int(0.03 * (len(rows) + len(state["messages"])))) if churn else 1
    for _ in range(edits):
        if not churn and rng.random() >= 0.3:
            continue
        if rows and rng.random() < 0.6:
            rng.choice(rows)["score"] = round(rng.random(), 4)
        elif state["messages"]:
            message = rng.choice(state["messages"])
            if isinstance(message["content"], str):
                message["content"] = make.edited(message["content"])
            else:
                message["content"][0]["text"] = make.edited(message["content"][0]["text"])
    often = 0.8 if churn else 0.04
    if len(rows) > 4 and rng.random() < often:
        rows.pop(rng.randrange(len(rows) // 2))
    if len(rows) > 4 and rng.random() < often:
        rows.insert(rng.randrange(len(rows)), rows.pop(rng.randrange(len(rows))))


def states(spec: Spec, seed: int = SEED) -> Iterator[dict[str, Any]]:
    """Yield the states of a chain, one object changed in place: encode it before the next."""
    make = _Maker(seed * 1_000_003 + len(spec.kind))
    state = (_task if spec.kind == "task" else _agent)(make)
    share = 0.7 if spec.documents <= 20 else 0.4 if spec.documents <= 400 else 0.05
    size = len(encoded(state))
    size += _grow(make, state, 0, spec.size * share - size)
    each = max(0.0, (spec.size - size) / max(1, spec.documents - 1))
    owed = 0.0
    yield state
    for step in range(1, spec.documents):
        _step(make, state, step, spec)
        owed += each
        if owed > 250:
            owed -= _grow(make, state, step, owed)
        yield state


def encoded(state: Any) -> bytes:
    """Return ``state`` as one line of compact JSON."""
    return json.dumps(state, ensure_ascii=False, separators=(",", ":")).encode()


def chain_file(name: str) -> Path:
    """Return the JSONL file of a chain in `CHAINS`, made when it is missing."""
    path = WORK / f"{name}.jsonl"
    if not path.exists():
        WORK.mkdir(exist_ok=True)
        part = path.with_suffix(".part")
        with part.open("wb") as out:
            for state in states(CHAINS[name]):
                out.write(encoded(state) + b"\n")
        part.rename(path)
    return path


@cache
def chain(name: str) -> tuple[bytes, ...]:
    """Return the documents of a chain in `CHAINS`."""
    return tuple(chain_file(name).read_bytes().splitlines())


def _last_two(name: str) -> tuple[bytes, bytes]:
    lines = chain(name)
    return lines[-2], lines[-1]


def _shift(name: str, *heads: str) -> tuple[bytes, bytes]:
    """Return a document and the same one without the first item of some lists."""
    base = chain(name)[-1]
    state = json.loads(base)
    for head in heads:
        state[head].pop(0)
    state["step"] += 1
    return base, encoded(state)


def _nodes() -> tuple[bytes, bytes]:
    """Return a document of very many small objects, one of them edited, one appended."""
    state = json.loads(chain("t20_200k")[-1])
    events = state["events"]
    copies = 1_000_000 // max(1, len(encoded(events)))
    state["events"] = many = [dict(e, seq=i) for i, e in enumerate(events * copies)]
    base = encoded(state)
    many[len(many) // 2] = many[len(many) // 2] | {"payload": {"ms": -1.5}}
    many.append(dict(many[0], seq=len(many)))
    return base, encoded(state)


PAIRS: dict[str, Callable[[], tuple[bytes, bytes]]] = {
    "20k": lambda: _last_two("t10_20k"),
    "agent_200k": lambda: _last_two("a20_200k"),
    "200k": lambda: _last_two("t20_200k"),
    "append_200k": lambda: _last_two("t10_200k_append"),
    "churn_200k": lambda: _last_two("t10_200k_churn"),
    "shift_200k": lambda: _shift("t20_200k", "messages", "events"),
    "far_200k": lambda: (chain("t20_200k")[0], chain("t20_200k")[-1]),
    "nodes_1m": _nodes,
    "2m": lambda: _last_two("t20_2m"),
    "churn_2m": lambda: _last_two("t10_2m_churn"),
    "shift_2m": lambda: _shift("t20_2m", "messages"),
    "far_2m": lambda: (chain("t200_2m")[50], chain("t200_2m")[-1]),
    "5m": lambda: _last_two("t10_5m"),
}

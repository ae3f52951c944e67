"""A page that mounts the panels on made-up chains and states; ``?case=`` says which."""

import json
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import streamlit as st

from viewer.chain import Chain, assemble
from viewer.model import MISSING, PHASES, Change, Interrupt, Record, TaskError, Thread, ThreadRef
from viewer.panels.diff3 import diff_payload
from viewer.panels.strip import strip_payload
from viewer.panels.tree import tree_payload
from viewer.profiles import load_profile
from viewer.ui.panels import diff3, strip, tree

WORDS = ["order", "refund", "policy", "customer", "agent", "plan", "approve", "reject", "tool"]
MARKUP = (
    "<img src=x onerror=\"window.born='img'\"><script>window.born='script'</script>\"'</script>"
)
HOSTILE = {
    MARKUP: {MARKUP: MARKUP},
    "__proto__": {"constructor": "toString"},
    "": "under the empty key",
    "a/b~c": "pointer escapes",
    "bidi": "user\u202etxt.exe",
    "zero": "pay\u200bpal",
    "half": "x\ud800y",
    "lines": "one\ntwo\tthree\r\nfour\x00",
    "family": "👩‍👩‍👧 and é",
    "arabic": "مرحبا بالعالم",
    "markdown": "$x$ :red[red] **b** _u_ `c` | # ~ :material/home:",
    "big": 123456789012345678901234567890,
    "one": 1,
    "one point zero": 1.0,
    "nan": float("nan"),
    "infinity": float("-inf"),
    "deep": [[[[[[[[["bottom"]]]]]]]]],
}
HOSTILE_CHANGES = [
    Change("replace", (MARKUP, MARKUP), (MARKUP, MARKUP), MARKUP + "a", MARKUP),
    Change("replace", ("zero",), ("zero",), "paypal", "pay\u200bpal"),
    Change("replace", ("family",), ("family",), "👩‍👩‍👧‍👦 and é", "👩‍👩‍👧 and é"),
    Change("remove", ("gone<b>",), ("gone<b>",), {MARKUP: [MARKUP]}, MISSING),
    Change("add", ("big",), (), MISSING, HOSTILE["big"]),
    Change("replace", ("nan",), ("nan",), 1e400, float("nan")),
]
DRAFT = "The customer asks for a refund of 899.00 for order LK-615204. " * 30
TARGET = {
    "status": "waiting_approval",
    "step": 4,
    "goal": "refund",
    "limits": {"a": 1},
    "plan": [
        {"id": "b", "done": True},
        {"id": "a", "done": False},
        {"id": "c", "done": False},
    ],
    "draft": DRAFT + "We approved it.",
    "name": "user",
    "score": 1.0,
    "tokens": 1250,
    "checkpointId": "x4",
}
CHANGES = [
    Change("replace", ("status",), ("status",), "running", "waiting_approval"),
    Change("replace", ("draft",), ("draft",), DRAFT + "We refused it.", DRAFT + "We approved it."),
    Change("replace", ("name",), ("name",), "user\u202etxt.exe", "user"),
    Change("replace", ("score",), ("score",), 1, 1.0),
    Change("replace", ("tokens",), ("tokens",), 990, 1250),
    Change("move", ("plan", 0), ("plan", 1), {"id": "b", "done": False}, {"id": "b", "done": True}),
    Change("replace", ("plan", 0, "done"), ("plan", 1, "done"), False, True),
    Change("add", ("plan", 2), ("plan",), MISSING, {"id": "c", "done": False}),
    Change("remove", ("old_field",), ("old_field",), {"kept": [1, 2], "why": "here"}, MISSING),
    Change("replace", ("checkpointId",), ("checkpointId",), "x3", "x4"),
]
NESTED = {
    "answer": '{"tool":"refund","args":"{\\"amount\\": 899.00}"}',
    "saved_at": "2026-06-15T09:12:11+00:00",
    "expires": 1781507531,
    "steps": [{"ms": 12}, {"ms": 12}, {"note": "no ms"}],
}
LONG_REMOVED = Change("remove", ("gone",), ("gone",), ["word " * 50] * 1000, MISSING)
VERDICTS = ["stale", "shown", "not shown", "", "leak", "", "", "", "", ""]


@st.cache_resource
def chain_of(count: int) -> Chain:
    """A chain with two forks, every mark and, spread over it, every phase."""
    rng = random.Random(7)
    start = datetime(2026, 11, 30, 12, tzinfo=UTC)
    records = []
    for i in range(count):
        forks = count >= 20 and i in (count // 3, count // 2)
        back = 1 + forks * min(30, i // 4)
        asks = (Interrupt(id="i", value="ok?", task="t", open=False),)
        boom = (TaskError(task="t", node="tools", message="boom"),)
        records.append(
            Record(
                place=f"line:{i}",
                made_id=f"c{i}",
                parent_id=f"c{i - back}" if i else None,
                state=MISSING if i % 400 == 399 else {"step": i},
                step=i,
                status=rng.choice(["running", "running", "interrupted"]),
                nodes=(rng.choice(["agent", "tools", "router", "summarise"]),),
                created_at=start + timedelta(milliseconds=1300 * i + rng.randrange(900)),
                size_bytes=2000 + 90 * i + rng.randrange(400),
                interrupts=asks if i % 97 == 5 else (),
                errors=boom if i % 311 == 9 else (),
                decision={"kind": "approve"} if i % 97 == 6 else None,
            )
        )
    ref = ThreadRef(thread_id=f"thread of {count}")
    chain = assemble("x", "jsonl", Thread(ref=ref, records=tuple(records)), load_profile("plain"))
    phase, checkpoints = 0, []
    for checkpoint in chain.checkpoints:
        phase = rng.randrange(len(PHASES)) if rng.random() < 0.08 or count < 50 else phase
        checkpoints.append(replace(checkpoint, phase=PHASES[phase]))
    return replace(chain, checkpoints=tuple(checkpoints))


@st.cache_resource
def big_state(characters: int) -> dict[str, Any]:
    rng = random.Random(11)
    messages: list[dict[str, Any]] = []
    size = 0
    while size < characters:
        text = " ".join(rng.choices(WORDS, k=rng.choice([6, 30, 120])))
        messages.append(
            {
                "id": f"m{len(messages)}",
                "type": rng.choice(["human", "ai", "tool"]),
                "content": text,
                "usage": {"input_tokens": rng.randrange(5000), "cost": 0.25},
                "tags": ["a", None, True],
                "metadata": {"model": "m-1", "finish": "stop", "latency": 0.5},
            }
        )
        size += len(text) + 180
    return {"status": "running", "goal": "refund", "messages": messages, "step": 4}


@st.cache_resource
def edits(characters: int) -> list[Change]:
    found = [
        Change("replace", at, at, "before " + message["content"], message["content"])
        for i, message in enumerate(big_state(characters)["messages"])
        if (at := ("messages", i, "content")) and i % 20 == 3
    ]
    gone = {"id": "gone", "content": "was here"}
    found.append(Change("add", ("goal",), (), MISSING, "refund"))
    found.append(Change("remove", ("messages", 5), ("messages", 5), gone, MISSING))
    return found


@st.cache_resource
def many_changes(count: int) -> tuple[list[Change], list[str]]:
    rng = random.Random(5)
    found = []
    for i in range(count):
        group = ("messages", "plan", "usage")[i % 3]
        at = (group, i, "content" if group == "messages" else "total_tokens")
        text = " ".join(rng.choices(WORDS, k=40))
        if i % 10 == 6:
            found.append(Change("add", at, at[:-2], MISSING, {"id": i, "text": text}))
        elif i % 10 == 7:
            found.append(Change("remove", at, at, text, MISSING))
        elif i % 10 == 8:
            found.append(Change("move", at, (group, i + 3, at[2]), text, text))
        elif group == "messages":
            found.append(Change("replace", at, at, text + " the old end", text + " NEW end"))
        else:
            found.append(Change("replace", at, at, i * 7, i * 7 + rng.randrange(1, 90)))
    kinds = ["would be shown", "would not be shown", "unknown"]
    return found, [rng.choice(kinds) for _ in found]


def show_strip(count: int) -> None:
    chain = chain_of(count)
    if "idle" in st.query_params:
        # Nothing was saved for two hours in the middle.
        pause = timedelta(hours=2)
        later = [
            replace(c, created_at=c.created_at + pause) if c.index >= count // 2 else c
            for c in chain.checkpoints
        ]
        chain = replace(chain, checkpoints=tuple(later))
    broken = {i: 1 + i % 3 for i in range(count) if i % 53 == 3}
    payload = strip_payload(
        chain,
        broken,
        selected=int(st.query_params.get("start", "1")),
        parameters={"checkpoint": "checkpoint", "base": "base"},
        changed={1: ["messages", "status"], 2: ["plan"]},
    )
    if st.button("go to 2"):
        strip.move("strip", 2)
    found = strip.show(payload, key="strip")
    st.text(f"selected={found.selected} base={found.base} action={found.action}")
    st.text_input("type here")


def show_tree(size: str) -> None:
    state, changes = HOSTILE, HOSTILE_CHANGES
    if size == "small":
        state, changes = TARGET, CHANGES
    elif size == "cut":
        state, changes = NESTED, [LONG_REMOVED]
    elif size != "hostile":
        state, changes = big_state(int(size)), edits(int(size))
    if st.button("other checkpoint"):
        st.session_state["turn"] = st.session_state.get("turn", 0) + 1
    if st.session_state.get("turn", 0) % 2:
        state, changes = {**state, "step": 5, "fresh": {"inside": 1}}, []
    payload = tree_payload(
        state,
        changes,
        title="state of checkpoint 4",
        violations={"/status": ["no such word"], "/missing/field": ["required"]},
        profile=load_profile("task-state") if size == "small" else None,
        index=5 if st.session_state.get("turn", 0) % 2 else 4,
        base=3,
        thread=size,
        panel={"turn": 1, **{n: st.query_params.get(n) for n in ("at", "view", "filter")}},
    )
    tree.show(payload, key="tree")


def show_diff(size: str) -> None:
    titles = {"base_title": "@3 running", "target_title": "@4 waiting_approval"}
    if size == "small":
        profile = load_profile("plain")
        noisy = replace(profile, noise=load_noise())
        observed = {"status": "running", "draft": TARGET["draft"], "goal": "refund"}
        payload = diff_payload(
            CHANGES,
            **titles,
            target=TARGET,
            observation=("recorded", observed),
            why="recorded for checkpoint 4",
            verdicts=VERDICTS,
            profile=noisy,
        )
    elif size == "hostile":
        payload = diff_payload(
            HOSTILE_CHANGES,
            base_title=MARKUP,
            target_title="b",
            target=HOSTILE,
            observation=("computed", HOSTILE),
            why=MARKUP,
        )
    elif size == "equal":
        payload = diff_payload([], **titles, target={"a": 1})
    elif size == "rich":
        payload = rich_diff(titles)
    elif size == "megabyte":
        grown = [{"id": i, "text": f"{WORDS[i % 9]} " * 12} for i in range(12_000)]
        payload = diff_payload([Change("add", ("big",), (), MISSING, grown)], **titles)
    else:
        changes, verdicts = many_changes(int(size))
        seen = ("computed", {"messages": [{"content": "seen"}]})
        payload = diff_payload(changes, **titles, observation=seen, verdicts=verdicts)
    found = diff3.show(payload, key="diff")
    st.text(f"action={found.action}")


def rich_diff(titles: dict[str, str]) -> dict[str, Any]:
    """A summary, nodes, planes, pairings, text that holds JSON, and news for the model."""
    call = {"tool": "refund", "args": {"amount": 40}}
    old_call = json.dumps({**call, "args": {"amount": 4}})
    changes = [
        *CHANGES[5:8],
        Change("replace", ("call",), ("call",), old_call, json.dumps(call)),
        Change("replace", ("usage", "total"), ("usage", "total"), 100, 150),
        Change("remove", ("l", 1), ("l", 1), "gone", MISSING),
        Change("add", ("l", 1), ("l",), MISSING, {"came": True}),
    ]
    said = [
        {
            "op": "edited",
            "role": "user",
            "old": '"pay 4 now"',
            "text": '"pay 40 now"',
            "at": "/call",
        },
        {"op": "added", "role": "tool", "old": None, "text": '"done"', "at": ""},
        {"op": "dropped", "role": "assistant", "old": None, "text": f'"{MARKUP[:5]}"', "at": ""},
    ]
    return diff_payload(
        changes,
        **titles,
        target={"plan": TARGET["plan"], "call": "", "usage": {"total": 150, "x": 1}, "l": [0, 1]},
        observation=("recorded", {"messages": ["the whole input"]}),
        verdicts=["shown", "stale", "not shown", "leak", "unknown", "", ""],
        summary="1 item added, /plan reordered",
        paired={"/plan": "/id"},
        written={"plan": ("planner",), "call": ("caller", "planner"), "usage": ("caller",)},
        since={
            "title": "since @2",
            "summary": "1 message added, 1 edited, 1 dropped",
            "messages": said,
            "system": {"old": '"be kind"', "new": '"be brief"'},
            "kept": 7,
        },
        swaps=True,
        panel={"turn": 1, **{n: st.query_params.get(n) for n in ("at", "view", "filter")}},
    )


def load_noise() -> Any:
    from viewer.pointer import pattern

    return (pattern("/checkpointId"),)


panel, _, size = st.query_params.get("case", "strip-4").partition("-")
st.set_page_config(layout="wide")
if panel == "all":
    show_strip(4)
    show_tree("small")
elif panel == "both":
    show_strip(4)
    show_diff("small")
else:
    {"strip": lambda: show_strip(int(size)), "tree": lambda: show_tree(size)}.get(
        panel, lambda: show_diff(size)
    )()

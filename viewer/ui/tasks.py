"""What a checkpoint's tasks did: who wrote it, what ran or waits after it, subgraphs up and down."""

from collections.abc import Mapping, Sequence

import streamlit as st

from viewer.analysis.tasks import internal
from viewer.analysis.written import written
from viewer.chain import Chain
from viewer.jsontext import dumps
from viewer.model import MISSING, Checkpoint, Task
from viewer.ui import selection
from viewer.ui.chosen import Chosen
from viewer.ui.say import literal, visible

_START = "__start__"
"""The node that writes an input, as LangGraph calls it."""
_LINES = 6
_NAMES = 4
_TEXT = 160


def show_tasks(chosen: Chosen) -> None:
    """Say in a line each who wrote the target checkpoint and what each task after it came to.

    A subgraph's chain is a button away, and so is the chain that ran this one.
    """
    here = chosen.chain.checkpoints[chosen.target]
    by = written(chosen.chain, chosen.target)
    lines = [_written({name: by[name] for name in by if not internal(name)})]
    lines += [_line(t, _went_on(chosen.chain, here, t)) for t in here.tasks[:_LINES]]
    more = len(here.tasks) - _LINES
    if more > 0:
        lines.append(f"… and {more} more tasks, in the table below the state")
    lines.append(_outside(here))
    text = "  \n".join(line for line in lines if line)
    # A source may name a subgraph whose own checkpoints it does not hold.
    held = {r.namespace for r in chosen.source.threads if r.thread_id == chosen.ref.thread_id}
    nested = [task for task in here.tasks if task.namespace in held]
    # The one that did not finish is what a person looks for: it stands first.
    nested.sort(key=lambda task: task.finished)
    up = chosen.chain.nesting
    if not text and not nested and up is None:
        return
    if text:
        st.markdown(text)
    if nested or up is not None:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if up is not None:
                st.markdown(f"Subgraph of {literal(up.node)}, {up.standing}: {literal(up.reason)}")
                st.button(
                    "Up to the chain that ran it",
                    key="up_chain",
                    shortcut="u",
                    on_click=_open_chain,
                    args=(up.namespace, up.checkpoint_id),
                )
            for number, task in enumerate(nested[:_LINES]):
                st.button(
                    f"Open the subgraph of {visible(task.node)}"
                    + (f" ({_word(task)})" if len(nested) > 1 else ""),
                    key=f"down_chain_{number}",
                    shortcut="o" if number == 0 else None,
                    on_click=_open_chain,
                    args=(task.namespace, None),
                )


def _word(task: Task) -> str:
    if task.finished:
        return "finished"
    if any(interrupt.open for interrupt in task.interrupts):
        return "waiting"
    return "failed" if task.errors else "not finished"


def _open_chain(namespace: str, checkpoint_id: str | None) -> None:
    selection.choose(namespace=namespace or None, checkpoint=checkpoint_id, base=None)


def _written(by: Mapping[str, Sequence[str]]) -> str:
    """Return "Written by NODE → channels" for the writes that made the checkpoint."""
    nodes: dict[str, list[str]] = {}
    for channel, names in by.items():
        for name in names:
            nodes.setdefault(name, []).append(channel)
    told = [f"{literal(node)} → {_names(channels)}" for node, channels in nodes.items()]
    return f"**Written by** {' · '.join(told)}" if told else ""


def _outside(here: Checkpoint) -> str:
    """Return what a caller wrote without a task: a Command's update waits for the next step."""
    own = {task.id for task in here.tasks}
    names = list(dict.fromkeys(w.channel for w in here.writes if w.task not in own))
    return f":blue[✎] the caller, outside any task → {_names(names)}" if names else ""


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(literal(name) for name in names[:_NAMES])
    return shown + (f" and {len(names) - _NAMES} more" if len(names) > _NAMES else "")


def _went_on(chain: Chain, here: Checkpoint, task: Task) -> str:
    """Return how the thread went on from ``here`` without ``task``; empty where it did not.

    What has saved nothing by then never will: a new input starts anew, from the first node.
    """
    after = [chain.checkpoints[at] for at in chain.children(here.index)]
    if task.finished or not after or any(task.node in one.nodes for one in after):
        return ""
    for one in after:
        if any(started.node == _START for started in one.tasks):
            return f"the run was started anew at @{one.index}"
    return f"the thread went on without it at @{after[0].index}"


def _line(task: Task, went_on: str = "") -> str:
    """Return what became of a task: finished, waiting, failed, or nothing saved by it yet.

    Args:
        task: what ran, or was to run.
        went_on: how the thread went on after its checkpoint, if it did.
    """
    name = literal(task.node) if task.node else "a task without a name"
    sent = "" if task.input is MISSING else f" with {_short(dumps(task.input))}"
    asked = [i for i in task.interrupts if i.open]
    if task.finished:
        out = list(dict.fromkeys(w.channel for w in task.writes if not internal(w.channel)))
        after = f" → {_names(out)}" if out else ", no output"
        retried = " after an error" if task.errors else ""
        return f":green[✓] {name}{sent} finished{retried}{after}"
    if asked:
        questions = " · ".join(_short(dumps(i.value)) for i in asked[:2])
        return f":orange[‖] {name}{sent} waits for an answer to {questions}"
    if task.errors:
        return f":red[✕] {name}{sent} failed: {_short(task.errors[-1].message)}"
    if task.interrupts:
        question = _short(dumps(task.interrupts[-1].value))
        return f":gray[‖] {name}{sent} asked {question}; the thread went on without its answer"
    if went_on:
        return f":orange[▷] {name}{sent} never finished: {went_on}"
    return f":gray[▷] {name}{sent} has saved nothing yet"


def _short(text: str) -> str:
    return literal(text if len(text) <= _TEXT else text[: _TEXT - 1] + "…")


def show_rows(chosen: Chosen) -> None:
    """Draw interrupts, errors and stored writes of the target checkpoint where there are any."""
    here = chosen.chain.checkpoints[chosen.target]
    for interrupt in here.interrupts:
        word = "waits for an answer" if interrupt.open else "is not open any more"
        st.markdown(f"**Interrupt** {literal(interrupt.id)} {word}")
        st.code(visible(dumps(interrupt.value, indent=2)), language="json")
    for error in here.errors:
        st.markdown(f"**Error** in {literal(error.node or error.task)} (the store keeps its repr)")
        st.code(visible(error.message), language=None)
    if here.writes:
        with st.expander(f"{len(here.writes)} writes stored with this checkpoint"):
            st.dataframe(_rows(here), hide_index=True, key="writes_table")
    memories = chosen.chain.sidecars.memories
    if memories:
        with st.expander(f"{len(memories)} memories beside the thread"):
            rows = [
                {"memory": visible(name), "value": visible(dumps(value)[:2000])}
                for name, value in memories.items()
            ]
            st.dataframe(rows, hide_index=True, key="memories_table")


def _rows(here: Checkpoint) -> list[dict[str, str]]:
    return [
        {
            "node": visible(w.node),
            "channel": visible(w.channel),
            "value": visible(dumps(w.value)[:2000]),
            "task": visible(w.task),
        }
        for w in here.writes
    ]

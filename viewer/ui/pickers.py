"""The choice of source and thread in the sidebar."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import streamlit as st

from viewer.jsontext import escape_surrogates
from viewer.model import ThreadRef
from viewer.sources import Source
from viewer.ui import selection
from viewer.ui.say import literal, visible
from viewer.ui.troubles import stop, tell_problems

_WIDE = 32
"""Characters of a source's name that fit into the sidebar."""
_DEEP = 3
"""Parts of a path that a name may have before it is shortened."""


def pick_thread(sources: Sequence[Source]) -> tuple[Source, ThreadRef]:
    """Draw the pickers in the sidebar, set from the selection, and return what they hold."""
    named = labels(sources)
    wanted = selection.current()
    meant = label_meant(named, wanted.source)
    if meant is not None and meant not in named:
        _gone("source", meant, list(named))
    start = meant or _holding(named, wanted.thread)
    st.session_state["pick_source"] = start
    st.sidebar.selectbox(
        "Source",
        list(named),
        key="pick_source",
        on_change=_picked_source,
        format_func=shortened(list(named), _WIDE).__getitem__,
        help=literal(start) if len(start) > _WIDE else None,
    )
    source = named[start]
    threads = _threads(source)
    if not threads:
        tell_problems(source.problems)
        stop("No thread", f"{source.name} holds no thread.")
    match = [
        label
        for label, ref in threads.items()
        if _is(ref.thread_id, wanted.thread) and _is(ref.namespace, wanted.namespace or "")
    ]
    if wanted.thread is not None and not match:
        _gone("thread", wanted.thread, list(threads))
    st.session_state["pick_thread"] = match[0] if match else next(iter(threads))
    label = st.session_state["pick_thread"]
    st.session_state["pick_threads"] = threads
    st.sidebar.selectbox("Thread", list(threads), key="pick_thread", on_change=_picked_thread)
    ref = threads[label]
    selection.choose(source=start, thread=ref.thread_id, namespace=ref.namespace or None)
    return source, ref


def _gone(what: str, name: str, known: Sequence[str]) -> NoReturn:
    """Say that the address names something that is not open, offer what is, end the script.

    Another run under an old link would be read as the one that the link was about.
    """
    st.error(f"The address names {literal(name)}, which is not open.", title=f"No such {what}")
    st.caption(f"Open: {', '.join(literal(label) for label in known[:20])}")
    if st.button("Open the first instead" if what == "source" else "Open its first thread"):
        selection.choose(**{what: known[0] if what == "source" else None, "namespace": None})
        st.rerun()
    st.stop()


def _holding(named: Mapping[str, Source], thread: str | None) -> str:
    """Return the first source that holds ``thread``; the first of all where none does."""
    holds = (
        label
        for label, source in named.items()
        if any(_is(ref.thread_id, thread) for ref in source.threads)
    )
    return next(holds, next(iter(named)))


def _picked_source() -> None:
    selection.choose(source=st.session_state["pick_source"])


def _picked_thread() -> None:
    ref = st.session_state["pick_threads"][st.session_state["pick_thread"]]
    selection.choose(thread=ref.thread_id, namespace=ref.namespace or None)


def labels(sources: Sequence[Source]) -> dict[str, Source]:
    """Return each source under a short name: its path below what all have in common.

    Where that is deep, because they lie far apart, it is the shortest end of it that no other
    source shares, with the folder it lies in. A database is called as everywhere.
    """
    paths = [s.location.absolute() for s in sources if isinstance(s.location, Path)]
    folder = Path(os.path.commonpath([path.parent for path in paths])) if paths else Path()
    below = [path.relative_to(folder).parts for path in paths]
    ends = Counter(end for parts in below for end in _ends(parts))
    short = iter(
        "/".join(next((end for end in _ends(parts)[1:] if ends[end] == 1), parts))
        if len(parts) > _DEEP
        else "/".join(parts)
        for parts in below
    )
    named: dict[str, Source] = {}
    for source in sources:
        name = next(short) if isinstance(source.location, Path) else source.name
        named[_unused(visible(name), named)] = source
    return named


def _ends(parts: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [parts[start:] for start in range(len(parts) - 1, -1, -1)]


def shortened(names: Sequence[str], most: int) -> dict[str, str]:
    """Return each name in at most ``most`` characters, without its middle where it is longer.

    Paths of one place begin alike and end alike: names that would look the same lose less.
    """
    found = {name: _without_middle(name, most) for name in dict.fromkeys(names)}
    looks = Counter(found.values())
    twins = [name for name, brief in found.items() if looks[brief] > 1]
    if not twins:
        return found
    wider = shortened(twins, 2 * most) if most < max(map(len, twins)) else {t: t for t in twins}
    return found | wider


def _without_middle(name: str, most: int) -> str:
    if len(name) <= most:
        return name
    front = (most - 1) // 4  # the end of a path tells more
    return f"{name[:front]}…{name[len(name) - (most - 1 - front) :]}"


def label_meant(named: Mapping[str, Source], wanted: str | None) -> str | None:
    """Return the label that the address means: the same, or the only one that ends in it.

    A name grows when sources elsewhere are opened beside it; a link still holds.
    """
    if wanted is None or wanted in named:
        return wanted
    longer = [label for label in named if label.endswith(f"/{wanted}")]
    return longer[0] if len(longer) == 1 else wanted


def thread_label(ref: ThreadRef) -> str:
    """Return how a thread is called in the picker: id, and namespace where there is one."""
    return visible(f"{ref.thread_id} · {ref.namespace}" if ref.namespace else ref.thread_id)


def _threads(source: Source) -> dict[str, ThreadRef]:
    """Return each thread of ``source`` under its label; two that look alike are numbered."""
    found: dict[str, ThreadRef] = {}
    for ref in source.threads:
        found[_unused(thread_label(ref), found)] = ref
    return found


def _unused(name: str, taken: Mapping[str, object]) -> str:
    label, number = name, 2
    while label in taken:
        label, number = f"{name} ({number})", number + 1
    return label


def _is(name: str, wanted: str | None) -> bool:
    """Return whether ``wanted`` means ``name``; an address cannot carry half a surrogate pair."""
    return wanted is not None and (name == wanted or escape_surrogates(name) == wanted)

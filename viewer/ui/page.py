"""What every page begins with: navigation, the choice of source and thread, the frame."""

import os
import runpy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import streamlit as st

from viewer.analysis.check import CheckResult
from viewer.analysis.resume import Position, position
from viewer.chain import Chain
from viewer.errors import SelectionError, ViewerError
from viewer.model import Problem, ThreadRef
from viewer.settings import bundle, settings
from viewer.sources import Source
from viewer.ui import cache, selection
from viewer.ui.panels import strip
from viewer.ui.say import literal

STRIP = "strip"
_ENTERED = "entered"
_HERE = Path(__file__).parent
ICON = str(_HERE / "favicon.png")

PAGES: tuple[tuple[str, str, str, str], ...] = (
    ("Inspect", "runs", "Runs", ":material/list_alt:"),
    ("Inspect", "timeline", "Timeline", ":material/timeline:"),
    ("Inspect", "diff", "Diff", ":material/difference:"),
    ("Inspect", "transcript", "State vs transcript", ":material/forum:"),
    ("Audit", "violations", "Violations", ":material/rule:"),
    ("Audit", "usage", "Usage", ":material/monitoring:"),
    ("Decide", "approvals", "Approvals", ":material/how_to_reg:"),
    ("Decide", "resume", "Resume", ":material/play_circle:"),
)
"""Section, file stem, title and icon of every page in ``pages/``; the first is also "/"."""

# Streamlit has no setting for the margins around a page; half the height of a tree would go there.
_TIGHT = """<style>
.stAppHeader { height: 2.25rem; min-height: 2.25rem; background: transparent; }
.stMainBlockContainer { padding: 2.5rem 1.5rem 1rem; }
.stMainBlockContainer .stVerticalBlock { gap: 0.6rem; }
</style>"""

_FRAME = st.components.v2.component(
    "checkpoint_viewer_frame",
    html='<div class="panel frame"></div>',
    css=(_HERE / "frame.css").read_text(encoding="utf-8"),
    js=(_HERE / "frame.js").read_text(encoding="utf-8"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What the person chose, opened: one thread of one source and a pair of its checkpoints."""

    source: Source
    ref: ThreadRef
    chain: Chain
    result: CheckResult
    target: int
    base: int | None

    @property
    def position(self) -> Position:
        """Where the run stands and what comes next."""
        return position(self.chain, self.result)


def navigation() -> Any:
    """Register every page by absolute path and return the one to run.

    A path relative to the entry script would not be found where a page itself is the entry.
    """
    st.set_page_config(
        page_title="Checkpoint Viewer",
        page_icon=ICON,
        layout="wide",
        initial_sidebar_state="expanded",
    )
    st.session_state[_ENTERED] = True
    # The default page answers at "/" and nowhere else, so it is a page of its own: /runs must work.
    sections: dict[str, list[Any]] = {
        "": [st.Page(_home, title="Checkpoint Viewer", default=True, visibility="hidden")]
    }
    for section, stem, title, icon in PAGES:
        page = st.Page(page_of(stem), title=title, icon=icon, url_path=stem)
        sections.setdefault(section, []).append(page)
    return st.navigation(sections)


def _home() -> None:
    runpy.run_path(str(page_of(PAGES[0][1])))


def page_of(stem: str) -> Path:
    """Return the path of a page, for links and ``st.switch_page``."""
    return bundle() / "pages" / f"{stem}.py"


def enter(file: str) -> tuple[Sequence[Source], Sequence[Problem]]:
    """Begin a page that needs sources but no thread; return the sources and what did not open.

    On a fresh server a deep link runs a page without app.py: then the navigation is registered
    and the script rerun, which goes through app.py.
    """
    if not st.session_state.get(_ENTERED):
        navigation()
        st.rerun()
    st.html(_TIGHT)
    selection.follow_address(Path(file).stem)
    try:
        found, problems = cache.sources(settings())
    except ViewerError as error:
        stop("The sources cannot be opened", str(error))
    return found, problems


def open_page(file: str) -> Chosen:
    """Begin a page about one thread: pick source and thread, draw the frame, return the choice.

    Stops the script with a message where there is nothing to show.
    """
    sources, problems = enter(file)
    if not sources:
        show_unopened(problems)
        stop("Nothing to show", "No source could be opened. Start again with another SOURCE.")
    source, ref = _pick(sources)
    try:
        chain = cache.chain(source, ref)
        found = cache.result(source, ref)
    except ViewerError as error:
        stop("This thread cannot be read", str(error))
    if not chain.checkpoints:
        _tell_problems(chain.problems)
        stop("No checkpoint", f"Thread {ref.thread_id} of {source.name} holds no readable one.")
    above = st.container()
    base, target = _step(source, ref, chain)
    chosen = Chosen(source=source, ref=ref, chain=chain, result=found, target=target, base=base)
    with above:
        _draw_frame(chosen)
        _tell_problems((*source.problems, *chain.problems))
    return chosen


def frame_without_thread(title: str, facts: Sequence[str]) -> None:
    """Draw the frame of a page that is about all sources."""
    line = {"title": title, "facts": list(facts), "violations": None, "problems": 0}
    _mount(line, addressed=False)


def stop(title: str, reason: str) -> NoReturn:
    """Show an error as literal text and end the script."""
    st.error(literal(reason), title=title)
    st.stop()


def _pick(sources: Sequence[Source]) -> tuple[Source, ThreadRef]:
    """Draw the pickers in the sidebar, set from the selection, and return what they hold."""
    named = labels(sources)
    wanted = selection.current()
    start = wanted.source if wanted.source in named else _holding(named, wanted.thread)
    st.session_state["pick_source"] = start
    with st.sidebar:
        st.selectbox("Source", list(named), key="pick_source", on_change=_picked_source)
        source = named[start]
        threads = {thread_label(ref): ref for ref in source.threads}
        if not threads:
            _tell_problems(source.problems)
            stop("No thread", f"{source.name} holds no thread.")
        match = [
            label
            for label, ref in threads.items()
            if ref.thread_id == wanted.thread and ref.namespace == (wanted.namespace or "")
        ]
        st.session_state["pick_thread"] = match[0] if match else next(iter(threads))
        label = st.session_state["pick_thread"]
        st.session_state["pick_threads"] = threads
        st.selectbox("Thread", list(threads), key="pick_thread", on_change=_picked_thread)
    ref = threads[label]
    selection.choose(source=start, thread=ref.thread_id, namespace=ref.namespace or None)
    return source, ref


def _holding(named: Mapping[str, Source], thread: str | None) -> str:
    """Return the first source that holds ``thread``; the first of all where none does."""
    holds = (
        label for label, source in named.items() if thread in {r.thread_id for r in source.threads}
    )
    return next(holds, next(iter(named)))


def _picked_source() -> None:
    selection.choose(source=st.session_state["pick_source"])


def _picked_thread() -> None:
    ref = st.session_state["pick_threads"][st.session_state["pick_thread"]]
    selection.choose(thread=ref.thread_id, namespace=ref.namespace or None)


def labels(sources: Sequence[Source]) -> dict[str, Source]:
    """Return each source under a short name: its path below what all have in common."""
    if not sources:
        return {}
    folder = Path(os.path.commonpath([source.location.absolute().parent for source in sources]))
    named: dict[str, Source] = {}
    for source in sources:
        name = source.location.absolute().relative_to(folder).as_posix()
        label, number = name, 2
        while label in named:
            label, number = f"{name} ({number})", number + 1
        named[label] = source
    return named


def thread_label(ref: ThreadRef) -> str:
    """Return how a thread is called in the picker: id, and namespace where there is one."""
    return f"{ref.thread_id} · {ref.namespace}" if ref.namespace else ref.thread_id


def _step(source: Source, ref: ThreadRef, chain: Chain) -> tuple[int | None, int]:
    """Draw the strip and return base and target as it says.

    A link or the address may send it somewhere; a checkpoint that is no longer there falls back to
    the newest.
    """
    base, target = _wanted(chain)
    if selection.moved():
        strip.move(STRIP, target, base)
    payload = {**cache.strip(source, ref), "selected": target, "base": base}
    at = strip.show(payload, key=STRIP)
    selection.stepped(f"@{at.selected}", None if at.base is None else f"@{at.base}")
    if at.action == "diff":
        st.switch_page(page_of("diff"))
    parent = chain.checkpoints[at.selected].parent
    return (parent if at.base is None else at.base), at.selected


def _wanted(chain: Chain) -> tuple[int | None, int]:
    wanted = selection.current()
    try:
        target = chain.pair(None, wanted.checkpoint)[1]
    except SelectionError:
        name = literal(wanted.checkpoint or "")
        st.toast(f"Checkpoint {name} is not in this thread; the newest is shown.")
        return None, chain.pair()[1]
    try:
        return (None if wanted.base is None else chain.resolve(wanted.base)), target
    except SelectionError:
        return None, target


def _draw_frame(chosen: Chosen) -> None:
    chain, here = chosen.chain, chosen.position
    head = chain.checkpoints[chain.head or 0]
    count = len(chain.checkpoints)
    _mount(
        {
            "title": thread_label(chosen.ref),
            "phase": head.phase,
            "status": head.status,
            "facts": [
                f"{count} checkpoint" + ("s" if count != 1 else ""),
                *([f"{len(chain.heads)} heads"] if len(chain.heads) > 1 else []),
                chain.profile.name,
                chain.reader,
            ],
            "violations": len(chosen.result.violations) + chosen.result.dropped,
            "problems": len(chain.problems) + len(chosen.source.problems),
            "verdict": f"Next: {here.next_action}",
        }
    )


def _mount(line: dict[str, Any], *, addressed: bool = True) -> None:
    _FRAME(
        key=selection.FRAME,
        data={
            "line": line,
            "params": selection.current().params() if addressed else None,
            "page": selection.page(),
            "steps": list(selection.STEPS),
            "answered": selection.answered(),
        },
        on_navigated_change=lambda: None,
    )


def show_unopened(problems: Sequence[Problem]) -> None:
    """Name each place given at start that did not open."""
    for problem in problems:
        st.error(f"{literal(problem.place)}: {literal(problem.reason)}", title="Not opened")


def _tell_problems(problems: Sequence[Problem]) -> None:
    if not problems:
        return
    word = "problem" if len(problems) == 1 else "problems"
    with st.expander(f"{len(problems)} {word} while reading; the rest is shown", icon="⚠️"):
        for problem in problems[:200]:
            st.text(f"{problem.place}\n    {problem.reason}")
        if len(problems) > 200:
            st.text(f"… and {len(problems) - 200} more; `runs --json` lists all")

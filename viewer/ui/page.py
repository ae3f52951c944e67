"""What every page begins with: navigation, the choice of source and thread, the frame."""

import runpy
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import streamlit as st

from viewer.analysis.check import CheckResult
from viewer.chain import Chain
from viewer.errors import SelectionError, ViewerError
from viewer.model import Problem, ThreadRef
from viewer.settings import bundle, settings
from viewer.sources import Source
from viewer.ui import cache, find, selection
from viewer.ui.ask import answer_questions
from viewer.ui.chosen import Chosen
from viewer.ui.follow import follow, grown, newest_toggle, remember
from viewer.ui.frame import asked_for, draw_frame
from viewer.ui.panels import strip
from viewer.ui.pickers import pick_thread, thread_label
from viewer.ui.report import offer_report
from viewer.ui.say import literal, visible
from viewer.ui.troubles import show_unopened, stop, tell_problems

STRIP = "strip"
_ENTERED = "entered"
_SOUGHT = 380
"""Width of the search line beside the frame, in pixels."""
ICON = str(Path(__file__).with_name("favicon.png"))

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
[data-testid="stCaptionContainer"] { opacity: 1; color: light-dark(#5a5f66, #aab2bd); }
[data-testid="stCaptionContainer"] p { color: inherit; }
@media (max-width: 1200px) {
  .st-key-line > :is(:first-child, :last-child) { flex: 1 1 100% !important; }
  .st-key-line > :last-child { width: 100% !important; }
}
body[data-stepping] .stMainBlockContainer > .stVerticalBlock > :not(:is(.st-key-top, .st-key-tree)):not(:has(.st-key-top, .st-key-tree)) {
  opacity: 0.35;
  cursor: progress;
}
</style>"""


def navigation() -> Any:
    """Register every page by absolute path and return the one to run.

    A path relative to the entry script would not be found where a page itself is the entry.
    """
    st.set_page_config(
        page_title="Checkpoint Viewer",
        page_icon=ICON,
        layout="wide",
        initial_sidebar_state="auto",
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


def enter_all(file: str) -> tuple[Sequence[Source], Sequence[Problem]]:
    """Begin a page about all sources, which is drawn anew when one of them changes."""
    named, started = settings(), perf_counter()
    before = cache.stamps(named)
    found = enter(file)
    follow(lambda: cache.stamps(named), before, perf_counter() - started)
    return found


def open_page(file: str) -> Chosen:
    """Begin a page about one thread: pick source and thread, draw the frame, return the choice.

    Stops the script with a message where there is nothing to show.
    """
    sources, problems = enter(file)
    if not sources:
        show_unopened(problems)
        stop("Nothing to show", "No source could be opened. Start again with another SOURCE.")
    source, ref = pick_thread(sources)
    with st.sidebar:
        newest_toggle()
    # One look at the source for all that this run reads of it.
    with cache.stamps_held():
        return _opened(source, ref)


def _opened(source: Source, ref: ThreadRef) -> Chosen:
    before, started = cache.stamp(source.location), perf_counter()
    try:
        chain = cache.chain(source, ref)
        found = cache.result(source, ref)
    except ViewerError as error:
        stop("This thread cannot be read", str(error))
    if not chain.checkpoints:
        tell_problems(chain.problems)
        stop("No checkpoint", f"Thread {ref.thread_id} of {source.name} holds no readable one.")
    wanted = asked_for()
    if wanted in ("violations", "resume"):
        st.switch_page(page_of(wanted))
    top = st.container(key="top")
    with top:
        line = st.container(horizontal=True, vertical_alignment="top", key="line")
        above = line.container()
        with line.container(width=_SOUGHT):
            sought = find.show(source, ref, chain)
        if sought is not None:
            st.switch_page(page_of(sought))
        base, target = _step(source, ref, chain)
    chosen = Chosen(source=source, ref=ref, chain=chain, result=found, target=target, base=base)
    with above:
        _draw_frame(chosen)
        lost = not chain.checkpoints[target].has_state
        tell_problems((*source.problems, *chain.problems), opened=lost)
    offer_report(chosen)
    answer_questions(chosen)
    follow(lambda: cache.stamp(source.location), before, perf_counter() - started)
    return chosen


def _step(source: Source, ref: ThreadRef, chain: Chain) -> tuple[int | None, int]:
    """Draw the strip and return base and target as it says.

    A link or the address may send it somewhere; a checkpoint that is no longer there falls back to
    the newest.
    """
    base, target = _wanted(chain)
    moved = selection.moved()
    kept = None if moved else grown(chain)
    if kept is not None:
        target, base = kept
    if moved or kept is not None:
        strip.move(STRIP, target, base)
    payload = {**cache.strip(source, ref), "selected": target, "base": base}
    at = strip.show(payload, key=STRIP)
    selection.stepped(f"@{at.selected}", None if at.base is None else f"@{at.base}")
    remember(chain, at.selected, at.base)
    if at.action == "diff":
        st.switch_page(page_of("diff"))
    if at.opened is not None:
        namespace, index = at.opened
        selection.choose(namespace=namespace or None, checkpoint=f"@{index}", base=None)
        st.rerun()
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
    chain = chosen.chain
    head = chain.checkpoints[chain.head or 0]
    count = len(chain.checkpoints)
    draw_frame(
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
            "violations": violations_of(chosen.result),
            "problems": len(chain.problems) + len(chosen.source.problems),
            "verdict": _verdict(chosen),
        },
        chosen.target,
    )


def _verdict(chosen: Chosen) -> str:
    """Return the thread's answer in a line, with how many findings there are."""
    answer = chosen.answer
    count = len(answer.findings)
    found = "" if not count else f" · {count} finding" + ("s" if count != 1 else "")
    return visible(answer.sentence) + found


def violations_of(found: CheckResult) -> int | None:
    """Return how many violations there are; None where no gate but parse judged and met none."""
    count = len(found.violations) + found.dropped
    judged = any(state == "run" for gate, state in found.gates.items() if gate != "parse")
    return count if count or judged else None

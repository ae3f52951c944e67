"""The thirty seeded faults: what is wrong, where it shows, and the store of one run.

This file holds the answers. Whoever takes the blind examination must not read it, nor ``apps``.
"""

import importlib
import re
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from langgraph.checkpoint.sqlite import SqliteSaver

ROOT = Path(__file__).resolve().parents[2]
KILLED = 137
"""Exit code of the run that a fault ends from inside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """One seeded fault and the place where a reader should find it."""

    app: str
    bug: str
    kind: str
    wrong: str
    """What the app does wrong and what follows."""
    thread: str
    step: int
    """LangGraph's step of the checkpoint that first shows it, or that the stopped task hangs on."""
    index: int
    """Its position among the checkpoints of its thread and namespace, by id, from 0."""
    node: str
    """Whose code is at fault."""
    channel: str
    """Top-level field that is wrong, missing or overdue."""
    namespace: str = ""
    """A pattern: ``*`` stands for a task id."""
    keyword: str = ""
    """The finding or phase that would name it best; empty where reading has to do it."""
    steps: tuple[int, ...] = ()
    """Further steps that an answer may name: where the cause ran, where the effect bites."""
    nodes: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()


SEEDS = (
    Seed(
        app="shop",
        bug="unanswered_call",
        kind="messages: tool call without tool result",
        wrong="The policy ends the turn at the refused refund but writes no tool message for call-7.",
        thread="chat-3107",
        step=22,
        index=23,
        node="refund_policy.after_model",
        channel="messages",
        keyword="unanswered_call",
        steps=(21, 23, 24),
        nodes=("model", "tools"),
    ),
    Seed(
        app="shop",
        bug="jump_left",
        kind="jump_to left",
        wrong="jump_to is an ordinary field: 'end' stays, and the next turn's refund never runs.",
        thread="chat-3107",
        step=24,
        index=25,
        node="refund_policy.after_model",
        channel="jump_to",
        keyword="jump_left",
        steps=(22, 23, 25, 26),
    ),
    Seed(
        app="shop",
        bug="cached_result",
        kind="messages: tool result with the wrong tool_call_id",
        wrong="The second look-up is answered from a cache under the first call's id: call-4 is open.",
        thread="chat-3107",
        step=13,
        index=14,
        node="tools",
        channel="messages",
        keyword="misdirected_result",
        steps=(12, 14),
    ),
    Seed(
        app="research",
        bug="dropped_question",
        kind="Send with missing items",
        wrong="Questions are keyed by source before Send: q1 is lost, five questions give four tasks.",
        thread="brief-heat-pumps",
        step=1,
        index=2,
        node="plan",
        channel="__pregel_tasks",
        steps=(0, 2, 3),
        nodes=("search_web",),
        channels=("findings", "questions"),
    ),
    Seed(
        app="research",
        bug="review_repeats",
        kind="wrong reducer: the whole list returned under operator.add",
        wrong="review returns all findings again, marked; the reducer appends: ten instead of five.",
        thread="brief-heat-pumps",
        step=5,
        index=6,
        node="review",
        channel="findings",
        keyword="duplicates_appended",
        steps=(4,),
    ),
    Seed(
        app="research",
        bug="early_report",
        kind="deferred node not deferred: edge ordering error",
        wrong="write runs beside read_papers: the report cites three of five findings, and stays.",
        thread="brief-heat-pumps",
        step=3,
        index=4,
        node="write",
        channel="report",
        steps=(2, 4),
        channels=("sources_cited",),
    ),
    Seed(
        app="triage",
        bug="misspelt_route",
        kind="conditional edge that routes wrong by a typo",
        wrong="The route's key is 'acount': an account ticket goes to general.",
        thread="desk-2030-03-14",
        step=10,
        index=11,
        node="classify",
        channel="category",
        steps=(9, 11, 12),
        nodes=("general",),
        channels=("branch:to:general", "reply", "replies"),
    ),
    Seed(
        app="triage",
        bug="error_as_reply",
        kind="silent exception: its text in a normal field",
        wrong="technical catches a KeyError and sends its text to the customer.",
        thread="desk-2030-03-14",
        step=7,
        index=8,
        node="technical",
        channel="reply",
        keyword="error_text",
        steps=(6, 8),
        channels=("replies",),
    ),
    Seed(
        app="triage",
        bug="joined_credit",
        kind="wrong total: numbers joined as text (int becomes str)",
        wrong="billing joins 250 and '1500' to '2501500' instead of adding.",
        thread="desk-2030-03-14",
        step=3,
        index=4,
        node="billing",
        channel="credit_cents",
        keyword="type_changed",
        steps=(2, 15),
    ),
    Seed(
        app="approval",
        bug="answer_reused",
        kind="stale resume: the answer to question 1 answers question 2",
        wrong="After the first answer the worker continues with no input; the amount's answer is taken for the bank account, and the money goes to 'approve 1250.00'.",
        thread="invoice-881",
        step=2,
        index=3,
        node="confirm",
        channel="account_answer",
        keyword="stale_answer",
        steps=(1, 3),
        channels=("__resume__", "payments"),
    ),
    Seed(
        app="approval",
        bug="answered_twice",
        kind="interrupt answered twice",
        wrong="A second tab answers the same waiting checkpoint again: a second branch, a second payment.",
        thread="invoice-881",
        step=2,
        index=6,
        node="confirm",
        channel="account_answer",
        keyword="answered_twice",
        steps=(1, 3),
        channels=("payments", "__resume__"),
    ),
    Seed(
        app="approval",
        bug="asks_again",
        kind="swallowed answer: the node asks the same again",
        wrong="confirm accepts only 'approve': four equal answers, still waiting at the same question.",
        thread="invoice-881",
        step=1,
        index=2,
        node="confirm",
        channel="amount_answer",
        keyword="asked_again",
        steps=(2,),
        channels=("__resume__", "__interrupt__"),
    ),
    Seed(
        app="enrichment",
        bug="join_waits",
        kind="join that never fires",
        wrong="Without articles news goes to the end; the join waits for check_news, merge never runs.",
        thread="lead-20417",
        step=3,
        index=4,
        node="merge",
        channel="join:firmographics+apply_credit+check_news:merge",
        keyword="join_waits",
        steps=(2,),
        nodes=("news", "check_news"),
        channels=("score", "news_checked", "company"),
    ),
    Seed(
        app="enrichment",
        bug="registry_in_place",
        kind="in-place mutation: nested dict",
        wrong="merge updates company/registry in place and returns only its source.",
        thread="lead-20417",
        step=4,
        index=5,
        node="merge",
        channel="company",
        keyword="changed_without_write",
        steps=(3,),
    ),
    Seed(
        app="enrichment",
        bug="profile_overwritten",
        kind="lost update between parallel branches",
        wrong="apply_credit writes back the profile that credit read before firmographics wrote: employees and industry are lost.",
        thread="lead-20417",
        step=3,
        index=4,
        node="apply_credit",
        channel="profile",
        keyword="lost_update",
        steps=(2,),
        nodes=("credit",),
        channels=("credit_report",),
    ),
    Seed(
        app="team",
        bug="draft_stays_inside",
        kind="subgraph's output key not mapped to the parent",
        wrong="The team gives back final_draft, which the article does not have: an empty text is published.",
        thread="article-bees",
        step=2,
        index=3,
        node="team",
        channel="draft",
        steps=(3, 4),
        nodes=("assemble", "publish"),
        channels=("final_draft", "published"),
    ),
    Seed(
        app="team",
        bug="remarks_become_object",
        kind="type drift: list becomes dict, two levels down",
        wrong="remark returns an object by sentence number instead of a list.",
        thread="article-bees",
        namespace="team:*|proofread:*",
        step=2,
        index=3,
        node="remark",
        channel="remarks",
        keyword="type_changed",
        steps=(1, 3),
    ),
    Seed(
        app="team",
        bug="proof_divides",
        kind="node that crashes, two levels down",
        wrong="measure counts the wrong mark and divides by zero.",
        thread="article-bees",
        namespace="team:*|proofread:*",
        step=0,
        index=1,
        node="measure",
        channel="words_per_sentence",
        keyword="failed",
        steps=(1,),
        channels=("", "draft", "__error__"),
    ),
    Seed(
        app="game",
        bug="sheet_in_place",
        kind="in-place mutation: list appended and not returned",
        wrong="referee appends to score_sheet and does not return it.",
        thread="maze-7",
        step=4,
        index=5,
        node="referee",
        channel="score_sheet",
        keyword="changed_without_write",
        steps=(3, 6, 10, 12, 18),
    ),
    Seed(
        app="game",
        bug="same_wall",
        kind="loop: same node, same state",
        wrong="player does not remember the way it tried and faces the same wall until the limit.",
        thread="maze-7",
        step=4,
        index=5,
        node="player",
        channel="facing",
        keyword="loop",
        steps=tuple(range(1, 25)),
        nodes=("referee",),
        channels=("tried", "verdict", "position"),
    ),
    Seed(
        app="game",
        bug="round_missed",
        kind="recursion limit reached",
        wrong="round counts by two and steps over last_round, which is tested for equality.",
        thread="maze-7",
        step=10,
        index=11,
        node="referee",
        channel="round",
        keyword="pending",
        steps=(4, 6, 9, 24),
        nodes=("player",),
    ),
    Seed(
        app="documents",
        bug="posted_twice",
        kind="retry with double effect",
        wrong="post is retried after a broken connection and posts the invoice again.",
        thread="scan-00917",
        step=7,
        index=8,
        node="post",
        channel="postings",
        keyword="double_effect",
        steps=(6,),
    ),
    Seed(
        app="documents",
        bug="killed_posting",
        kind="killed in the middle",
        wrong="The process ends inside post: whether the invoice was posted the store cannot say.",
        thread="scan-00917",
        step=6,
        index=7,
        node="post",
        channel="postings",
        keyword="pending",
        steps=(7,),
        channels=("", "branch:to:post"),
    ),
    Seed(
        app="documents",
        bug="password_kept",
        kind="secret in state",
        wrong="load puts the archive's password into the state.",
        thread="scan-00917",
        step=1,
        index=2,
        node="load",
        channel="archive",
        keyword="secret_in_state",
        steps=(0,),
    ),
    Seed(
        app="chat",
        bug="removes_newest",
        kind="RemoveMessage removing too much",
        wrong="summarise removes the four newest messages and keeps what it summarised.",
        thread="garden-55",
        step=15,
        index=16,
        node="summarise",
        channel="messages",
        steps=(14, 24),
    ),
    Seed(
        app="chat",
        bug="reply_replaces",
        kind="add_messages id collision",
        wrong="Ids count the messages: after the summary 'reply-5' is used again and replaces the answer to question 3.",
        thread="garden-55",
        step=19,
        index=20,
        node="answer",
        channel="messages",
        keyword="message_replaced",
        steps=(18, 28),
    ),
    Seed(
        app="chat",
        bug="passages_pile_up",
        kind="unbounded growth of one channel",
        wrong="passages has a reducer: every turn's passages stay.",
        thread="garden-55",
        step=5,
        index=6,
        node="fetch",
        channel="passages",
        keyword="growth",
        steps=tuple(range(1, 29)),
    ),
    Seed(
        app="booking",
        bug="old_parent",
        kind="branch resumed from the wrong parent",
        wrong="The hotel is changed on the checkpoint from before the way back: that flight is lost.",
        thread="trip-6120",
        step=7,
        index=19,
        node="price",
        channel="legs",
        keyword="wrong_parent",
        steps=(6, 8, 9),
        nodes=("", "update", "update_state", "hold_hotel", "confirm"),
        channels=("hotel", "total", "letters", "request", "offers"),
    ),
    Seed(
        app="booking",
        bug="ahead_of_time",
        kind="state from the future: aliasing under async durability",
        wrong="confirm appends to letters in place while the checkpoint before it is being written.",
        thread="trip-6120",
        step=4,
        index=5,
        node="confirm",
        channel="letters",
        keyword="state_from_the_future",
        steps=(5, 6, 12, 13, 15, 16),
    ),
    Seed(
        app="booking",
        bug="legs_replaced",
        kind="lost reducer: replace where append was meant",
        wrong="legs has no reducer: the way back replaces the two flights out.",
        thread="trip-6120",
        step=10,
        index=15,
        node="hold_flights",
        channel="legs",
        keyword="list_shrank",
        steps=(9,),
    ),
)

APPS = tuple(dict.fromkeys(seed.app for seed in SEEDS))
RUNS: tuple[tuple[str, str | None], ...] = (
    *((app, None) for app in APPS),
    *((seed.app, seed.bug) for seed in SEEDS),
)
"""All forty: the good run of each app, then the thirty faults."""


def seed_of(app: str, bug: str) -> Seed:
    """Return the entry of one fault; KeyError where there is none."""
    return {(seed.app, seed.bug): seed for seed in SEEDS}[app, bug]


def make(app: str, bug: str | None, path: Path) -> None:
    """Run one app (bug None: the correct variant) and leave its SqliteSaver store at path."""
    if bug == "killed_posting":
        code = "import sys; from tests.seeded.catalogue import write; write(*sys.argv[1:])"
        arguments = [sys.executable, "-c", code, app, bug, str(path.resolve())]
        ended = subprocess.run(arguments, cwd=ROOT, check=False)
        if ended.returncode != KILLED:
            raise RuntimeError(f"{app}/{bug} ended with {ended.returncode}")
    else:
        write(app, bug, path)
    # A killed run leaves its rows in the -wal; the last to close a store folds them in.
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def write(app: str, bug: str | None, path: Path | str) -> None:
    """Run one app in this process; a fault may end the process."""
    module = importlib.import_module(f"tests.seeded.apps.{app}")
    connection = sqlite3.connect(path, check_same_thread=False)
    connection.execute("PRAGMA synchronous=OFF")
    try:
        module.run(SqliteSaver(connection), bug)
    finally:
        connection.close()


def named(seed: Seed, *, step: int | None, node: str, field: str) -> dict[str, bool]:
    """Return which of the three an answer names; a field may be a pointer or path into it."""
    top = re.split(r"[/.\[]", field.lstrip("/"))[0]
    return {
        "step": step in (seed.step, *seed.steps),
        "node": node in (seed.node, *seed.nodes),
        "field": top in (seed.channel, *seed.channels),
    }

"""What is chosen, what falls back with it, and what each question is answered with, without a page."""

from types import SimpleNamespace
from typing import Any

import pytest

from viewer.chain import Chain, assemble
from viewer.model import Record, Thread, ThreadRef
from viewer.profiles import load_profile
from viewer.ui import ask, selection


class Address(dict[str, str]):
    """The address bar as Streamlit gives it."""

    def to_dict(self) -> dict[str, str]:
        return dict(self)


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Any:
    """One browser session: its state, and the address it stands at."""
    found = SimpleNamespace(session_state={}, query_params=Address())
    monkeypatch.setattr(selection, "st", found)
    monkeypatch.setattr(ask, "st", found)
    return found


def arrive(session: Any, page: str, **address: str) -> selection.Selection:
    """Open ``page`` by an address, or by the menu where there is none."""
    session.query_params.clear()
    session.query_params.update(address)
    selection.follow_address(page)
    return selection.current()


LINK = {
    "source": "a", "thread": "t", "checkpoint": "@3", "base": "@1", "against_thread": "other",
    "against": "@2", "at": "/plan", "view": "unified", "filter": "op:add",
}  # fmt: skip


def test_another_thread_leaves_nothing_of_the_pair_and_the_place_behind(session: Any) -> None:
    here = arrive(session, "diff", **LINK)
    assert here.params() == LINK
    selection.choose(thread="u")
    assert selection.current().params() == {
        "source": "a", "thread": "u", "view": "unified", "filter": "op:add",
    }  # fmt: skip
    # What is named with the thread is no leftover of the one before.
    selection.choose(thread="t", checkpoint="@9", at="/goal")
    assert (selection.current().checkpoint, selection.current().at) == ("@9", "/goal")
    selection.choose(source="b", checkpoint="@9")
    assert selection.current().thread is None


def test_what_a_panel_showed_belongs_to_its_page_and_a_link_to_where_it_leads(session: Any) -> None:
    arrive(session, "diff", **LINK)
    here = arrive(session, "timeline")
    assert (here.at, here.view, here.filter) == (None, None, None)
    assert (here.checkpoint, here.thread) == ("@3", "t")
    turn = selection.for_panel()["turn"]
    selection.choose(at="/status")
    assert arrive(session, "diff").at == "/status"
    assert selection.for_panel() == {
        "turn": turn + 1, "at": "/status", "view": None, "filter": None,
    }  # fmt: skip


def chosen(state: Any) -> Any:
    record = Record(place="c", made_id="c", state=state)
    thread = Thread(ref=ThreadRef(thread_id="t"), records=(record,))
    chain: Chain = assemble("made", "made", thread, load_profile("plain"))
    return SimpleNamespace(chain=chain)


def test_a_question_is_answered_in_one_run_and_a_wrong_one_says_why(
    session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(ask, "_MOUNT", lambda **mounted: sent.append(mounted["data"]))
    answer = ask.answer_questions.__wrapped__  # type: ignore[attr-defined]
    questions: list[dict[str, Any]] = [
        {"id": 1, "kind": "value", "args": {"index": 0, "pointer": "/n"}},
        {"id": 2, "kind": "value", "args": {"index": 0, "pointer": "/gone"}},
        {"id": 3, "kind": "value", "args": {"index": 7, "pointer": "/n"}},
        {"id": 4, "kind": "value"},
        {"id": 5, "kind": "nothing"},
    ]
    session.session_state["ask"] = {"asked": {"turn": "one", "questions": questions}}
    for _ in range(2):
        answer(chosen({"n": 10**30}))
    first, second = sent
    assert first["answers"].pop("1") == {"answer": "1" + "0" * 30}
    assert set(first["answers"]) == {"2", "3", "4", "5"}
    assert all(set(told) == {"error"} and told["error"] for told in first["answers"].values())
    assert second == {"turn": "one", "answers": {}}
    many = [{"id": i, "kind": "nothing"} for i in range(99)]
    session.session_state["ask"] = {"asked": {"turn": "two", "questions": many}}
    answer(chosen({}))
    assert len(sent[-1]["answers"]) == 32

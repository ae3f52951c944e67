"""Where a person stands in a chain that has grown."""

from typing import Any

import pytest

from viewer.chain import Chain, assemble
from viewer.model import Record, Thread, ThreadRef
from viewer.profiles import load_profile
from viewer.ui import follow


def chain(*ids: str) -> Chain:
    records = tuple(Record(place=i, made_id=i, checkpoint_id=i, state={}) for i in ids)
    thread = Thread(ref=ThreadRef(thread_id="t"), records=records)
    return assemble("s", "r", thread, load_profile("plain"))


@pytest.fixture(autouse=True)
def session(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Stand in for Streamlit's own state, which exists only while a page runs."""
    state: dict[str, Any] = {}
    monkeypatch.setattr(follow.st, "session_state", state)
    monkeypatch.setattr(
        follow.st, "toast", lambda text: state.setdefault("toasts", []).append(text)
    )
    return state


def test_target_and_base_are_found_by_id_wherever_they_stand_now(session: dict[str, Any]) -> None:
    follow.remember(chain("a", "b", "c"), 2, 1)
    assert follow.grown(chain("new", "a", "b", "c")) == (3, 2)
    assert session["toasts"] == ["1 new checkpoint"]


def test_a_chain_that_did_not_change_moves_nobody() -> None:
    follow.remember(chain("a", "b"), 1, None)
    assert follow.grown(chain("a", "b")) is None


def test_a_checkpoint_that_is_gone_leaves_the_choice_to_the_page() -> None:
    follow.remember(chain("a", "b"), 1, None)
    assert follow.grown(chain("a", "c", "d")) is None


def test_following_the_newest_goes_to_the_new_live_head(session: dict[str, Any]) -> None:
    session["follow_newest"] = True
    follow.remember(chain("a", "b"), 0, None)
    assert follow.grown(chain("a", "b", "c")) == (2, None)

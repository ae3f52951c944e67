"""The profile of LangGraph's states: what it claims, and which keys it folds."""

from typing import Any

import pytest

from viewer.profiles import choose, load_profile


@pytest.mark.parametrize(
    ("state", "name"),
    [
        pytest.param({"messages": []}, "langgraph", id="bare messages"),
        pytest.param({"messages": [], "cart": []}, "langgraph", id="messages and more"),
        pytest.param({"messages": [], "goal": "g", "evidence": []}, "task-state", id="task state"),
        pytest.param({"log": []}, "plain", id="no messages"),
    ],
)
def test_a_state_chooses_the_profile(state: Any, name: str) -> None:
    assert choose(state).name == name


@pytest.mark.parametrize(
    ("place", "folded"),
    [
        (("branch:to:pay",), True),
        (("branch:a:cond:b",), True),
        (("join:a+b:c", "value", 0), True),
        (("start:a",), True),
        (("__start__", "n"), True),
        (("__pregel_tasks", 0), True),
        (("__previous__",), False),
        (("branch",), False),
        (("messages", 0, "branch:to:pay"), False),
        (("joined",), False),
    ],
)
def test_only_the_channels_of_langgraph_s_own_are_folded(
    place: tuple[str | int, ...], folded: bool
) -> None:
    assert any(pattern.matches(place) for pattern in load_profile("langgraph").noise) is folded


@pytest.mark.parametrize(
    ("status", "leaf", "phase"),
    [
        ("done", True, "done"),
        ("interrupted", True, "waiting"),
        ("error", True, "failed"),
        ("pending", True, "unknown"),
        ("done", False, "running"),
        (None, True, "unknown"),
    ],
)
def test_a_status_word_has_a_phase(status: str | None, leaf: bool, phase: str) -> None:
    assert load_profile("langgraph").phase(status, leaf=leaf) == phase

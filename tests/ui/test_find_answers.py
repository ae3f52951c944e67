"""What a search answers when it is asked again: the line between panel and Python may drop one."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from viewer.errors import QueryError, SourceError
from viewer.sources import open_sources
from viewer.ui import biography, cache, find
from viewer.ui.chosen import Chosen

ROOT = Path(__file__).parents[2]
Ask = Callable[..., Any]


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> Chosen:
    """The root chain of a thread with subgraphs, in a session of its own."""
    (source,), _ = open_sources((ROOT / "tests/data/langgraph/04_subgraphs.sqlite",))
    ref = next(r for r in source.threads if r.thread_id == "sub-waiting" and not r.namespace)
    monkeypatch.setattr(find.st, "session_state", {})
    monkeypatch.setattr(cache, "chain", lambda source, ref: source.chain(ref))
    made: Any = SimpleNamespace(source=source, ref=ref, chain=source.chain(ref))
    found: Chosen = made
    return found


@pytest.fixture
def ask(chosen: Chosen) -> Ask:
    def search(text: str, **args: Any) -> Any:
        return find.hits(
            chosen, {"text": text, "case": False, "regex": False, "whole": False, **args}
        )

    return search


def test_a_wrong_expression_is_wrong_each_time(ask: Ask) -> None:
    for _ in range(2):
        with pytest.raises(QueryError, match="no regular expression"):
            ask("(", regex=True)


def test_the_whole_thread_names_the_chain_of_each_hit(ask: Ask) -> None:
    here = ask("branch:to")
    assert (here["done"], here["total"]) == (True, 3)
    whole = ask("branch:to", whole=True)
    assert (whole["done"], whole["total"]) == (True, 8)
    spaces = [row[3] for row in whole["rows"]]
    assert spaces[: here["found"]] == [""] * here["found"]
    assert any("|" in space for space in spaces)


def test_a_search_that_takes_longer_goes_on_when_asked_again(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = ask("branch:to", whole=True)
    find.st.session_state.clear()
    ticks = iter(range(10_000))
    monkeypatch.setattr(find, "perf_counter", lambda: next(ticks) * find._SLICE * 0.6)
    monkeypatch.setattr("viewer.analysis.search.perf_counter", lambda: 1e9)
    answers = [ask("branch:to", whole=True)]
    while not answers[-1]["done"]:
        answers.append(ask("branch:to", whole=True))
    assert len(answers) > 3
    searched = [answer["searched"] for answer in answers]
    assert searched == sorted(searched)
    assert answers[-1] == whole


def test_a_source_that_changed_is_searched_anew(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    ask("branch:to")
    before = find.st.session_state[find._KEY]
    ask("branch:to")
    assert find.st.session_state[find._KEY] is before
    monkeypatch.setattr(cache, "stamp", lambda location: "another")
    ask("branch:to")
    assert find.st.session_state[find._KEY] is not before


def test_a_chain_that_cannot_be_read_is_counted_and_the_others_are_searched(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def chain(source: Any, ref: Any) -> Any:
        if "|" in ref.namespace:
            raise SourceError("here", "torn")
        return source.chain(ref)

    monkeypatch.setattr(cache, "chain", chain)
    told = ask("branch:to", whole=True)
    assert told["done"]
    assert told["unread"] >= 1
    assert told["total"] + told["unread"] <= 8
    assert told["found"]


def test_a_query_of_a_megabyte_is_cut(ask: Ask) -> None:
    ask("x" * 1_000_000)
    assert find.st.session_state[find._KEY].query.text == "x" * 1000


def test_a_field_is_told(chosen: Chosen) -> None:
    told = biography.life(chosen, {"index": 2, "pointer": "/log"})
    assert (told["runs"][-1]["value"], told["changes"]) == ('["pre"]', len(told["runs"]) - 1)

"""The Runs page: what the address asks for, what is filled in while it is shown, what is kept."""

import json
from pathlib import Path
from typing import Any

import pytest

from viewer.ui import judging, overview


def threads(app: Any) -> list[str]:
    return list(app.dataframe[0].value["thread"])


def address(app: Any) -> dict[str, str]:
    (frame,) = (
        json.loads(e.proto.json)["params"]
        for e in app.get("bidi_component")
        if e.proto.component_name.endswith("_frame")
    )
    return dict(frame)


@pytest.fixture
def many(tmp_path: Path) -> Path:
    place = tmp_path / "many.jsonl"
    lines = [
        json.dumps({"thread_id": f"t{i:03}", "checkpoint_id": f"c{i}", "state": {"n": i}})
        for i in range(300)
    ]
    place.write_text("\n".join(lines))
    return place


def test_the_address_holds_filter_and_order(open_app: Any) -> None:
    app = open_app("runs", "T-80001", "T-90103", "broken-step-back", filter="waiting,violations")
    assert not app.exception
    assert threads(app) == ["T-90103", "broken-step-back"]
    app.button_group(key="runs_sort").set_value("updated").run()
    assert address(app) == {"filter": "waiting,violations", "view": "updated"}
    app.button_group(key="runs_saved").set_value("all").run()
    assert address(app) == {"view": "updated"}
    assert len(threads(app)) == 3
    app.button_group(key="runs_chips").set_value(["violations"]).run()
    assert address(app)["filter"] == "violations"
    assert app.button_group(key="runs_saved").value == "with violations"
    # What was searched for stays out of the address.
    app.text_input(key="runs_filter").set_value("back").run()
    assert threads(app) == ["broken-step-back"]
    assert "back" not in str(address(app))


def test_only_columns_that_tell_something_are_drawn() -> None:
    plain = overview.column_order([{"thread": "t", "source": "t", "why": "ends", "tokens": None}])
    assert plain == ["thread", "phase", "why", "updated", "violations", "checkpoints", "time"]
    told = overview.column_order(
        [
            {"thread": "t", "source": "s", "tokens": [1], "waiting": 0},
            {"thread": "u", "source": "s", "tokens": None, "waiting": 2},
        ]
    )
    assert set(told) - set(plain) == {"source", "tokens", "waiting"}


def test_search_text_is_there_again_after_another_page(open_app: Any) -> None:
    app = open_app("runs", "T-80001", "T-90103")
    app.text_input(key="runs_filter").set_value("80001").run()
    app.switch_page("pages/approvals.py").run()
    app.switch_page("pages/runs.py").run()
    assert app.text_input(key="runs_filter").value == "80001"
    assert threads(app) == ["T-80001"]


def test_thousands_are_listed_before_they_are_checked_and_a_person_may_stop(
    open_app: Any, many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("viewer.ui.judging.FIRST_SECONDS", 0.0)
    checked: list[str] = []
    judge = judging._judge

    def slowly(one: Any) -> Any:
        checked.append(one.ref.thread_id)
        if len(checked) == 40:
            # As if the person pressed the button just now; the round in progress ends first.
            import streamlit as st

            st.session_state[judging._STOPPED] = True
            monkeypatch.setattr(judging, "_ROUND_SECONDS", 0.0)
        return judge(one)

    monkeypatch.setattr(judging, "_judge", slowly)
    monkeypatch.setattr(judging, "_ROUND_SECONDS", 0.02)
    app = open_app("runs", many)
    assert not app.exception
    assert len(threads(app)) == 300
    done = len(checked)
    assert 40 <= done < 300
    assert app.get("progress")[0].proto.text == f"checked {done} of 300 threads"
    [button] = [one for one in app.button if one.label == "Go on checking"]
    monkeypatch.setattr(judging, "_ROUND_SECONDS", 60.0)
    button.click().run()
    # What was done before the stop is not done again.
    assert sorted(checked) == [f"t{i:03}" for i in range(300)]
    assert not [one for one in app.button if "checking" in one.label]
    assert set(app.dataframe[0].value["profile"]) == {"plain"}


def test_a_thread_is_checked_again_only_when_its_source_changed(
    open_app: Any, many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app("runs", many)
    monkeypatch.setattr(judging, "_judge", lambda one: pytest.fail("checked again"))
    app.run()
    assert not app.exception
    monkeypatch.undo()
    many.write_text(many.read_text() + '\n{"thread_id": "new", "state": {}}')
    app = open_app("runs", many)
    assert len(threads(app)) == 301


def test_no_thread_says_what_to_do_next(open_app: Any, tmp_path: Path) -> None:
    app = open_app("runs", tmp_path / "gone.json")
    assert not app.exception
    assert "identify" in app.info[0].value
    assert any("gone.json" in e.value for e in app.error)


def test_chips_are_there_again_where_back_finds_a_bare_address(open_app: Any) -> None:
    app = open_app("runs", "T-80001", "T-90103", filter="waiting", view="updated")
    app.query_params.clear()
    app.switch_page("pages/timeline.py").run()
    app.query_params.clear()
    app.switch_page("pages/runs.py").run()
    assert threads(app) == ["T-90103"]
    assert address(app) == {"filter": "waiting", "view": "updated"}
    # It ends with the page: the panels of the next one know nothing of it.
    app.query_params.clear()
    app.switch_page("pages/timeline.py").run()
    assert "filter" not in address(app)


def test_counts_follow_the_searched_text_and_findings_are_named(
    open_app: Any, tmp_path: Path
) -> None:
    app = open_app("runs", "T-80001", "T-90103")
    chips = app.button_group(key="runs_chips")
    assert sum(int(one.content.rsplit(" ", 1)[1]) for one in chips.proto.options) == 2
    app.text_input(key="runs_filter").set_value("80001").run()
    chips = app.button_group(key="runs_chips")
    assert sum(int(one.content.rsplit(" ", 1)[1]) for one in chips.proto.options) == 1


def test_the_source_stands_beside_threads_of_one_name() -> None:
    twins = [{"thread": "t", "source": one, "found": "loop"} for one in ("a", "b")]
    assert overview.column_order(twins)[:5] == ["thread", "source", "phase", "why", "found"]

"""The Usage page: what the address asks for, fields, groups, and a second run."""

import json
from pathlib import Path
from typing import Any

import pytest

FORK = "langgraph-interrupt-fork/checkpoints.sqlite"


def panels(app: Any) -> dict[str, Any]:
    return {
        e.proto.component_name.removeprefix("checkpoint_viewer_"): json.loads(e.proto.json)
        for e in app.get("bidi_component")
    }


def figure(app: Any) -> dict[str, Any]:
    (chart,) = app.get("plotly_chart")
    return dict(json.loads(chart.proto.spec))


def table(app: Any, has: str) -> Any:
    return next(d.value for d in app.dataframe if has in d.value)


def test_the_address_holds_field_mode_and_axis(open_app: Any) -> None:
    app = open_app("usage", "T-80001", filter="total_tokens", view="cumulative,clock")
    assert not app.exception
    shown = figure(app)
    assert shown["data"][0]["hovertext"][-1].split("<br>")[1] == "6,406 tokens"
    assert shown["layout"]["xaxis"]["title"]["text"] == "time (UTC)"
    # This source records no totals: the page says that it added them up.
    assert any("total_tokens is computed" in c.value for c in app.caption)
    app.button_group(key="usage_axis").set_value("by step").run()
    app.button_group(key="usage_field").set_value("context_tokens").run()
    params = panels(app)["frame"]["params"]
    assert (params["filter"], params["view"]) == ("context_tokens", "cumulative")
    # A context does not add up: the mode stands in the address and waits for a field that does.
    assert figure(app)["data"][0]["type"] == "bar"


def test_a_source_without_times_offers_no_clock(open_app: Any, tmp_path: Path) -> None:
    source = tmp_path / "run.jsonl"
    source.write_text('{"state": {"n": 1}}\n{"state": {"n": 2}}')
    app = open_app("usage", source, view="clock")
    assert not app.exception
    assert app.button_group(key="usage_axis").proto.disabled
    assert figure(app)["layout"]["xaxis"]["title"]["text"] == "checkpoint index"


def test_fields_tell_which_one_grows(open_app: Any) -> None:
    app = open_app("usage", FORK, tab="fields")
    assert not app.exception
    grows = table(app, "grew")
    assert grows["field"].iloc[0] == "messages"
    assert figure(app)["data"][-1]["name"] == "all"
    assert any("2 checkpoints on other branches" in c.value for c in app.caption)


def test_nodes_and_models_add_up_to_the_totals(open_app: Any) -> None:
    app = open_app("usage", FORK, tab="nodes and models")
    assert not app.exception
    nodes, models = table(app, "node"), table(app, "model")
    assert nodes["total_tokens"].sum() == models["total_tokens"].sum() == 1156
    assert app.metric[3].value == "1,156"


def test_a_second_run_lies_over_the_first(open_app: Any) -> None:
    app = open_app(
        "usage",
        "T-80001",
        "T-90103",
        thread="T-80001",
        against_source="T-90103",
        against_thread="T-90103",
    )
    assert not app.exception
    assert [trace["name"] for trace in figure(app)["data"][:2]] == ["T-80001", "T-90103"]
    totals = table(app, "difference")
    assert totals["T-80001"].iloc[0] == "3"
    differences = totals.set_index("amount")["difference"]
    spent = totals.set_index("amount").loc["total tokens"]
    one, two = (int(spent[name].replace(",", "")) for name in ("T-80001", "T-90103"))
    assert differences["total tokens"] == f"{two - one:+,} ({two / one - 1:+.0%})"
    app.selectbox(key="beside").set_value(None).run()
    assert "against_thread" not in panels(app)["frame"]["params"]
    assert len(figure(app)["data"]) == 1


def test_a_second_run_that_is_not_open_is_told(open_app: Any) -> None:
    app = open_app("usage", "T-80001", against_thread="gone")
    assert not app.exception
    assert any("gone" in w.value for w in app.warning)


@pytest.mark.parametrize("sample", ["broken-step-missing", "broken-unseen-order"])
def test_violations_filter_by_keyword_from_the_address(open_app: Any, sample: str) -> None:
    app = open_app("violations", sample, filter="no such rule")
    assert not app.exception
    assert len(app.dataframe[0].value) >= 1

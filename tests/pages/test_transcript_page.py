"""State vs transcript: what the page sends to its panel, the what-if editor, empty states."""

import json
from pathlib import Path
from typing import Any

import pytest


def panel(app: Any, name: str) -> Any:
    found = [
        one
        for one in app.get("bidi_component")
        if one.proto.component_name.endswith(f"checkpoint_viewer_{name}")
    ]
    assert len(found) == 1, name
    return json.loads(found[0].proto.json)


def alerts(app: Any) -> dict[str, list[str]]:
    return {kind: [a.value for a in getattr(app, kind)] for kind in ("warning", "error", "success")}


def test_the_panel_gets_messages_evidence_and_what_is_not_proven(open_app: Any) -> None:
    app = open_app("transcript", "T-80001")
    assert not app.exception
    sent = panel(app, "conversation")
    [one] = sent["identifiers"]
    assert (one["id"], one["count"], one["returned"]) == ("LK-615204", 5, 0)
    assert one["by"] == [["user", 1], ["model", 3], ["tool refusal", 1]]
    assert [row["evidence"]["number"] for row in sent["rows"] if "evidence" in row] == [0, 1, 2]
    said = " ".join(m.value for m in app.markdown)
    assert "would let it pass" in said
    assert "**refuses it**" in said


def test_had_the_tool_returned_it_the_state_changes_its_verdict(open_app: Any) -> None:
    app = open_app("transcript", "T-80001", view="what-if")
    before = alerts(app)
    assert len(before["error"]) == 2, "as recorded, and with no change yet"
    assert any('"amount":899.0' in c.value.replace(" ", "") for c in app.code)
    app.selectbox(key="what_if_place").set_value("/messages/3").run()
    [button] = [b for b in app.button if "had returned it" in b.label]
    button.click().run()
    assert not app.exception
    # The form that is open shows what is in effect.
    [content] = [f for f in (*app.text_input, *app.text_area) if "/content" in f.label]
    assert json.loads(content.value)["ok"] is True
    after = alerts(app)
    assert len(after["error"]) == 1
    assert any("a tool returned every identifier" in words for words in after["success"])
    assert any("**Changed its verdict:** the state." in m.value for m in app.markdown)
    [reset] = [b for b in app.button if b.label == "Reset"]
    reset.click().run()
    assert alerts(app) == before


def test_a_form_field_changes_the_value_in_its_own_type(open_app: Any) -> None:
    app = open_app("transcript", "T-80001", view="what-if")
    app.selectbox(key="what_if_place").set_value("the proposal").run()
    [amount] = [f for f in app.text_input if "/actions/0/amount" in f.label]
    amount.set_value("12.5").run()
    assert any("899.0" in m.value and "12.5" in m.value for m in app.markdown)
    [amount] = [f for f in app.text_input if "/actions/0/amount" in f.label]
    amount.set_value("much").run()
    assert not app.exception
    assert any("is no number" in e.value for e in app.error)
    [order] = [f for f in app.text_input if "/actions/0/order_id" in f.label]
    [amount] = [f for f in app.text_input if "/actions/0/amount" in f.label]
    amount.set_value("12.5")
    order.set_value("LK-000001").run()
    assert any("stands nowhere in the messages" in e.value for e in app.error)


def test_json_that_is_none_is_named_and_changes_nothing(open_app: Any) -> None:
    app = open_app("transcript", "T-80001", view="what-if")
    [mode] = [g for g in app.get("button_group") if "JSON" in str(g.options)]
    mode.set_value("JSON").run()
    [area] = app.text_area
    assert json.loads(area.value)["code"] == "other_customer"
    area.set_value('{"ok": true,').run()
    assert not app.exception
    assert any("line 1" in e.value for e in app.error)
    [area] = app.text_area
    area.set_value('{"ok": true, "order_ids": ["LK-615204"]}').run()
    assert any("a tool returned every identifier" in s for s in alerts(app)["success"])


@pytest.mark.parametrize("view", ["read", "what-if", "present"])
@pytest.mark.parametrize(
    "name",
    ["thr_invoice_42", "langgraph-failed/checkpoints.sqlite", "broken-torn-last-line", "T-90103"],
)
def test_every_view_stands_on_every_kind_of_run(open_app: Any, name: str, view: str) -> None:
    app = open_app("transcript", name, view=view)
    assert not app.exception


def test_a_state_without_messages_says_what_to_do(open_app: Any) -> None:
    app = open_app("transcript", "thr_invoice_42")
    assert any("holds no messages" in i.value for i in app.info)
    sent = panel(app, "conversation")
    assert sent["note"] is None, "nothing is said of identifiers where there is no message"
    assert {"name": "status", "pointer": "/status", "value": ["succeeded"]} in sent["state"]


def test_a_profile_without_grounding_says_what_it_lacks(open_app: Any) -> None:
    sent = panel(open_app("transcript", "T-80001-messages/messages.json"), "conversation")
    assert "what an identifier looks like nor where code records" in sent["note"]
    assert "not a position" in sent["notes"][0]


def test_the_walk_of_the_run_is_presented(open_app: Any) -> None:
    sent = panel(open_app("transcript", "T-80001", view="present", at="/steps/4"), "presenter")
    assert [step["tally"]["count"] for step in sent["steps"]] == [1, 3, 4, 5, 5]
    assert [step["tally"]["returned"] for step in sent["steps"]] == [0] * 5
    verdict = sent["steps"][4]["verdict"]
    assert (verdict["believed"], verdict["proved"]) == (True, False)
    assert sent["panel"]["at"] == "/steps/4"


def test_a_malformed_walk_is_named(open_app: Any, tmp_path: Path) -> None:
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "1.json").write_text('{"n": 1}')
    (tmp_path / "walk.json").write_text('{"format_version": 1, "steps": []}')
    (tmp_path / "about.json").write_text('{"format_version": 1, "title": "x"}')
    app = open_app("transcript", tmp_path, view="present")
    assert not app.exception
    assert any("walk.json#/steps" in e.value for e in app.error)

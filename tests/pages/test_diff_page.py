"""The Diff page: any pair, the first checkpoint, what is new to the model, exports."""

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]
KEY = "sk-" + "Abcd1234" * 4


def sent(app: AppTest, panel: str = "diff3") -> Any:
    """Return what a panel of the page was sent."""
    assert not app.exception
    return next(
        json.loads(element.proto.json)
        for element in app.get("bidi_component")
        if element.proto.component_name == f"checkpoint_viewer_{panel}"
    )


def shown(app: AppTest) -> bool:
    names = [element.proto.component_name for element in app.get("bidi_component")]
    return "checkpoint_viewer_diff3" in names


def params(app: AppTest) -> dict[str, str]:
    found: dict[str, str] = sent(app, "frame")["params"]
    return found


def test_the_page_says_what_changed_by_what_it_paired_and_what_is_new(open_app: Any) -> None:
    diff = sent(open_app("diff", "T-80001", checkpoint="@2"))
    assert diff["summary"].startswith("2 messages appended (assistant, user), step 1 → 2")
    assert diff["paired"]["/messages"] == "what they hold"
    assert diff["since"]["title"] == "since @1"
    assert diff["since"]["kept"] == 4
    assert json.loads(diff["since"]["messages"][0]["text"]).startswith('{"plan"')
    assert diff["panel"]["turn"] >= 1
    assert (diff["index"], diff["base_index"], diff["swaps"]) == (2, 1, True)


def test_the_first_checkpoint_is_compared_with_nothing(open_app: Any) -> None:
    app = open_app("diff", "T-80001", checkpoint="@0")
    diff = sent(app)
    assert diff["base"] == "nothing before"
    assert {row["op"] for row in diff["rows"]} == {"add"}
    assert diff["summary"].startswith("2 messages added, 11 fields added")
    assert not diff["swaps"]
    assert "no earlier model call" in diff["why"]
    assert any("Nothing before" in c.value for c in app.caption)
    assert "base: no parent" in app.selectbox(key="pick_base").options[0]


def test_a_missing_parent_is_not_taken_for_nothing(open_app: Any, tmp_path: Path) -> None:
    source = tmp_path / "c2.json"
    source.write_text('{"checkpoint_id": "c2", "parent_id": "c1", "state": {"a": 1}}')
    app = open_app("diff", source)
    assert not shown(app)
    assert any("c1" in i.value for i in app.info)


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    one.write_text('{"n": 1}\n{"n": 2}\n')
    other.write_text('{"n": 7}\n{"n": 8}\n')
    return one, other


def test_a_base_in_another_source_by_its_address(open_app: Any, two: Any) -> None:
    link = {"source": "one.jsonl", "against_source": "other.jsonl", "against_thread": "other"}
    app = open_app("diff", *two, checkpoint="@1", **link, against="@0")
    diff = sent(app)
    assert diff["base"] == "other.jsonl · other · @0"
    assert [(r["path"], r["old"], r["new"]) for r in diff["rows"]] == [("/n", "7", "2")]
    assert (diff["index"], diff["base_index"], diff["written"]) == (1, None, {})
    assert params(app)["against_thread"] == "other"
    assert app.selectbox(key="pick_base").value == -2
    # The newest where the address names none.
    assert sent(open_app("diff", *two, checkpoint="@1", **link))["rows"][0]["old"] == "8"


def test_another_choice_lets_the_other_base_go(open_app: Any, two: Any) -> None:
    link = {"source": "one.jsonl", "against_source": "other.jsonl", "against_thread": "other"}
    app = open_app("diff", *two, checkpoint="@1", **link)
    app.selectbox(key="pick_base").select(-1).run()
    assert sent(app)["rows"][0]["old"] == "1"
    assert "against_thread" not in params(app)


def test_the_picker_of_another_base(open_app: Any, two: Any) -> None:
    app = open_app("diff", *two, source="one.jsonl", checkpoint="@1")
    assert not [b for b in app.selectbox if b.label == "Source of the base"]
    app.session_state["other_open"] = True
    app.run()
    (source,) = [b for b in app.selectbox if b.label == "Source of the base"]
    source.select("other.jsonl").run()
    (point,) = [b for b in app.selectbox if b.label == "Checkpoint of the base"]
    point.select(0).run()
    (button,) = [b for b in app.button if b.label == "Compare with this"]
    button.click().run()
    assert sent(app)["rows"][0]["old"] == "7"
    assert params(app)["against"] in ("line:1", "@0")


@pytest.mark.parametrize(
    ("name", "value"),
    [("against_source", "gone"), ("against_thread", "gone"), ("against", "@9")],
)
def test_a_base_that_is_not_here_is_named_and_no_other_shown(
    open_app: Any, two: Any, name: str, value: str
) -> None:
    link = {
        "source": "one.jsonl",
        "against_source": "other.jsonl",
        "against_thread": "other",
        name: value,
    }
    app = open_app("diff", *two, **link)
    assert not shown(app)
    assert any(value in e.value for e in app.error)
    next(b for b in app.button if "parent" in b.label).click().run()
    assert sent(app)["rows"][0]["old"] == "1"


@pytest.mark.parametrize("name", ["a\ud800b", "\u202e<b>x</b>", "`x` :material/home:", " "])
def test_a_thread_of_any_name_can_be_the_base(open_app: Any, tmp_path: Path, name: str) -> None:
    path = tmp_path / "run.json"
    threads = [{"thread_id": t, "state": {"n": i}} for i, t in enumerate(("plain", name))]
    path.write_text(json.dumps(threads))
    app = open_app("diff", path, thread="plain")
    app.session_state["other_open"] = True
    app.run()
    (button,) = [b for b in app.button if b.label == "Compare with this"]
    button.click().run()
    assert sent(app)["rows"][0]["old"] == "1"
    # The address it leaves leads there again.
    again = open_app("diff", path, **params(app))
    assert sent(again)["rows"][0]["old"] == "1"
    assert sent(again)["base"] == sent(app)["base"]


def test_swap_inside_a_thread_and_between_sources(
    open_app: Any, two: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from viewer.ui.panels import diff3

    real = diff3.show
    asked = iter(["swap"])

    def show(payload: Any, *, key: str) -> Any:
        real(payload, key=key)
        return diff3.DiffResult(action=next(asked, None))

    monkeypatch.setattr(diff3, "show", show)
    row = sent(open_app("diff", *two, source="one.jsonl", checkpoint="@1"))["rows"][0]
    assert (row["old"], row["new"]) == ("2", "1")
    asked = iter(["swap"])
    app = open_app(
        "diff",
        *two,
        source="one.jsonl",
        checkpoint="@0",
        against_source="other.jsonl",
        against_thread="other",
        against="@1",
    )
    row = sent(app)["rows"][0]
    assert (row["old"], row["new"]) == ("1", "8")
    found = params(app)
    assert (found["source"], found["against_source"]) == ("other.jsonl", "one.jsonl")
    assert sent(app, "strip")["selected"] == 1


def upload(app: AppTest, name: str, text: str) -> AppTest:
    (drop,) = app.get("file_uploader")
    return drop.set_value((name, text.encode(), "application/json")).run()


def test_an_uploaded_file_is_a_base_and_no_part_of_the_link(open_app: Any, two: Any) -> None:
    app = upload(open_app("diff", two[0], checkpoint="@1"), "mine.json", '{"n": 5, "x": 1}')
    diff = sent(app)
    assert diff["base"] == "uploaded mine.json"
    assert [(r["op"], r["path"]) for r in diff["rows"]] == [("replace", "/n"), ("remove", "/x")]
    assert any("not part of the link" in c.value for c in app.caption)
    assert "mine" not in json.dumps(params(app))
    # The next run compares what is held already; another target is compared anew.
    assert sent(app.run())["rev"] == diff["rev"]
    app.checkbox(key="loose_order").check().run()
    assert [r["path"] for r in sent(app)["rows"]] == ["/n", "/x"]
    app.selectbox(key="pick_target").select(0).run()
    assert sent(app)["rows"][0]["new"] == "1"
    app.selectbox(key="pick_base").select(-1).run()
    assert sent(app)["base"] == "nothing before"


def test_an_upload_that_is_no_json_is_named_with_its_place(open_app: Any, two: Any) -> None:
    app = upload(open_app("diff", two[0], checkpoint="@1"), "bad.json", '{"n": 1,\n "x": }')
    assert any("bad.json:2:7" in e.value for e in app.error)
    assert sent(app)["rows"][0]["old"] == "1"


def test_an_upload_beyond_the_limit_names_it(
    open_app: Any, two: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHECKPOINT_VIEWER_LIMIT_UPLOAD_BYTES", "10")
    app = upload(open_app("diff", two[0]), "big.json", '{"n": 1234567890}')
    assert any("upload_bytes" in e.value for e in app.error)


def test_a_loose_comparison_is_in_the_address(open_app: Any, tmp_path: Path) -> None:
    source = tmp_path / "run.jsonl"
    source.write_text('{"t": ["a", "b"], "n": 1.04, "id": 1}\n{"t": ["b", "a"], "n": 1, "id": 2}\n')
    app = open_app("diff", source)
    app.checkbox(key="loose_order").check().run()
    app.text_input(key="loose_ignore").set_value("/id").run()
    tab = params(app)["tab"]
    assert [row["path"] for row in sent(app)["rows"]] == ["/n"]
    again = open_app("diff", source, tab=tab)
    assert [row["path"] for row in sent(again)["rows"]] == ["/n"]
    assert again.checkbox(key="loose_order").value is True
    again.checkbox(key="loose_order").uncheck().run()
    assert {row["path"] for row in sent(again)["rows"]} > {"/n"}
    # A word of another page is none of ours.
    assert len(sent(open_app("diff", source, tab="usage:order=1"))["rows"]) > 2


class TestExports:
    """What each button of the menu writes."""

    @pytest.fixture
    def files(self, open_app: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
        import streamlit as st

        written: dict[str, str] = {}

        def download(label: str, write: Any, *_: Any, **__: Any) -> bool:
            if callable(write):
                made = write()
                written[label] = made if isinstance(made, str) else made.decode()
            return False

        monkeypatch.setattr(st, "download_button", download)
        source = tmp_path / "run.jsonl"
        states = [
            {"l": [1, 2, 3], "api_key": "first-secret", "note": KEY},
            {"l": [3, 1, 2], "api_key": "other-secret", "note": "=1"},
        ]
        source.write_text("".join(json.dumps(state) + "\n" for state in states))

        def make(**address: str) -> dict[str, str]:
            app = open_app("diff", source, **address)
            assert not app.exception
            return written

        make.states = states  # type: ignore[attr-defined]
        return make

    def test_every_form(self, files: Any) -> None:
        import jsonpatch

        found = files()
        assert found["Diff as Markdown"].startswith("## What changed: @0 → @1")
        assert '"\'=1"' not in found["Diff as Markdown"]
        assert ",'=1," in found["Diff as CSV"]
        document = json.loads(found["Diff as JSON"])
        assert (document["command"], document["base"]["index"]) == ("diff", 0)
        patch = json.loads(found["JSON Patch (RFC 6902)"])
        made = jsonpatch.apply_patch(files.states[0], patch)
        assert made["l"] == [3, 1, 2]
        assert json.loads(found["State as JSON"])["note"] == "=1"
        assert "/note,string,'=1" in found["State as CSV"]
        assert "| `/l/0` | integer | `3` |" in found["State as Markdown"]
        for name, text in found.items():
            if name != "Report as one HTML file":
                assert "-secret" not in text, name
                assert KEY not in text, name
        schema = json.loads((ROOT / "schemas" / "cli" / "diff.schema.json").read_text())
        from jsonschema import Draft202012Validator

        Draft202012Validator(schema).validate(document)

    def test_no_patch_of_a_loose_comparison(self, files: Any) -> None:
        found = files(tab="loose:order=1")
        assert "JSON Patch (RFC 6902)" not in found
        assert json.loads(found["Diff as JSON"])["rules"]["loose"]["ignore_order"] is True

"""Every page, from the menu and alone, on small real runs."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]
STEMS = [page.stem for page in sorted((ROOT / "pages").glob("*.py"))]
CASES = ROOT / "tests" / "cases"
CASE_116 = CASES / "116-selection-after-reload"
SAMPLES = sorted(p.parent.name for p in (ROOT / "sample_runs").glob("*/about.json"))


def panels(app: AppTest) -> dict[str, Any]:
    """Return what each Components v2 panel of the page was sent, by its short name."""
    found = {}
    for element in app.get("bidi_component"):
        name = element.proto.component_name.removeprefix("checkpoint_viewer_")
        found[name] = json.loads(element.proto.json)
    return found


@pytest.mark.parametrize("page", STEMS)
@pytest.mark.parametrize("sample", SAMPLES)
def test_every_page_shows_every_sample(open_app: Any, page: str, sample: str) -> None:
    app = open_app(page, sample)
    assert not app.exception
    assert "frame" in panels(app)


@pytest.mark.parametrize("page", STEMS)
def test_page_runs_alone_as_a_cold_deep_link_runs_it(
    monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    monkeypatch.setenv("CHECKPOINT_VIEWER_SOURCES", str(ROOT / "sample_runs" / "T-80001"))
    app = AppTest.from_file(str(ROOT / "pages" / f"{page}.py"), default_timeout=60).run()
    assert not app.exception
    assert "frame" in panels(app)


def test_no_source_says_what_did_not_open(open_app: Any, tmp_path: Path) -> None:
    app = open_app("timeline", tmp_path / "gone.json")
    assert not app.exception
    assert any("gone.json" in e.value for e in app.error)


def test_timeline_marks_the_change_from_the_parent(open_app: Any) -> None:
    app = open_app("timeline", "T-80001", checkpoint="@3")
    changed = {row[1] for row in panels(app)["tree"]["changes"]}
    assert "/status" in changed
    assert "/stop_reason" in changed


def test_address_chooses_the_checkpoint(open_app: Any) -> None:
    assert panels(open_app("timeline", "T-80001", checkpoint="@1"))["strip"]["selected"] == 1


def test_checkpoint_that_is_gone_falls_back_to_the_newest(open_app: Any) -> None:
    app = open_app("timeline", "T-80001", checkpoint="@9")
    assert not app.exception
    assert panels(app)["strip"]["selected"] == 3
    assert app.toast


def test_diff_of_any_two_checkpoints(open_app: Any) -> None:
    sent = panels(open_app("diff", "T-80001", checkpoint="@3", base="@0"))["diff3"]
    assert sent["base"].startswith("@0")
    assert any(row["path"] == "/status" for row in sent["rows"])


def test_loose_comparison_says_how_much_it_passes_over(open_app: Any, tmp_path: Path) -> None:
    source = tmp_path / "run.jsonl"
    source.write_text('{"tags": ["a", "b"], "n": 1}\n{"tags": ["b", "a"], "n": 2}\n')
    app = open_app("diff", source)
    assert {row["path"] for row in panels(app)["diff3"]["rows"]} > {"/n"}
    app.checkbox(key="loose_order").check().run()
    assert not app.exception
    assert [row["path"] for row in panels(app)["diff3"]["rows"]] == ["/n"]
    assert any("loosely" in i.value for i in app.info)


def test_a_loose_rule_that_is_no_pattern_is_named(open_app: Any) -> None:
    app = open_app("diff", "T-80001")
    app.text_input(key="loose_ignore").set_value("re:(").run()
    assert not app.exception
    assert app.error


def test_what_if_refund_passes_the_transcript_and_not_the_state(open_app: Any) -> None:
    app = open_app("transcript", "T-80001", view="what-if")
    assert any("would let it pass" in w.value for w in app.warning)
    assert any("LK-615204" in e.value for e in app.error)


def test_usage_without_any_record_is_not_zero(open_app: Any, tmp_path: Path) -> None:
    source = tmp_path / "plain.jsonl"
    source.write_text('{"n": 1}\n{"n": 2}\n')
    app = open_app("usage", source)
    assert any("not the same as 0" in i.value for i in app.info)
    assert "no record" in [m.value for m in app.metric]


def test_approvals_lists_what_waits(open_app: Any) -> None:
    app = open_app("approvals", "T-90103")
    shown = " ".join(m.value for m in app.markdown)
    assert "reship_item" in shown
    assert "create_return_label" in shown


def test_approvals_warns_of_a_proposal_that_breaks_a_rule(open_app: Any) -> None:
    app = open_app("approvals", "broken-unseen-order")
    assert any("LK-615204" in e.value for e in app.error)
    assert not open_app("approvals", "T-90103").error


def test_approvals_warns_of_no_rule_that_an_earlier_checkpoint_broke(
    open_app: Any, tmp_path: Path
) -> None:
    run_folder = tmp_path / "run"
    shutil.copytree(ROOT / "sample_runs" / "T-90103", run_folder)
    first = run_folder / "checkpoints" / "0001.json"
    first.write_text(first.read_text("utf-8").replace('"evidence": []', '"evidence": 0'))
    violations = open_app("violations", run_folder).dataframe[0].value
    assert list(violations["checkpoint_id"]) == ["T-90103-0"]
    app = open_app("approvals", run_folder)
    assert "reship_item" in " ".join(m.value for m in app.markdown)
    assert not app.error


@pytest.mark.parametrize("name", ["source", "thread"])
def test_an_address_that_names_nothing_open_shows_no_other_run(open_app: Any, name: str) -> None:
    address = {"source": "T-80001", "thread": "T-80001", name: "nope"}
    app = open_app("timeline", "T-80001", "T-90103", **address)
    assert not app.exception
    assert any("nope" in e.value for e in app.error)
    assert "tree" not in panels(app)
    app.button[0].click().run()
    assert "tree" in panels(app)


def test_a_thread_alone_in_the_address_finds_its_source(open_app: Any) -> None:
    app = open_app("timeline", "T-80001", "T-90103", thread="T-90103")
    assert panels(app)["frame"]["line"]["title"] == "T-90103"


def test_a_profile_without_gates_is_not_called_clean(open_app: Any, tmp_path: Path) -> None:
    source = tmp_path / "plain.jsonl"
    source.write_text('{"n": 1}\n{"n": 2}\n')
    assert panels(open_app("timeline", source))["frame"]["line"]["violations"] is None
    assert panels(open_app("timeline", "T-80001"))["frame"]["line"]["violations"] == 0


def test_a_checkpoint_without_state_names_its_violation(open_app: Any) -> None:
    app = open_app("timeline", "broken-failing-patch", checkpoint="@4")
    assert any("patch fails" in m.value for m in app.markdown)


def test_a_torn_line_is_told_at_the_last_good_checkpoint(open_app: Any) -> None:
    app = open_app("timeline", "broken-torn-last-line")
    assert any("after this checkpoint" in m.value for m in app.markdown)


def test_approvals_says_when_nothing_waits(open_app: Any) -> None:
    assert open_app("approvals", "T-80001").info


def test_violations_name_the_place(open_app: Any) -> None:
    app = open_app("violations", "broken-step-missing")
    shown = app.dataframe[0].value
    assert list(shown["keyword"]) == ["required"]
    assert list(shown["pointer"]) == ["/step"]


def test_runs_filter_that_passes_nothing_offers_to_clear_it(open_app: Any) -> None:
    app = open_app("runs", "T-80001")
    app.text_input(key="runs_filter").set_value("zzz").run()
    assert app.info
    app.button[0].click().run()
    assert len(app.dataframe[0].value) == 1


def test_selection_survives_a_source_replaced_by_a_shorter_one(
    open_app: Any, tmp_path: Path
) -> None:
    source = tmp_path / "run.jsonl"
    source.write_bytes((CASE_116 / "ten.jsonl").read_bytes())
    app = open_app("diff", source, checkpoint="@9", base="@7")
    assert panels(app)["strip"]["selected"] == 9
    (row,) = panels(app)["diff3"]["rows"]
    assert (row["path"], row["old"], row["new"]) == ("/n", "7", "9")
    source.write_bytes((CASE_116 / "two.jsonl").read_bytes())
    app.run()
    assert not app.exception
    assert panels(app)["strip"]["selected"] == 1
    assert panels(app)["strip"]["count"] == 2
    # Both sides are of the file that is there now: 7 and 9 were steps of the other.
    sent = panels(app)["diff3"]
    assert (sent["base"], sent["target"]) == ("@0 · step 0", "@1 · step 1")
    assert [(row["old"], row["new"]) for row in sent["rows"]] == [("0", "1")]


def test_pair_of_one_file_is_not_kept_for_another(open_app: Any) -> None:
    app = open_app(
        "diff", CASE_116 / "ten.jsonl", CASE_116 / "two.jsonl", checkpoint="@9", base="@7"
    )
    assert panels(app)["diff3"]["rows"][0]["old"] == "7"
    app.sidebar.selectbox[0].select("two.jsonl").run()
    assert not app.exception
    sent = panels(app)
    assert (sent["strip"]["count"], sent["strip"]["selected"]) == (2, 1)
    assert [(row["old"], row["new"]) for row in sent["diff3"]["rows"]] == [("0", "1")]
    # Nor where the longer file has such steps as well.
    app.sidebar.selectbox[0].select("ten.jsonl").run()
    sent = panels(app)
    assert (sent["strip"]["count"], sent["strip"]["selected"]) == (10, 9)
    assert [(row["old"], row["new"]) for row in sent["diff3"]["rows"]] == [("8", "9")]


@pytest.mark.parametrize("page", ["diff", "timeline"])
def test_record_that_is_missing_between_the_two_is_said(open_app: Any, page: str) -> None:
    source = CASES / "61-jsonl-bad-line-in-the-middle" / "run.jsonl"
    (said,) = open_app(page, source, checkpoint="@2").warning
    assert said.value.startswith("1 record is missing between @1 and @2")
    assert not open_app(page, source, checkpoint="@3").warning
    assert len(open_app(page, source, checkpoint="@3", base="@0").warning) == 1


@pytest.mark.slow
def test_two_thousand_checkpoints_open_on_every_page(open_app: Any, tmp_path: Path) -> None:
    source = tmp_path / "long.jsonl"
    messages: list[dict[str, str]] = []
    with source.open("w", encoding="utf-8") as file:
        for number in range(2000):
            messages.append({"id": f"m{number}", "role": "user", "content": f"{number} " * 20})
            state = {"messages": messages[-250:], "step": number}
            file.write(json.dumps(state) + "\n")
    for page in STEMS:
        app = open_app(page, source)
        assert not app.exception
    strip = panels(open_app("timeline", source))["strip"]
    assert strip["count"] == 2000
    assert len(json.dumps(strip)) < 40_000

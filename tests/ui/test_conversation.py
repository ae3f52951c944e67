"""What the conversation and the presenter draw, and their pure parts under node."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from viewer.analysis.follow_text import following
from viewer.analysis.grounding import transcript
from viewer.analysis.walk import WalkStep, read_walk, walk_of
from viewer.chain import Chain
from viewer.errors import SelectionError
from viewer.panels.conversation import PAGE, conversation_payload, message_rows
from viewer.panels.marked import call_row, identifiers, marked, message_fields
from viewer.panels.modules import FOLDER, script
from viewer.panels.presenter import presenter_payload
from viewer.reports.conversation import as_markdown, mentions_document
from viewer.sources import open_source

SAMPLES = Path(__file__).parents[2] / "sample_runs"
ORDER = (r"LK-\d{6}",)
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


def chain_of(place: Path) -> Chain:
    source = open_source(place)
    return source.chain(source.threads[0])


@pytest.fixture(scope="module")
def shed() -> Chain:
    return chain_of(SAMPLES / "T-80001")


def mentions_drawn(row: Any) -> list[str]:
    """Return the identifiers that the panel draws of a message row by default."""
    if isinstance(row, list):
        return (
            [row[0]]
            if len(row) == 1 and isinstance(row[0], str) and row[0].startswith("LK-")
            else [name for part in row for name in mentions_drawn(part)]
        )
    if isinstance(row, dict):
        skip = {"text", "evidence"} if "fields" in row else {"evidence"}
        skip |= {"text"} if "table" in row else set()
        return [
            name for key, part in row.items() if key not in skip for name in mentions_drawn(part)
        ]
    return []


def test_what_is_drawn_is_what_is_counted(shed: Chain) -> None:
    for index in range(4):
        found = transcript(shed, index)
        sent = conversation_payload(shed, index, found)
        drawn = [name for row in sent["rows"] for name in mentions_drawn(row)]
        assert len(drawn) == sum(m.count for m in found.mentions) == [1, 3, 4, 5][index]


def test_new_messages_and_evidence_stand_where_they_belong(shed: Chain) -> None:
    sent = conversation_payload(shed, 2, transcript(shed, 2))
    assert sent["fresh"] == 4
    assert [(r["index"], r["evidence"]["ok"]) for r in sent["rows"] if "evidence" in r] == [
        (3, False),
        (5, True),
    ]
    assert sent["identifiers"][0]["named"] == 1
    assert [f["pointer"] for f in sent["state"]][:3] == ["/status", "/step", "/stop_reason"]
    assert conversation_payload(shed, 0, transcript(shed, 0))["fresh"] == 2


def test_evidence_without_a_message_is_not_lost(tmp_path: Path) -> None:
    state = {
        "goal": "g",
        "messages": [{"role": "user", "content": "hi"}],
        "evidence": [{"tool": "t", "ok": True, "order_ids": ["LK-000001"]}],
    }
    path = tmp_path / "state.json"
    path.write_text(json.dumps([state]))
    chain = chain_of(path)
    sent = conversation_payload(chain, 0, transcript(chain, 0))
    assert [row["returned"] for row in sent["rest"]] == [["LK-000001"]]
    assert sent["identifiers"] == [
        {"id": "LK-000001", "count": 0, "by": [], "returned": 1, "named": 0}
    ]


def test_the_newest_messages_are_sent_first(tmp_path: Path) -> None:
    many = PAGE * 2 + 7
    listed = [{"role": "user" if i % 2 else "assistant", "content": f"m{i}"} for i in range(many)]
    path = tmp_path / "state.json"
    path.write_text(json.dumps([{"messages": listed, "n": 1}]))
    chain = chain_of(path)
    found = transcript(chain, 0)
    sent = conversation_payload(chain, 0, found)
    assert (sent["first"], len(sent["rows"]), sent["rows"][-1]["text"]) == (
        many - PAGE,
        PAGE,
        [f"m{many - 1}"],
    )
    earlier = message_rows(chain, 0, found, 7, 7 + PAGE)
    assert earlier[0]["text"] == ["m7"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"a": 1.50}', id="a number written otherwise"),
        pytest.param('{"a": 1, "a": 2}', id="a key twice"),
        pytest.param('{"a": NaN}', id="no JSON"),
        pytest.param("[1]", id="a list"),
        pytest.param('{"a": "LK-\\u0031\\u0031\\u0031111"}', id="an identifier behind escapes"),
        pytest.param("{" * 2_000, id="no end"),
    ],
)
def test_a_message_that_would_not_be_shown_as_it_is_stays_as_written(text: str) -> None:
    assert message_fields(text, ORDER) is None


def test_a_call_is_a_table_only_where_the_same_identifiers_stand_in_it() -> None:
    drawn = call_row("get_order", {"order_id": "LK-615204"}, ORDER)
    assert drawn["table"] == [[["order_id"], [["LK-615204"]]]]
    spanning = call_row("x", {"a": "b"}, (r'a": "b',))
    assert "table" not in spanning
    assert identifiers(spanning["text"]) == ['a": "b']


def test_marks_stand_where_the_pattern_found_them() -> None:
    assert marked("1234567 123456", (r"\b\d{6}\b",)) == ["1234567 ", ["123456"]]
    assert marked("\ud800", ()) == ["\\ud800"]


def test_each_step_of_the_walk_has_its_two_sides(shed: Chain) -> None:
    sent = presenter_payload(shed, walk_of(shed))
    assert [step["tally"]["count"] for step in sent["steps"]] == [1, 3, 4, 5, 5]
    assert [len(step["left"]) for step in sent["steps"]] == [1, 2, 2, 1, 0]
    refusal = sent["steps"][1]["left"][1]
    assert (refusal["who"], refusal["by"]) == ("tool refusal", "tool_refused")
    assert {"name": "evidence/0/code", "value": ["other_customer"], "empty": False} in sent[
        "steps"
    ][1]["right"]
    verdict = sent["steps"][4]["verdict"]
    assert (verdict["believed"], verdict["proved"]) == (True, False)
    assert "LK-615204" in verdict["reason"]


def test_a_walk_that_names_what_is_not_there_says_so(shed: Chain) -> None:
    steps = [
        {"checkpoint": "nowhere", "title": "a"},
        {
            "checkpoint": "@1",
            "title": "b",
            "transcript": ["/messages/99"],
            "state": ["/none"],
            "what_if": "no",
        },
    ]
    lost, bare = presenter_payload(shed, read_walk({"format_version": 1, "steps": steps}))["steps"]
    assert "nowhere" in lost["missing"]
    assert bare["left"][0]["who"] == "nothing at /messages/99"
    assert bare["right"][0]["value"] == ["absent"]
    assert bare["verdict"]["missing"] is True


def test_a_long_value_is_cut_around_the_identifier(shed: Chain) -> None:
    state = {**shed.state(3), "goal": "x" * 900 + " LK-615204 " + "y" * 900}
    from dataclasses import replace

    chain = replace(shed, states=(*shed.states[:3], state))
    step = WalkStep(checkpoint="@3", title="t", identifier="LK-615204", state=("/goal",))
    walk = read_walk({"format_version": 1, "steps": [step.model_dump()]})
    [shown] = presenter_payload(chain, walk)["steps"][0]["right"]
    assert identifiers(shown["value"]) == ["LK-615204"]
    assert (shown["value"][0], shown["value"][-1]) == ("…", "…")


def test_markdown_holds_everything_and_nothing_is_read_as_markup(
    tmp_path: Path, shed: Chain
) -> None:
    text = as_markdown(shed, 3)
    assert "| `LK-615204` | 5 | user 1, model 3, tool refusal 1 | no |" in text
    assert text.count("**Evidence") == 3
    path = tmp_path / "state.json"
    path.write_text(
        json.dumps([{"messages": [{"role": "user", "content": "````\n# x\n|"}], "n": 1}])
    )
    chain = chain_of(path)
    assert "`````\n````\n# x\n|\n`````" in as_markdown(chain, 0)


def test_the_mentions_are_those_of_the_command(shed: Chain) -> None:
    found = mentions_document(shed, 3)
    [mention] = found["mentions"]
    assert mention["by"] == {"user": 1, "model": 3, "system": 0, "tool_ok": 0, "tool_refused": 1}
    assert [p["pointer"] for p in mention["places"]] == [f"/messages/{i}" for i in (1, 2, 3, 4, 6)]


def run(body: str, folder: Path, **given: Any) -> Any:
    for module in FOLDER.glob("*.js"):
        shutil.copy(module, folder / module.name)
    (folder / "package.json").write_text('{"type": "module"}')
    start = (
        f"const given = {json.dumps(given)};\nconst tell = (x) => console.log(JSON.stringify(x));\n"
    )
    (folder / "run.js").write_text(body.replace("//start", start), encoding="utf-8")
    assert NODE is not None
    done = subprocess.run(
        [NODE, str(folder / "run.js")], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_node
def test_words_steps_and_pretty_json_in_the_browser(tmp_path: Path) -> None:
    body = """import { mentionAfter, prettyPieces, proofWords, standingOf, tallyWords } from "./conversation_model.js";
    import { stepAfterKey, stepOf } from "./presenter.js";
    //start
    tell([
      tallyWords({ count: 5, by: [["user", 1], ["model", 3], ["tool refusal", 1]] }), tallyWords({ count: 1, by: [["user", 1]] }),
      proofWords({ returned: 0, named: 1 }, true), proofWords({ returned: 2, named: 0 }, true), proofWords({ returned: 0, named: 0 }, false),
      [mentionAfter(-1, 1, 3), mentionAfter(-1, -1, 3), mentionAfter(2, 1, 3), mentionAfter(0, -1, 3), mentionAfter(0, 1, 0)],
      prettyPieces(given.pieces),
      [stepOf("/steps/3", 5), stepOf("/steps/99", 5), stepOf(null, 5), stepOf("/goal", 5)],
      ["ArrowRight", " ", "ArrowLeft", "End", "Home", "x"].map((key) => stepAfterKey(key, 0, 5)),
      [standingOf({ returned: 1 }, true), standingOf({ returned: 0 }, true), standingOf(undefined, true), standingOf({ returned: 0 }, false)],
    ]);
    """
    pieces = ['{"a": {"n": 1.50, "e": {}, "t": "x, {\\" ', ["LK-615204"], '"}, "l": [1,', ' "y"]}']
    five, once, none, two, undeclared, after, pretty, steps, keys, standing = run(
        body, tmp_path, pieces=pieces
    )
    # Where no evidence is declared nobody knows, which is not the same as not proven.
    assert standing == ["proven", "unproven", "unproven", "unknown"]
    assert five == "5 mentions: user 1, model 3, tool refusal 1"
    assert once == "1 mention: user 1"
    assert none == "0 rows of evidence returned it · 1 row only names it"
    assert two == "2 rows of evidence returned it"
    assert undeclared == "no evidence is declared here"
    assert after == [0, 2, 0, 2, -1]
    text = "".join(p if isinstance(p, str) else p[0] for p in pretty)
    assert json.loads(text) == json.loads(
        "".join(p if isinstance(p, str) else p[0] for p in pieces)
    )
    assert '"n": 1.50,\n' in text
    assert '"e": {},' in text
    assert text.endswith('  "l": [\n    1,\n    "y"\n  ]\n}')
    assert ["LK-615204"] in pretty
    assert steps == [3, 4, 0, 0]
    assert keys == [1, 1, 0, 4, 0, None]


@pytest.mark.parametrize("panel", ["conversation", "presenter"])
def test_the_modules_join_into_one(panel: str, tmp_path: Path) -> None:
    import re

    text = script(f"{panel}.js")
    names = re.findall(
        r"^(?:export default )?(?:async )?(?:function|class|const|let) (\w+)", text, re.MULTILINE
    )
    assert sorted(names) == sorted(set(names))
    assert not re.search(r"^import\b", text, re.MULTILINE)
    assert len(re.findall(r"^export ", text, re.MULTILINE)) == 1
    if NODE is not None:
        (tmp_path / "panel.mjs").write_text(text, encoding="utf-8")
        done = subprocess.run([NODE, "--check", str(tmp_path / "panel.mjs")], capture_output=True)
        assert done.returncode == 0, done.stderr


def test_any_text_is_followed_where_the_profile_declares_nothing() -> None:
    plain = chain_of(SAMPLES / "T-80001-messages" / "messages.json")
    assert plain.profile.file.grounding is None
    index = len(plain.checkpoints) - 1
    chain = following(plain, "LK-615204")
    sent = conversation_payload(chain, index, transcript(chain, index))
    [one] = sent["identifiers"]
    assert (one["id"], one["count"], sent["evidence"]) == ("LK-615204", 5, None)
    assert "not a position" in sent["notes"][0]
    odd = following(plain, "[get_order](x)*")
    assert conversation_payload(odd, index, transcript(odd, index))["identifiers"] == []
    assert plain.profile.file.grounding is None
    with pytest.raises(SelectionError):
        following(plain, "  ")

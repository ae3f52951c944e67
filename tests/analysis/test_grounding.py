import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.analysis.grounding import transcript, try_proposal
from viewer.chain import Chain, assemble
from viewer.errors import ProfileError
from viewer.model import MISSING, Record, Thread, ThreadRef
from viewer.profiles import builtin_profiles
from viewer.profiles.identifiers import LONGEST, occurrences

Make = Callable[..., Any]
SAMPLES = Path(__file__).parents[2] / "sample_runs"
REFUND = json.loads((SAMPLES / "T-80001/what_if/refund-899.json").read_text())


@pytest.fixture
def sample(make_chain: Make) -> Callable[[str], Chain]:
    def load(name: str) -> Chain:
        files = sorted((SAMPLES / name / "checkpoints").glob("*.json"))
        states = [json.loads(file.read_text())["state"] for file in files]
        return make_chain(*states, profile="task-state")  # type: ignore[no-any-return]

    return load


def by(**counts: int) -> dict[str, int]:
    return {"user": 0, "model": 0, "system": 0, "tool_ok": 0, "tool_refused": 0, **counts}


def test_t_80001_mentions_the_neighbour_s_order_five_times_and_proves_nothing(
    sample: Callable[[str], Chain],
) -> None:
    found = transcript(sample("T-80001"))
    assert [(m.id, m.count, m.by) for m in found.mentions] == [
        ("LK-615204", 5, by(user=1, model=3, tool_refused=1))
    ]
    assert found.mentions[0].places == (
        ("/messages/1", "user"),
        ("/messages/2", "model"),
        ("/messages/3", "tool_refused"),
        ("/messages/4", "model"),
        ("/messages/6", "model"),
    )
    assert found.evidence == ()
    assert found.why == (
        "3 recorded results, and none of them succeeded and returned an identifier"
    )
    (finding,) = found.findings
    assert (finding.keyword, finding.identifier, finding.pointer) == (
        "mentioned_not_proven",
        "LK-615204",
        "/messages/1",
    )
    assert (finding.believed_by_transcript, finding.proved_by_state) == (True, False)
    assert "5 times" in finding.message
    assert "tool refusal 1" in finding.message
    assert len(found.messages) == 8


def test_the_refund_passes_the_transcript_and_the_state_refuses_it(
    sample: Callable[[str], Chain],
) -> None:
    (finding,) = try_proposal(sample("T-80001"), REFUND)
    assert (finding.keyword, finding.identifier) == ("action_on_unproven", "LK-615204")
    assert (finding.believed_by_transcript, finding.proved_by_state) == (True, False)
    assert finding.pointer == "/actions/0/order_id"
    assert finding.message.startswith("request_refund on LK-615204: no tool returned it")
    assert "seen_orders" in finding.message


def test_t_90103_is_grounded(sample: Callable[[str], Chain]) -> None:
    chain = sample("T-90103")
    found = transcript(chain)
    assert [(m.id, m.count, m.by) for m in found.mentions] == [
        ("LK-640436", 5, by(user=1, model=3, tool_ok=1))
    ]
    assert [(e.id, e.checkpoint_id, e.pointer) for e in found.evidence] == [
        ("LK-640436", "c1", "/evidence/0/order_ids/0")
    ]
    assert (found.findings, found.why) == ((), None)
    tried = try_proposal(chain, chain.state(2)["proposal"])
    assert [(f.keyword, f.proved_by_state) for f in tried] == [("action_proven", True)] * 2


def test_before_the_lookup_the_same_proposal_is_refused(sample: Callable[[str], Chain]) -> None:
    chain = sample("T-90103")
    tried = try_proposal(chain, chain.state(2)["proposal"], 0)
    assert [(f.keyword, f.believed_by_transcript) for f in tried] == [
        ("action_on_unproven", True)
    ] * 2


def state(messages: list[Any], evidence: Any = (), **more: Any) -> dict[str, Any]:
    rows = list(evidence) if isinstance(evidence, tuple | list) else evidence
    return {"goal": "LK-000000", "messages": messages, "evidence": rows, **more}


def row(ok: Any, *ids: Any) -> dict[str, Any]:
    return {"tool": "t", "args": {"order_id": "LK-000001"}, "ok": ok, "order_ids": list(ids)}


SAY = "LK-111111"
USER, MODEL = {"role": "user", "content": SAY}, {"role": "assistant", "content": SAY}
TOOL, SYSTEM = {"role": "tool", "content": SAY}, {"role": "system", "content": SAY}
FAILED = {"type": "tool", "content": SAY, "status": "error"}
CALL = {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": f'{{"a": "{SAY}"}}'}}]}  # fmt: skip


@pytest.mark.parametrize(
    ("listed", "rows", "counted"),
    [
        pytest.param([SYSTEM, USER, MODEL], [], by(system=1, user=1, model=1), id="roles"),
        pytest.param([USER, USER, USER], [True, False], by(user=1, tool_ok=1, tool_refused=1), id="structured"),
        pytest.param([USER, USER, USER], [True], by(user=2, tool_ok=1), id="structured-beyond-the-rows"),
        pytest.param([USER, CALL, TOOL, USER], [False], by(user=2, model=1, tool_refused=1), id="native"),
        pytest.param([USER, TOOL, FAILED], [], by(user=1, tool_ok=1, tool_refused=1), id="own-mark"),
        pytest.param([USER, FAILED], [True], by(user=1, tool_ok=1), id="evidence-before-own-mark"),
        pytest.param([USER, TOOL], ["yes"], by(user=1, tool_refused=1), id="ok-must-be-true"),
        pytest.param([CALL], [], by(model=1), id="call"),
        pytest.param([{"type": "remove", "content": SAY}], [], by(system=1), id="instruction"),
        pytest.param([{"type": "chat", "role": "critic", "content": SAY}], [], by(model=1), id="agent"),
        pytest.param([SAY], [], by(user=1), id="no-role"),
        pytest.param([{"role": "user", "content": f"{SAY} {SAY}"}], [], by(user=2), id="twice-in-one"),
    ],
)  # fmt: skip
def test_who_wrote_a_mention(listed: Any, rows: Any, counted: Any, make_chain: Make) -> None:
    chain = make_chain(state(listed, [row(ok) for ok in rows]), profile="task-state")
    (mention,) = transcript(chain).mentions
    assert mention.by == counted
    assert mention.count == sum(counted.values()) == len(mention.places)


def test_goal_and_evidence_arguments_are_no_mentions(make_chain: Make) -> None:
    found = transcript(make_chain(state([], [row(False)]), profile="task-state"))
    assert found.mentions == ()


def test_evidence_names_the_first_checkpoint_of_its_own_lineage(make_chain: Make) -> None:
    one, two = row(True, "LK-1"), row(True, "LK-2", "LK-1", 7, None, "")
    chain = make_chain(
        state([]), state([], [one]), MISSING, state([], [one, two]), state([], [two]),
        parents=(None, 0, 1, 2, 0), profile="task-state",
    )  # fmt: skip
    assert [(e.id, e.checkpoint_id, e.pointer) for e in transcript(chain, 3).evidence] == [
        ("LK-1", "c1", "/evidence/0/order_ids/0"),
        ("LK-2", "c3", "/evidence/1/order_ids/0"),
        ("7", "c3", "/evidence/1/order_ids/2"),
    ]
    branch = transcript(chain, 4).evidence
    assert [(e.id, e.checkpoint_id) for e in branch] == [("LK-2", "c4"), ("LK-1", "c4"), ("7", "c4")]  # fmt: skip


def test_a_proposal_in_the_state_that_acts_on_the_unseen_is_found(make_chain: Make) -> None:
    broken = state([USER], [row(True, "LK-2")], proposal={"actions": [{"tool": "t", "order_id": SAY}]})  # fmt: skip
    found = transcript(make_chain(broken, profile="task-state"))
    assert [(f.keyword, f.pointer) for f in found.findings] == [
        ("mentioned_not_proven", "/messages/0"),
        ("action_on_unproven", "/proposal/actions/0/order_id"),
    ]


@pytest.mark.parametrize(
    ("proposal", "keywords"),
    [
        pytest.param({"actions": [{"tool": "t"}]}, ["action_without_identifier"], id="no-id"),
        pytest.param({"actions": ["t", 1]}, ["action_without_identifier"] * 2, id="no-objects"),
        pytest.param({"actions": []}, [], id="no-actions"),
        pytest.param({"outcome": "done"}, [], id="no-list"),
        pytest.param(None, [], id="null"),
        pytest.param([], [], id="list"),
        pytest.param(
            {"actions": [{"tool": "t", "order_id": "X-9"}]}, ["action_on_unproven"], id="other-form"
        ),
    ],
)
def test_proposals_of_any_shape_can_be_tried(
    proposal: Any, keywords: Any, make_chain: Make
) -> None:
    chain = make_chain(state([{"role": "user", "content": "see X-9"}]), profile="task-state")
    found = try_proposal(chain, proposal)
    assert [f.keyword for f in found] == keywords
    assert all(f.believed_by_transcript is (f.identifier == "X-9") for f in found)


def test_without_an_evidence_field_nothing_is_claimed(make_chain: Make, make_profile: Make) -> None:
    profile = make_profile(fields={"messages": "/messages"}, grounding={"identifiers": ["LK-\\d+"]})
    found = transcript(make_chain({"messages": [USER, FAILED]}, profile=profile))
    assert found.mentions[0].by == by(user=1, tool_refused=1)
    assert found.findings == ()
    assert found.why == ("profile made names no field in which code records what tools returned")


@pytest.mark.parametrize(
    ("states", "why"),
    [
        pytest.param([], "the chain holds no checkpoint", id="empty"),
        pytest.param([MISSING], "no state can be read here", id="no-state"),
        pytest.param([{"goal": ""}], "no tool's result is recorded in this state", id="no-rows"),
        pytest.param(
            [state([], [row(False, "LK-1")])],
            "1 recorded result, and none of them succeeded and returned an identifier",
            id="refused",
        ),
    ],
)
def test_why_there_is_no_evidence(states: Any, why: str, make_chain: Make) -> None:
    assert transcript(make_chain(*states, profile="task-state")).why == why


@pytest.mark.parametrize(
    ("patterns", "text", "found"),
    [
        pytest.param((r"LK-\d{6}",), "LK-615204LK-615204 LK-61520", ["LK-615204"] * 2, id="exact"),
        pytest.param((r"[A-Z]+-\d+", r"K-\d+"), "LK-1 K-2", ["LK-1", "K-2"], id="two-patterns"),
        pytest.param((r"a", r"ab"), "ab", ["ab"], id="longer-wins"),
        pytest.param((r"x*",), "aab", [], id="empty-matches"),
        pytest.param((r"\d{2,}",), "1 12 123", ["12", "123"], id="open-bound"),
        pytest.param((r"\d{,}",), "1", ["1"], id="bounds-left-out"),
        pytest.param((r"a{}",), "a{}", ["a{}"], id="braces-are-text"),
        pytest.param((r"(?:A|B)-\d(?:-\d)?",), "A-1-2 B-3", ["A-1-2", "B-3"], id="groups"),
        pytest.param((r"(?P<n>[]x]+)",), "x]", ["x]"], id="set-with-bracket"),
        pytest.param((r"\w+",), "a" * (LONGEST + 1), ["a" * LONGEST, "a"], id="longest"),
    ],
)
def test_identifiers_in_a_text(patterns: Any, text: str, found: list[str]) -> None:
    assert list(occurrences(text, patterns)) == found


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "(?:a|a)*b", r"(a)\1", r"(?P<n>a)(?P=n)", "(?=a)", "(?<!a)b", "(?>a)", "(?i)a", "(?#c)a",
     "(?(1)a)", "(", "[", "*", "a{99999}", "a{9999999999}", "a*b*c*", "x{3,1}", ")", "(?:(?:a?)b)+"],
)  # fmt: skip
def test_a_pattern_outside_the_safe_subset_is_refused(pattern: str) -> None:
    with pytest.raises(ProfileError, match="identifier pattern"):
        list(occurrences("a", (pattern,)))


def test_the_worst_allowed_pattern_takes_no_exponential_time() -> None:
    begin = time.perf_counter()
    assert list(occurrences("a" * 4000, (r"\w+\w+!", r"(?:aa)+!"))) == []
    assert time.perf_counter() - begin < 5


@given(
    pattern=st.text("ab()[]{}|*+?\\\\.,:^$-^12dwgkP<>=!#i", max_size=12),
    text=st.text("ab12-", max_size=20),
)
def test_any_pattern_is_refused_by_name_or_finds_what_stands_there(pattern: str, text: str) -> None:
    with warnings.catch_warnings():
        # Python warns of sets that a later version may read otherwise.
        warnings.simplefilter("ignore", FutureWarning)
        try:
            found = list(occurrences(text, (pattern,)))
        except ProfileError:
            return
    assert all(name and name in text for name in found)


KEYS = st.sampled_from(
    ["messages", "evidence", "proposal", "actions", "order_id", "order_ids", "ok", "role", "content", "tool_calls"]
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["LK-123456", "user", "tool"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)  # fmt: skip


@given(states=st.lists(JSON, max_size=3), proposal=JSON)
def test_no_state_and_no_proposal_raises(states: list[Any], proposal: Any) -> None:
    records = tuple(Record(place="p", made_id=f"c{i}", state=s) for i, s in enumerate(states))
    for profile in builtin_profiles():
        chain = assemble("s", "r", Thread(ref=ThreadRef(thread_id="t"), records=records), profile)
        found = transcript(chain)
        assert {f.identifier for f in found.findings}.isdisjoint(e.id for e in found.evidence)
        try_proposal(chain, proposal)

"""Every folder of sample_runs is what its about.json says, and the documents' facts are in it."""

import json
import subprocess
import sys
from collections import Counter
from dataclasses import fields
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "sample_runs"
NAMES = sorted(path.parent.name for path in SAMPLES.glob("*/about.json"))
BROKEN = {
    "broken-step-missing": ("schema", "required"),
    "broken-illegal-status": ("schema", "enum"),
    "broken-illegal-transition": ("transition", "transition"),
    "broken-step-back": ("rule", "step_monotone"),
    "broken-unknown-memory": ("rule", "memory_ref_exists"),
    "broken-changed-key": ("rule", "idempotency_stable"),
    "broken-tool-rubbish": ("schema", "additionalProperties"),
    "broken-rubbish-in-working": ("schema", "additionalProperties"),
    "broken-torn-last-line": ("parse", "unreadable"),
    "broken-failing-patch": ("parse", "patch"),
    "broken-unseen-order": ("rule", "grounded_identifier"),
}
PRINTED = {
    "schemaVersion": "1.0",
    "runId": "run_7c2a",
    "threadId": "thr_invoice_42",
    "goal": "Reconcile January 2026 paid invoices",
    "status": "awaiting_tool",
    "step": 3,
    "maxSteps": 12,
    "node": "call_tools",
    "plan": ["searchInvoices", "sumTotals", "askConfirm"],
    "working": {"invoiceCount": 2, "currency": "USD"},
    "pendingTool": {"name": "searchInvoices", "callId": "call_8f3a"},
    "memoryRefs": ["mem_user_prefs", "mem_last_reconcile"],
    "checkpointId": "ckpt_3",
}

each = pytest.mark.parametrize("name", NAMES)


def test_the_issue_s_runs_are_all_here():
    runs = {"T-80001", "T-90103", "T-90103-approved"}
    invoices = {"thr_invoice_42", "thr_invoice_42-patches", "thr_invoice_42-fork"}
    assert runs | invoices | set(BROKEN) <= set(NAMES)
    assert any(name.startswith("langgraph-") for name in NAMES)


def test_the_script_writes_the_same_files_byte_for_byte(tmp_path):
    subprocess.run([sys.executable, "-B", SAMPLES / "make.py", tmp_path], check=True, timeout=60)
    made = {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    kept = {
        p.relative_to(SAMPLES): p.read_bytes()
        for name in NAMES
        if not name.startswith("langgraph-")
        for p in (SAMPLES / name).rglob("*")
        if p.is_file()
    }
    assert made == kept


def test_files_are_plain_json():
    def refuse(word):
        raise AssertionError(word)

    for path in SAMPLES.rglob("*.json"):
        text = path.read_text(encoding="utf-8")
        value = json.loads(text, parse_constant=refuse)
        if path.stem != "0004" or path.parts[-3] != "thr_invoice_42":
            assert text.startswith(('{\n  "', "[\n  ")), path
        assert text.endswith("\n")
        assert value


@each
def test_about_says_what_is_expected(name):
    from viewer.sources.about import read_about

    assert read_about(SAMPLES / name) is not None
    about = json.loads((SAMPLES / name / "about.json").read_text(encoding="utf-8"))
    assert set(about) == {
        "format_version",
        "title",
        "origin",
        "constructed",
        "reader",
        "profile",
        "expect",
    }
    assert set(about["expect"]) == {
        "threads",
        "checkpoints",
        "status",
        "phase",
        "violations",
        "problems",
        "usage",
        "waiting",
        "mentions",
    }
    assert about["constructed"]


@each
def test_one_reader_claims_it_the_one_that_about_names(name, sample):
    from viewer.sources import identify

    run = sample(name)
    claims = [reader.name for reader, verdict in identify(run.source.location) if verdict.claims]
    assert claims == [run.about["reader"]]
    assert run.source.reader.name == run.about["reader"]


@each
def test_the_profile_is_the_one_that_about_names(name, sample):
    run = sample(name)
    assert {chain.profile.name for chain in run.chains} == {run.about["profile"]}


CHOSEN_BY_READER = ("langgraph-", "T-80001-messages")


@pytest.mark.parametrize("name", [n for n in NAMES if not n.startswith(CHOSEN_BY_READER)])
def test_the_states_alone_choose_the_same_profile(name, sample):
    from viewer.profiles import choose

    run = sample(name)
    assert choose(run.main.state(0)).name == run.about["profile"]


@each
def test_threads_and_checkpoints_are_as_expected(name, sample):
    run = sample(name)
    assert list(dict.fromkeys(ref.thread_id for ref in run.source.threads)) == run.expect["threads"]
    assert sum(len(chain.checkpoints) for chain in run.chains) == run.expect["checkpoints"]


@each
def test_status_and_phase_of_the_head_are_as_expected(name, sample):
    chain = sample(name).main
    head = chain.checkpoints[chain.head]
    expect = sample(name).expect
    assert (head.status, head.phase) == (expect["status"], expect["phase"])


@each
def test_violations_are_as_expected_and_no_more(name, sample):
    from viewer.analysis.check import check

    run = sample(name)
    found = [
        {"index": v.index, "gate": v.gate, "keyword": v.keyword, "pointer": v.pointer}
        for chain in run.chains
        for v in check(chain).violations
    ]
    assert found == run.expect["violations"]


@each
def test_problems_are_as_expected_and_no_more(name, sample):
    run = sample(name)
    problems = [*run.source.problems, *(p for chain in run.chains for p in chain.problems)]
    found = [(p.keyword, p.place) for p in problems]
    expected = [(p["keyword"], str(run.folder / p["place"])) for p in run.expect["problems"]]
    assert [keyword for keyword, _ in found] == [keyword for keyword, _ in expected]
    for (_, place), (_, begin) in zip(found, expected, strict=True):
        assert place.startswith(begin)


@each
def test_usage_is_as_expected(name, sample):
    from viewer.analysis.usage import usage

    run = sample(name)
    reports = [usage(chain) for chain in run.chains]
    recorded = [report for report in reports if report.recorded]
    if run.expect["usage"] is None:
        assert recorded == []
        return
    assert len(recorded) == 1
    totals = recorded[0].totals
    found = {field.name: getattr(totals, field.name) for field in fields(totals)}
    assert {key: n for key, n in found.items() if n is not None} == run.expect["usage"]


@each
def test_what_waits_is_as_expected(name, sample):
    from viewer.writeback.proposal import waiting

    run = sample(name)
    proposals = [proposal for chain in run.chains for proposal in waiting(chain)]
    assert bool(proposals) == (run.expect["phase"] == "waiting")
    assert [p.inconsistency for p in proposals] == [None] * len(proposals)
    assert [a.tool for p in proposals for a in p.actions] == run.expect["waiting"]


@each
def test_mentions_are_counted_by_who_wrote_them(name, sample):
    from viewer.analysis.grounding import transcript

    run = sample(name)
    found = {
        mention.id: {
            "count": mention.count,
            "by": {who: mention.by.get(who, 0) for who in _WRITERS},
        }
        for chain in run.chains
        for mention in transcript(chain).mentions
    }
    assert found == run.expect["mentions"]


_WRITERS = ("user", "model", "system", "tool_ok", "tool_refused")


@pytest.mark.parametrize(("name", "gate", "keyword"), [(n, *gk) for n, gk in BROKEN.items()])
def test_a_broken_copy_has_the_one_fault_it_is_named_after(name, gate, keyword, sample):
    from viewer.analysis.check import check

    run = sample(name)
    violations = check(run.main).violations
    assert {(v.gate, v.keyword) for v in violations} == {(gate, keyword)}
    assert run.about["title"].startswith("Broken: ")


def test_the_default_start_opens_every_folder(samples):
    from viewer.sources import open_sources

    sources, problems = open_sources((samples,))
    assert problems == ()
    assert sorted(Path(s.location).relative_to(samples).parts[0] for s in sources) == NAMES


def test_t_80001_is_the_run_of_the_second_document(sample):
    run = sample("T-80001").main
    assert [c.step for c in run.checkpoints] == [0, 1, 2, 3]
    assert [c.status for c in run.checkpoints] == ["running"] * 3 + ["stopped"]
    last = run.state(3)
    assert last["stop_reason"] == "max_steps"
    assert (last["proposal"], last["errors"]) == (None, [])
    assert [m["role"] for m in last["messages"]] == ["system", *["user", "assistant"] * 3, "user"]
    assert [m["content"].count("LK-615204") for m in last["messages"]] == [0, 1, 1, 1, 1, 0, 1, 0]
    refusal = "No order LK-615204 is available for this customer."
    assert refusal in last["messages"][3]["content"]
    rows = [(e["step"], e["tool"], e["ok"], e["code"], e["order_ids"]) for e in last["evidence"]]
    assert rows == [
        (1, "get_order", False, "other_customer", []),
        (2, "get_customer_orders", True, "ok", []),
        (3, "get_customer_orders", True, "ok", []),
    ]
    assert [len(run.state(index)["evidence"]) for index in range(4)] == [0, 1, 2, 3]
    assert last["usage"] == {
        "model_calls": 3,
        "input_tokens": 6104,
        "output_tokens": 302,
        "cost_usd": 0.0,
        "model_seconds": 9.981,
    }


def test_the_899_refund_is_believed_by_the_transcript_and_refused_by_the_state(sample):
    from viewer.analysis.grounding import transcript, try_proposal

    chain = sample("T-80001").main
    refund = chain.sidecars.what_if["refund-899"]
    assert refund["actions"][0]["amount"] == 899.0
    findings = try_proposal(chain, refund)
    assert [f.identifier for f in findings] == ["LK-615204"]
    assert findings[0].believed_by_transcript is True
    assert findings[0].proved_by_state is False
    assert findings[0].pointer == "/actions/0/order_id"
    assert transcript(chain).evidence == ()


def test_t_90103_acts_only_on_the_order_that_a_tool_returned(sample):
    from viewer.analysis.grounding import transcript, try_proposal

    chain = sample("T-90103").main
    head = chain.state(chain.head)
    assert (head["status"], head["step"]) == ("waiting_approval", 2)
    assert head["proposal"]["outcome"] == "resolve"
    assert [m["role"] for m in head["messages"]][2:4] == ["assistant", "tool"]
    assert {row.id for row in transcript(chain).evidence} == {"LK-640436"}
    tried = try_proposal(chain, head["proposal"])
    assert [f for f in tried if not f.proved_by_state] == []


def test_the_approved_sibling_makes_each_write_once(sample):
    chain = sample("T-90103-approved").main
    before = sample("T-90103").main
    assert [chain.state(i) for i in range(3)] == [before.state(i) for i in range(3)]
    words = [c.status for c in chain.checkpoints]
    assert words == ["running", "running", "waiting_approval", "executing", "executing", "done"]
    made = [[o["status"] for o in chain.state(i)["operations"]] for i in (3, 4, 5)]
    assert made == [["pending", "pending"], ["done", "pending"], ["done", "done"]]
    assert chain.state(5)["approval"]["kind"] == "approve"


def test_step_3_of_the_invoices_is_the_printed_checkpoint(sample):
    run = sample("thr_invoice_42")
    assert run.main.state(3) == PRINTED
    assert list(run.main.state(3)) == list(PRINTED)
    words = [c.status for c in run.main.checkpoints]
    assert words[0] == "running"
    assert [word for word, nxt in zip(words, [*words[1:], None], strict=True) if word != nxt] == [
        "running",
        "awaiting_tool",
        "running",
        "awaiting_human",
        "running",
        "succeeded",
    ]


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("checkpoints/0004.json", id="checkpoint"),
        pytest.param("memories/mem_user_prefs.json", id="memory"),
    ],
)
def test_the_printed_files_are_the_document_s_to_the_letter(path):
    seeds = Path(__file__).parents[2] / ".." / "shared" / "seeds"
    if not seeds.is_dir():
        pytest.skip("the founding documents are not beside this checkout")
    document = next(seeds.glob("000_*.txt")).read_text(encoding="utf-8")
    assert (SAMPLES / "thr_invoice_42" / path).read_text(encoding="utf-8") in document


def test_the_invoices_bring_memories_a_task_and_observations(sample):
    beside = sample("thr_invoice_42").main.sidecars
    assert set(beside.memories) == {"mem_user_prefs", "mem_last_reconcile"}
    assert beside.memories["mem_user_prefs"] == {
        "id": "mem_user_prefs",
        "kind": "semantic",
        "scope": "user",
        "userId": "u_1042",
        "text": "Prefers USD totals and weekday email summaries",
        "source": "explicit_setting",
        "updatedAt": "2026-09-01T09:00:00Z",
    }
    first, last = beside.tasks["task_a2a_91"]
    assert first == {
        "taskId": "task_a2a_91",
        "parentRunId": "run_7c2a",
        "kind": "delegate",
        "status": "working",
        "idempotencyKey": "inv-jan-2026-reconcile",
        "steps": [
            {"id": "s1", "name": "searchInvoices", "ok": True},
            {"id": "s2", "name": "sumTotals", "ok": None},
        ],
        "artifacts": [],
    }
    assert last["status"] == "completed"
    assert set(beside.observations) == {"ckpt_0", "ckpt_1", "ckpt_5"}
    assert beside.working_schema["additionalProperties"] is False


def test_the_patch_chain_yields_the_same_states(sample):
    whole, patched = sample("thr_invoice_42").main, sample("thr_invoice_42-patches").main
    assert [patched.state(i) for i in range(9)] == [whole.state(i) for i in range(9)]
    ids = [[c.checkpoint_id for c in chain.checkpoints] for chain in (whole, patched)]
    assert ids[0] == ids[1]


def test_the_fork_has_two_heads_and_one_lives(sample):
    chain = sample("thr_invoice_42-fork").main
    names = [c.checkpoint_id for c in chain.checkpoints]
    assert [names[i] for i in chain.forks] == ["ckpt_4"]
    assert [names[i] for i in chain.heads] == ["ckpt_7", "ckpt_6b"]
    assert [chain.checkpoints[i].phase for i in chain.heads] == ["failed", "waiting"]


def test_the_first_branch_was_shown_a_stale_count(sample):
    from viewer.analysis.diff import diff
    from viewer.analysis.observe import observe, verdict

    chain = sample("thr_invoice_42-fork").main
    observation = observe(chain, 4)
    assert observation.kind == "recorded"
    changes = {c.pointer: c for c in diff(chain.state(3), chain.state(4), chain.profile.lists)}
    assert verdict(chain, changes["/working/invoiceCount"], observation) == "stale"


def test_after_a_failing_patch_there_is_no_state_until_the_next_whole_one(sample):
    chain = sample("broken-failing-patch").main
    assert [c.has_state for c in chain.checkpoints] == [True] * 4 + [False] * 3 + [True] * 2
    assert [c.checkpoint_id for c in chain.checkpoints] == [f"ckpt_{n}" for n in range(9)]


def test_each_decision_is_bound_to_what_was_decided():
    found = Counter()
    for path in SAMPLES.glob("*/checkpoints/*.json"):
        wrapper = json.loads(path.read_text(encoding="utf-8"))
        record = wrapper.get("decision") or wrapper.get("state", {}).get("approval")
        if record is None:
            continue
        found[record["digest"]] += 1
        thread = path.parts[-3]
        if "binding" in record:
            assert record["binding"]["thread_id"] == thread
        state = wrapper["state"] if "approval" in wrapper["state"] else _parent(path)
        where = "/proposal" if "approval" in wrapper["state"] else "/working/proposal"
        parent = {"/proposal": "T-90103-2", "/working/proposal": "ckpt_6"}[where]
        proposal = state["proposal"] if where == "/proposal" else state["working"]["proposal"]
        assert record["digest"] == _digest(thread, parent, where, proposal)
    assert len(found) == 3


def _parent(path):
    parent = path.with_name(f"{int(path.stem) - 1:04}.json")
    value = json.loads(parent.read_text(encoding="utf-8"))
    return value.get("state", value)


def _digest(thread, checkpoint_id, pointer, proposal):
    import hashlib

    bound = {
        "checkpoint_id": checkpoint_id,
        "namespace": "",
        "proposal": proposal,
        "proposal_id": f"{checkpoint_id}#{pointer}",
        "source_kind": json.loads((SAMPLES / thread / "about.json").read_text())["reader"],
        "thread_id": thread,
    }
    text = json.dumps(bound, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()

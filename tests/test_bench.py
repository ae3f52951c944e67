"""The benchmark's correctness gate, at a size that takes seconds; timing is `bench/run.py`."""

import hashlib
from pathlib import Path

import pytest

BENCH = Path(__file__).parent.parent / "bench"


@pytest.fixture(autouse=True)
def _bench_is_importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))


def test_the_correctness_gate_passes_at_tiny_size() -> None:
    import gate

    assert gate.failures(documents=300, chain_documents=8, size=15_000, seeds=(1,)) == []


def test_the_gate_sees_a_lost_change_and_a_wrong_share(monkeypatch: pytest.MonkeyPatch) -> None:
    import gate

    whole = gate.diff
    monkeypatch.setattr(gate, "diff", lambda a, b: whole(a, b)[1:])
    failed = gate.failures(documents=50, chain_documents=3, size=8_000, seeds=(1,))
    assert any("apply" in why for why in failed)
    assert any("strict type flips missed" in why for why in failed)


def test_workloads_are_the_same_bytes_every_time() -> None:
    import workloads

    spec = workloads.Spec("agent", 6, 20_000, "churn")
    made = [b"".join(map(workloads.encoded, workloads.states(spec))) for _ in range(2)]
    assert made[0] == made[1]
    assert hashlib.sha256(made[0]).hexdigest()[:16] == "3b96eda7b85d646e"


@pytest.mark.parametrize(
    ("failed", "values", "code"),
    [
        pytest.param([], [0.5, 0.8], 0, id="all-bars-hold"),
        pytest.param([], [0.5, 0.81], 1, id="a-bar-fails"),
        pytest.param([], [0.5, None], 2, id="a-peer-is-missing"),
        pytest.param([], [None, 0.81], 1, id="a-failure-outranks-a-missing-peer"),
        pytest.param(["why"], [0.5], 1, id="the-gate-fails"),
    ],
)
def test_the_exit_code_says_what_happened(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    failed: list[str],
    values: list[float | None],
    code: int,
) -> None:
    import run

    rows = [run.Row("B1", "w", "engine ÷ P1", value, 0.8, "<=") for value in values]
    timed: list[str] = []
    monkeypatch.setattr(run.gate, "failures", lambda *sizes: failed)
    monkeypatch.setitem(run.BENCHES, "B1", lambda quick, rounds: timed.append("B1") or rows)
    assert run.main(["--only", "B1"]) == code
    assert timed == ([] if failed else ["B1"])
    said = capsys.readouterr().out
    assert ("not measured" in said) is not bool(failed)


def test_a_missing_peer_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    import peers

    monkeypatch.setattr(peers, "find_spec", lambda name: None)
    monkeypatch.setattr(peers.shutil, "which", lambda name: None)
    monkeypatch.setattr("workloads.chain_file", lambda name: Path("nowhere.jsonl"))
    assert set(peers.on_chain("t20_200k", [b"{}", b"{}"], quick=False).values()) == {None}
    assert peers.node("count", Path("nowhere.jsonl")) is None

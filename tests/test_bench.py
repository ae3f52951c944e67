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

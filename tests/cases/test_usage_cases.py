import json
from pathlib import Path

from viewer.analysis.usage import usage
from viewer.chain import assemble
from viewer.model import Record, Thread, ThreadRef
from viewer.profiles import choose

CASE = Path(__file__).parent / "122-usage-in-every-checkpoint"


def test_122_a_message_repeated_in_every_checkpoint_counts_once() -> None:
    expect = json.loads((CASE / "case.json").read_text())["expect"]
    wrapped = json.loads((CASE / "chain.json").read_text())
    records = tuple(
        Record(place=f"chain.json#/{i}", made_id=f"item:{i}", state=w["state"], step=w["step"])
        for i, w in enumerate(wrapped)
    )
    thread = Thread(ref=ThreadRef(thread_id="chain"), records=records)
    report = usage(assemble("chain.json", "json", thread, choose(records[0].state)))
    assert [step.usage.total_tokens for step in report.steps] == expect["per_step"]
    assert report.totals.total_tokens == expect["total"]
    assert [step.usage.model_calls for step in report.steps] == [0, 1, 0, 1]
    assert not report.total_computed

import pytest

from viewer import tables
from viewer.analysis.check import check
from viewer.analysis.grounding import transcript
from viewer.analysis.transitions import edges
from viewer.analysis.usage import usage
from viewer.chain import Chain
from viewer.settings import bundle
from viewer.sources import open_source


def chain(sample: str) -> Chain:
    source = open_source(bundle() / "sample_runs" / sample)
    return source.chain(source.threads[0])


def test_numbers_and_text_that_look_alike_stay_apart() -> None:
    frame = tables.arguments({"a": 1, "b": "1", "c": 1.0, "d": None, "e": [1], "\ud83d": True})
    assert list(frame["value"]) == ["1", "1", "1.0", "null", "[1]", "true"]
    assert list(frame["type"]) == ["integer", "string", "number", "null", "array", "boolean"]
    assert frame["argument"].iloc[5] == "\\ud83d"


def test_violations_carry_step_and_place() -> None:
    held = chain("broken-step-back")
    frame = tables.violations(check(held).violations, held)
    assert list(frame["keyword"]) == ["step_monotone"]
    assert list(frame["pointer"]) == ["/step"]
    assert frame["step"].iloc[0] == held.checkpoints[int(frame["index"].iloc[0])].step


def test_mentions_set_belief_beside_proof() -> None:
    frame = tables.mentions(transcript(chain("T-80001")))
    row = frame.iloc[0]
    assert (row["identifier"], row["mentions"]) == ("LK-615204", 5)
    assert [row[w] for w in tables.WRITERS] == [1, 3, 0, 0, 1]
    assert row["the state"] == "does not prove it"


def test_usage_keeps_a_missing_record_missing() -> None:
    held = chain("thr_invoice_42")
    frame = tables.usage(usage(held), held)
    assert frame["input_tokens"].isna().all()
    assert (frame["state_bytes"] > 0).all()


def test_usage_adds_up_to_the_totals() -> None:
    held = chain("T-80001")
    report = usage(held)
    frame = tables.usage(report, held)
    assert frame["input_tokens"].sum() == report.totals.input_tokens == 6104


@pytest.mark.parametrize(("sample", "illegal"), [("T-80001", 0), ("broken-illegal-transition", 1)])
def test_edges_tell_illegal_ones(sample: str, illegal: int) -> None:
    frame = tables.edges(edges(chain(sample)))
    assert (frame["legal"] == "illegal").sum() == illegal


def test_tables_keep_their_columns_when_empty() -> None:
    held = chain("T-80001")
    assert list(tables.violations((), held).columns)[:3] == ["index", "step", "gate"]
    assert list(tables.runs([]).columns) == [*tables.RUNS, "time"]
    assert tables.not_run(()).empty
    assert list(tables.waiting([]).columns)[-1] == "kind"

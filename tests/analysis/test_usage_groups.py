"""Usage by node and by model, and what is special about a step."""

from typing import Any

from viewer.analysis.usage import usage
from viewer.analysis.usage_groups import by_model, by_node, context_tokens, marks
from viewer.chain import Chain, assemble
from viewer.model import Record, TaskError, Thread, ThreadRef
from viewer.profiles import load_profile
from viewer.settings import bundle
from viewer.sources import open_source


def call(name: str, tokens: int | None, model: str | None = None) -> dict[str, Any]:
    given = (
        {} if tokens is None else {"usage_metadata": {"input_tokens": tokens, "output_tokens": 1}}
    )
    meta = {} if model is None else {"response_metadata": {"model_name": model}}
    return {"type": "ai", "id": name, "content": "x", **given, **meta}


def chain(*steps: tuple[str, list[dict[str, Any]]], errors: int | None = None) -> Chain:
    held: list[dict[str, Any]] = []
    records = []
    for i, (node, new) in enumerate(steps):
        held = [*held, *new]
        failed = (TaskError(task="t", node="n", message="boom"),) if errors == i else ()
        records.append(
            Record(
                place="x",
                made_id=f"c{i}",
                checkpoint_id=f"c{i}",
                parent_id=f"c{i - 1}" if i else None,
                state={"messages": held},
                nodes=(node,) if node else (),
                errors=failed,
            )
        )
    thread = Thread(ref=ThreadRef(thread_id="t"), records=tuple(records))
    return assemble("x", "langgraph-sqlite", thread, load_profile("langgraph"))


RUN = (
    ("", []),
    ("plan", [call("a", 10, "small")]),
    ("work", [call("b", 100, "large"), call("c", 300, "large")]),
    ("plan", [call("d", 20, "small"), call("e", None)]),
)


def test_nodes_share_the_totals_out_dearest_first() -> None:
    held = chain(*RUN)
    report = usage(held)
    found = by_node(held, report)
    assert [(g.name, g.steps, g.usage.input_tokens) for g in found] == [
        ("work", 1, 400),
        ("plan", 2, 30),
        (None, 1, 0),
    ]
    assert sum(g.usage.input_tokens or 0 for g in found) == report.totals.input_tokens


def test_models_are_told_apart_and_an_unnamed_one_is_none() -> None:
    found = by_model(usage(chain(*RUN)))
    told = [(g.name, g.usage.model_calls, g.usage.input_tokens) for g in found]
    # The last call left neither a name nor a record: no record is not 0.
    assert told == [("large", 2, 400), ("small", 2, 30), (None, 1, None)]


def test_counters_in_the_state_name_no_model() -> None:
    source = open_source(bundle() / "sample_runs" / "T-80001")
    report = usage(source.chain(source.threads[0]))
    (one,) = by_model(report)
    assert (one.name, one.usage.total_tokens) == (None, report.totals.total_tokens)


def test_context_is_the_input_of_the_largest_call() -> None:
    steps = usage(chain(*RUN)).steps
    assert [context_tokens(step) for step in steps] == [None, 10, 300, 20]


def test_forks_retries_and_counters_that_went_down_are_marked() -> None:
    held = chain(*RUN, errors=1)
    assert marks(held, usage(held)) == {2: ("retry",)}
    source = open_source(
        bundle() / "sample_runs" / "langgraph-interrupt-fork" / "checkpoints.sqlite"
    )
    forked = source.chain(source.threads[0])
    assert [i for i, kinds in marks(forked, usage(forked)).items() if "fork" in kinds] == [
        *forked.forks
    ]

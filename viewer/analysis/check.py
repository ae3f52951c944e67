"""The gates over a whole chain: parse, schema, rule, transition."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from viewer.analysis import rules, schema_gate
from viewer.analysis.schema import order
from viewer.analysis.transitions import applies, transitions
from viewer.chain import Chain
from viewer.limits import DEFAULT_LIMITS, Limits
from viewer.model import GATES, Gate, NotRun, Problem, Violation
from viewer.pointer import split

GateState = Literal["run", "not applicable", "not run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What the gates say of one chain."""

    violations: tuple[Violation, ...]
    """By index, gate, pointer (numbers as numbers), keyword."""
    not_run: tuple[NotRun, ...]
    gates: Mapping[Gate, GateState]
    """``not run``: declared, and nothing or not all of it could be judged."""
    checkpoints: int
    dropped: int
    """Violations found beyond ``limits.violations``; they are only counted."""


class _Tally:
    """Keeps findings up to a bound and counts the rest."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.violations: list[Violation] = []
        self.not_run: list[NotRun] = []
        self.dropped = 0
        self.unsaid: dict[Gate, int] = {}

    def add(self, found: Iterable[Violation | NotRun]) -> bool:
        """Take all of ``found``; return whether nothing in it says "could not judge"."""
        complete = True
        for one in found:
            if isinstance(one, NotRun):
                complete = False
                if len(self.not_run) < self.most:
                    self.not_run.append(one)
                else:
                    self.unsaid[one.gate] = self.unsaid.get(one.gate, 0) + 1
            elif len(self.violations) < self.most:
                self.violations.append(one)
            else:
                self.dropped += 1
        return complete

    def all_not_run(self) -> tuple[NotRun, ...]:
        """Return what could not judge, with one row a gate for what is beyond the bound."""
        more = (
            NotRun(
                gate=gate,
                rule="limit",
                checkpoint_id=None,
                index=None,
                reason=f"{count} more could not be judged (limit: violations)",
            )
            for gate, count in self.unsaid.items()
        )
        return (*self.not_run, *more)


def check(
    chain: Chain, *, schema: Mapping[str, Any] | None = None, limits: Limits = DEFAULT_LIMITS
) -> CheckResult:
    """Return all violations of every checkpoint of ``chain``.

    Args:
        chain: the chain.
        schema: a JSON Schema that each state must meet besides the profile's own.
        limits: how many findings are kept.

    Raises:
        SchemaFileError: ``schema``, or a schema of the profile, is itself invalid.
    """
    tally = _Tally(limits.violations)
    tally.add(_parse(chain))
    readable = any(checkpoint.has_state for checkpoint in chain.checkpoints)
    gates: dict[Gate, GateState] = dict.fromkeys(GATES, "not applicable")
    gates["parse"] = "run"
    schemas = schema_gate.schemas(chain, schema)
    if schemas.declared:
        complete = tally.add(schema_gate.judge(chain, schemas))
        gates["schema"] = "run" if readable and complete else "not run"
    if chain.profile.file.rules:
        tally.add(rules.judge(chain))
        gates["rule"] = "run" if readable else "not run"
    if applies(chain.profile):
        illegal, unknown = transitions(chain)
        tally.add([*illegal, *unknown])
        known = any(c.status in chain.profile.legal for c in chain.checkpoints)
        gates["transition"] = "run" if known else "not run"
    return CheckResult(
        violations=tuple(sorted(tally.violations, key=_order)),
        not_run=tally.all_not_run(),
        gates=gates,
        checkpoints=len(chain.checkpoints),
        dropped=tally.dropped,
    )


def _order(violation: Violation) -> tuple[Any, ...]:
    index = -1 if violation.index is None else violation.index
    gate = GATES.index(violation.gate)
    place = order(split(violation.pointer))
    return (index, gate, place, violation.keyword, violation.message)


def _parse(chain: Chain) -> Iterator[Violation | NotRun]:
    """Yield one violation for each record that should be a checkpoint and yielded no state.

    A patch whose base is lost is no fault of its own: it only could not be judged.
    """
    for problem in chain.problems:
        if not problem.no_state:
            continue
        if _only_follows(chain, problem):
            yield NotRun(
                gate="parse",
                rule=problem.keyword,
                checkpoint_id=problem.checkpoint_id,
                index=problem.index,
                reason=problem.reason,
            )
            continue
        yield Violation(
            gate="parse",
            keyword=problem.keyword,
            pointer="",
            message=f"{problem.place}: {problem.reason}",
            checkpoint_id=problem.checkpoint_id,
            index=problem.index,
        )


def _only_follows(chain: Chain, problem: Problem) -> bool:
    if problem.keyword != "patch" or problem.checkpoint_id is None or problem.index is None:
        return False
    parent = chain.checkpoints[problem.index].parent
    return parent is not None and not chain.checkpoints[parent].trusted

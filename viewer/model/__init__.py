"""The nouns of the program: what readers find, what a chain holds, what analyses say.

A state is the parsed JSON value itself (``dict``, ``list``, ``str``, ``int``, ``float``, ``bool``,
``None``). It is shared between checkpoints and is never mutated, by rule.
"""

from viewer.model.findings import (
    GATES,
    PHASES,
    Change,
    Checkpoint,
    Gate,
    NotRun,
    Op,
    Phase,
    Proposal,
    ProposedAction,
    Violation,
    Writer,
)
from viewer.model.records import (
    MISSING,
    NO_SIDECARS,
    Interrupt,
    Missing,
    Nesting,
    Problem,
    Record,
    Sidecars,
    Task,
    TaskError,
    Thread,
    ThreadRef,
    Write,
)
from viewer.model.usage import USAGE, Number, Usage, UsageName

__all__ = [
    "GATES",
    "MISSING",
    "NO_SIDECARS",
    "PHASES",
    "USAGE",
    "Change",
    "Checkpoint",
    "Gate",
    "Interrupt",
    "Missing",
    "Nesting",
    "NotRun",
    "Number",
    "Op",
    "Phase",
    "Problem",
    "Proposal",
    "ProposedAction",
    "Record",
    "Sidecars",
    "Task",
    "TaskError",
    "Thread",
    "ThreadRef",
    "Usage",
    "UsageName",
    "Violation",
    "Write",
    "Writer",
]

"""A walk through a run, step by step, for a person who shows it to others.

A run folder may carry one as ``walk.json`` (``schemas/walk.schema.json``). Without it the
checkpoints themselves are walked, with words made from what changed.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from viewer.analysis.diff import diff
from viewer.analysis.evidence import from_root
from viewer.analysis.messages import message_list
from viewer.chain import Chain
from viewer.errors import SourceError
from viewer.model import MISSING, Change
from viewer.pointer import find, join

MOST = 40
"""Most checkpoints that are walked without a ``walk.json``; a longer run is sampled evenly."""
_PLACES = 6
_PointerText = Annotated[str, Field(pattern=r"^(/([^~/]|~[01])*)*$", max_length=1_000)]
_CLOSED = ConfigDict(extra="forbid", frozen=True)


class WalkStep(BaseModel):
    """One step: a checkpoint, what is said of it, and the places shown on each side."""

    model_config = _CLOSED

    checkpoint: str
    """Its id, ``@INDEX`` or ``head``, as the command line names it."""
    title: str = Field(min_length=1, max_length=120)
    words: str = Field(default="", max_length=600)
    identifier: str | None = None
    """Marked on both sides, and counted at the foot."""
    transcript: tuple[_PointerText, ...] = ()
    """Messages shown on the left, as pointers into the state."""
    state: tuple[_PointerText, ...] = ()
    """Places of the state shown on the right."""
    what_if: str | None = None
    """Name of a proposal in ``what_if/``: both checks are run on it, side by side."""


class Walk(BaseModel):
    """The file as written."""

    model_config = _CLOSED

    format_version: Literal[1]
    title: str = Field(default="", max_length=120)
    steps: tuple[WalkStep, ...] = Field(min_length=1, max_length=200)


def walk_json_schema() -> dict[str, Any]:
    """Return the JSON Schema of ``walk.json``, as published in ``schemas/walk.schema.json``."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Walk.model_json_schema()}


def read_walk(document: Mapping[str, Any], place: str = "walk.json") -> Walk:
    """Return the walk that ``document`` describes.

    Raises:
        SourceError: it is not what it must be; the place names the first wrong member.
    """
    try:
        # Strict JSON types, but arrays become tuples.
        return Walk.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        pointer = join(tuple(str(token) for token in first["loc"]))
        raise SourceError(f"{place}#{pointer}", first["msg"]) from error


def walk_of(chain: Chain) -> Walk:
    """Return the walk of the run: the one that it carries, else `automatic_walk`.

    Raises:
        SourceError: the one that it carries is malformed.
    """
    own = chain.sidecars.walk
    return automatic_walk(chain) if own is None else read_walk(own)


def automatic_walk(chain: Chain) -> Walk:
    """Return a walk along the live head's lineage, each step in words made from what changed.

    Of more than `MOST` checkpoints the first, the last and as many between, evenly, are walked.

    Raises:
        SourceError: no checkpoint has a readable state.
    """
    line = from_root(chain, chain.head) if chain.head is not None else []
    line = [at for at in line if chain.checkpoints[at].has_state]
    if not line:
        raise SourceError(chain.thread_id, "no checkpoint with a readable state to walk through")
    last = len(line) - 1
    many = min(len(line), MOST)
    picked = [line[round(n * last / max(many - 1, 1))] for n in range(many)]
    befores: Sequence[int | None] = [None, *picked[:-1]]
    title = "" if many == len(line) else f"{many} of {len(line)} checkpoints"
    steps = tuple(_made(chain, *pair) for pair in zip(befores, picked, strict=True))
    return Walk(format_version=1, title=title, steps=steps)


def _made(chain: Chain, before: int | None, at: int) -> WalkStep:
    here, state = chain.checkpoints[at], chain.state(at)
    where, entries = message_list(state, chain.profile)
    old = 0 if before is None else len(message_list(chain.state(before), chain.profile)[1])
    new = list(range(old, len(entries))) if len(entries) > old else []
    lists = chain.profile.lists
    changes = [] if before is None else list(diff(chain.state(before), state, lists))
    fields = [name for name in _fields(changes) if (name,) != where[:1]]
    passed = here.phase in ("running", "unknown")
    by = ", ".join(here.nodes) if here.nodes and passed else here.status or here.origin or ""
    shown = fields or _first_fields(state, where)
    return WalkStep(
        checkpoint=f"@{at}",
        title=(f"Step {here.step}" if here.step is not None else f"@{at}")[:60]
        + (f": {by[:50]}" if by else ""),
        words=_words(chain, before, at, len(new), fields),
        transcript=tuple(join((*where, n)) for n in new[-2:]),
        state=tuple(
            join((name,))
            for name in shown[:_PLACES]
            if find(state, (name,), MISSING) is not MISSING
        ),
    )


def _fields(changes: Sequence[Change]) -> list[str]:
    """Return the names of the top-level fields that changed, in the order of the changes."""
    return list(dict.fromkeys(str(change.path[0]) for change in changes if change.path))


def _first_fields(state: Any, where: Sequence[Any]) -> list[str]:
    return [key for key in state if (key,) != tuple(where[:1])] if isinstance(state, dict) else []


def _words(chain: Chain, before: int | None, at: int, new: int, fields: Sequence[str]) -> str:
    here = chain.checkpoints[at]
    if before is None:
        return f"The run begins{_in_status(here.status)}."
    said = []
    if new:
        said.append("1 message is new" if new == 1 else f"{new} messages are new")
    if here.status != chain.checkpoints[before].status:
        said.append(f"the status is {here.status} now (it was {chain.checkpoints[before].status})")
    if fields:
        more = f" and {len(fields) - 4} more" if len(fields) > 4 else ""
        said.append(f"changed: {', '.join(fields[:4])}{more}")
    text = "; ".join(said) or "nothing changed"
    return f"{text[0].upper()}{text[1:]}."[:600]


def _in_status(status: str | None) -> str:
    return f" in status {status}" if status else ""

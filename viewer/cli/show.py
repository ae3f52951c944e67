"""``show``: the checkpoints of one thread, or one state, or one field of it."""

import argparse
from typing import Any

from viewer.chain import Chain
from viewer.cli import over_steps
from viewer.cli.output import show, write
from viewer.cli.selection import Selected, live_head
from viewer.errors import PointerError, ViewerError
from viewer.model import MISSING
from viewer.pointer import find, join, split
from viewer.reports import as_json, chain_text, state_markdown, tables_csv, tasks_text
from viewer.reports.masked import masked_value
from viewer.reports.over_steps import biography_text, search_text


def run(chosen: argparse.Namespace) -> int:
    """Print the chain and, with ``--checkpoint``, a state; return 0.

    With ``--field`` and no ``--checkpoint`` each checkpoint's row carries the field's value, with
    ``--tasks`` what ran after it. ``--search`` and ``--biography`` tell of all steps.

    Raises:
        ViewerError: no one thread, no such checkpoint, or nothing at the pointer.
    """
    tokens = None if chosen.field is None else split(chosen.field)
    exports = chosen.csv or chosen.markdown
    if exports and (
        chosen.checkpoint is None or sum((chosen.csv, chosen.markdown, chosen.json)) > 1
    ):
        raise ViewerError(
            "--csv and --markdown are forms of one state: name one, with --checkpoint, without --json"
        )
    over = over_steps.asked(chosen)
    selected = Selected(chosen)
    chain = selected.chain()
    rows = [as_json.checkpoint_row(chain, checkpoint) for checkpoint in chain.checkpoints]
    if chosen.tasks:
        for row, checkpoint in zip(rows, chain.checkpoints, strict=True):
            row |= as_json.task_rows(checkpoint)
    parts: dict[str, Any] = {}
    if over:
        parts = over_steps.parts(chosen, chain)
    elif chosen.checkpoint is not None:
        live_head(chain)
        index = chain.resolve(chosen.checkpoint)
        if exports:
            write(_exported(chain, index, tokens, as_csv=chosen.csv))
            return 0
        parts["checkpoint"] = as_json.named(chain, index)
        if tokens is None:
            parts["state"] = chain.state(index)
        else:
            parts |= {"field": chosen.field, "value": _value(chain, index, tokens)}
    elif tokens is not None:
        parts["field"] = chosen.field
        for row, value in zip(rows, _values(chain, tokens), strict=True):
            row |= {} if value is MISSING else {"value": value}
    found = as_json.document(
        "show",
        **as_json.owner(chain),
        reader=chain.reader,
        profile=chain.profile.name,
        heads=[chain.checkpoints[i].checkpoint_id for i in chain.heads],
        checkpoints=rows,
        **parts,
        problems=selected.problems,
    )
    told = chosen.tasks and chosen.checkpoint is None
    text = tasks_text.tasks if told else chain_text.show
    if over:
        text = search_text if "search" in parts else biography_text
    return show(found, chosen.json, text)


def _exported(chain: Chain, index: int, tokens: tuple[str, ...] | None, *, as_csv: bool) -> str:
    """Return the state, or the one field of it, as a file to pass on: secrets masked."""
    at = tokens or ()
    value = chain.state(index) if tokens is None else _value(chain, index, tokens)
    masked = masked_value(at, value)
    if as_csv:
        return tables_csv.state_csv(masked, at)
    return state_markdown.text(as_json.named(chain, index), masked, at)


def _value(chain: Chain, index: int, tokens: tuple[str, ...]) -> Any:
    found = find(chain.state(index), tokens, MISSING)
    if found is MISSING:
        name = chain.checkpoints[index].checkpoint_id
        raise PointerError(f"nothing at {join(tokens)} in checkpoint {name}")
    return found


def _values(chain: Chain, tokens: tuple[str, ...]) -> list[Any]:
    return [MISSING if s is MISSING else find(s, tokens, MISSING) for s in chain.states]

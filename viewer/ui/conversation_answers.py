"""What the conversation asks for while a person reads it."""

from collections.abc import Mapping
from typing import Any

from viewer.analysis.first_mention import first_mention
from viewer.analysis.grounding import transcript
from viewer.panels.conversation import PAGE, message_rows
from viewer.ui.chosen import Chosen


def earlier_messages(chosen: Chosen, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the messages that stand before message ``before`` of checkpoint ``index``."""
    index, before = int(args["index"]), int(args["before"])
    first = max(before - PAGE, 0)
    found = transcript(chosen.chain, index)
    return {"first": first, "rows": message_rows(chosen.chain, index, found, first, before)}


def first_mentioned(chosen: Chosen, args: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the checkpoint and the place where identifier ``id`` first stands; None: nowhere."""
    found = first_mention(chosen.chain, int(args["index"]), str(args["id"]))
    return None if found is None else {"index": found.index, "pointer": found.pointer}

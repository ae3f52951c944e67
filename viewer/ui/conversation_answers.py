"""What the conversation asks for while a person reads it.

Each may carry ``text``: what a person follows beside the identifiers that the profile declares.
"""

from collections.abc import Mapping
from typing import Any

from viewer.analysis.first_mention import first_mention
from viewer.analysis.follow_text import following
from viewer.analysis.grounding import transcript
from viewer.chain import Chain
from viewer.panels.conversation import PAGE, conversation_payload, message_rows
from viewer.ui.chosen import Chosen


def followed_conversation(chosen: Chosen, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the panel draws of checkpoint ``index`` while ``text`` is followed."""
    chain, index = _chain(chosen, args), int(args["index"])
    return conversation_payload(chain, index, transcript(chain, index))


def earlier_messages(chosen: Chosen, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the messages that stand before message ``before`` of checkpoint ``index``."""
    chain, index, before = _chain(chosen, args), int(args["index"]), int(args["before"])
    first = max(before - PAGE, 0)
    found = transcript(chain, index)
    return {"first": first, "rows": message_rows(chain, index, found, first, before)}


def first_mentioned(chosen: Chosen, args: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the checkpoint and the place where identifier ``id`` first stands; None: nowhere."""
    found = first_mention(_chain(chosen, args), int(args["index"]), str(args["id"]))
    return None if found is None else {"index": found.index, "pointer": found.pointer}


def _chain(chosen: Chosen, args: Mapping[str, Any]) -> Chain:
    text = args.get("text")
    return chosen.chain if text is None else following(chosen.chain, str(text))

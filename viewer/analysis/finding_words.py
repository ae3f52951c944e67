"""Every keyword a finding may have, in the order of what it is about, with what it says."""

from collections.abc import Mapping

KEYWORDS: Mapping[str, str] = {
    "changed_without_write": "a field changed though no task wrote it",
    "state_from_the_future": "a checkpoint holds what only later tasks wrote",
    "type_changed": "a value became of another type",
    "error_in_state": "an error's text stands in an ordinary field",
    "wrote_only_null": "a node left nothing but null",
    "wrote_nothing": "one of several tasks left nothing",
    "duplicated_entries": "entries stand twice in a list that is appended to",
    "list_shrank": "a write replaced a list that others extend",
    "keys_lost": "a write replaced an object that others fill",
    "lost_update": "a node wrote back an older form of an object",
    "growth": "one field makes up most of a large state",
    "secret_in_state": "a password, key or token stands there in clear",
    "loop": "a node runs again and again without progress",
    "join_waits": "a node never ran: its join waits for another",
    "wrong_parent": "a run went on from an older checkpoint",
    "answered_twice": "a question was answered on two branches, or nothing waited",
    "stale_answer": "an answer met another question than its own",
    "asked_again": "a node asks again what was answered",
    "call_without_result": "a tool call got no result before the messages went on",
    "result_without_call": "a tool's result answers no open call",
    "misdirected_result": "a tool's result stands under another call's id",
    "done_twice": "a call that changes something was made twice",
    "tool_failed": "a tool failed for good and the run went on",
}

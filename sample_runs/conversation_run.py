"""T-80001 as a bare list of messages: what is left of a run where only the conversation is kept."""

import json

import shed_run

Files = dict[str, str]


def runs() -> dict[str, Files]:
    """Return the run's files by folder."""
    states = [
        json.loads(text)
        for path, text in sorted(shed_run.runs()["T-80001"].items())
        if path.startswith("checkpoints/")
    ]
    messages = states[-1].get("state", states[-1])["messages"]
    about = {
        "format_version": 1,
        "title": "T-80001 as its messages alone: no evidence, no status, no position",
        "origin": "The messages of the last checkpoint of T-80001, in OpenAI's words.",
        "constructed": ["See T-80001."],
        "reader": "message-list",
        "profile": "conversation",
        "expect": {
            "threads": ["messages"],
            "checkpoints": len(messages),
            "status": None,
            "phase": "unknown",
            "violations": [],
            "problems": [],
            "usage": None,
            "waiting": [],
            "mentions": {},
        },
    }
    return {
        "T-80001-messages": {
            "messages.json": json.dumps(messages, ensure_ascii=False, indent=2) + "\n",
            "about.json": json.dumps(about, ensure_ascii=False, indent=2) + "\n",
        }
    }

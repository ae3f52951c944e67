# /// script
# requires-python = ">=3.11"
# dependencies = ["langgraph>=1.2.24", "langgraph-checkpoint-sqlite>=3.1.2", "langchain-core>=1.8"]
# ///
"""Write as JSON what SqliteSaver.list says of stores: for each ``[[thread, namespace, id, values], …]``.

    LANGGRAPH_STRICT_MSGPACK=true python listed.py COPY…

Give it copies: the saver changes the file. Run it with that variable set: without it the serializer
makes whatever object a store names.
"""

import json
import sqlite3
import sys
from contextlib import closing

from langgraph.checkpoint.sqlite import SqliteSaver
from truth import plain


def listed(path: str) -> list[list[object]]:
    """Return every checkpoint of a store with its values."""
    told: list[list[object]] = []
    with closing(sqlite3.connect(path, check_same_thread=False)) as connection:
        for one in SqliteSaver(connection).list(None):
            at = one.config["configurable"]
            values = plain(one.checkpoint["channel_values"])
            told.append([at["thread_id"], at["checkpoint_ns"], at["checkpoint_id"], values])
    return told


if __name__ == "__main__":
    json.dump([listed(path) for path in sys.argv[1:]], sys.stdout)

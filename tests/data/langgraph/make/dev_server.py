# /// script
# requires-python = ">=3.11"
# dependencies = ["langgraph-cli[inmem]>=0.4.40", "langgraph-api>=0.16.7", "langgraph-sdk>=0.4.14"]
# ///
"""Run `langgraph dev` for a while and keep its folder, with what the server says of its threads.

    python dev_server.py [--into FOLDER]

The folder ``.langgraph_api`` is what the server leaves when it is stopped; ``expected.json`` is
what its own ``/threads`` and ``/history`` said before that. Ids differ at every run.
"""

import argparse
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

THREADS = {"done": "go", "failed": "fail", "waiting": "ask", "answered": "ask"}


@contextlib.contextmanager
def server(folder: Path) -> Iterator[SyncLangGraphClient]:
    """Run the development server in ``folder``; stopped, it writes what it has."""
    shutil.copy(Path(__file__).with_name("dev_app.py"), folder)
    settings = {"dependencies": ["."], "graphs": {"agent": "./dev_app.py:graph"}}
    (folder / "langgraph.json").write_text(json.dumps(settings))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = (Path(sys.executable).with_name("langgraph"), "dev", "--no-browser", "--no-reload")
    running = subprocess.Popen(
        [*command, "--port", str(port), "--allow-blocking"],
        cwd=folder,
        env={**os.environ, "LANGSMITH_TRACING": "false"},
    )
    try:
        client = get_sync_client(url=f"http://127.0.0.1:{port}")
        for _ in range(120):
            with contextlib.suppress(Exception):
                client.assistants.search()
                break
            time.sleep(0.5)
        yield client
    finally:
        running.send_signal(signal.SIGINT)
        running.wait(60)


def run(client: SyncLangGraphClient, how: str, *, answered: bool) -> str:
    """Run one thread to its end, its failure or its question; return its id."""
    thread = client.threads.create(metadata={"customer": "ada", "how": how})["thread_id"]
    given = {"how": how, "log": [], "messages": [{"role": "user", "content": "hi", "id": "m1"}]}
    client.runs.wait(thread, "agent", input=given, raise_error=False)
    if answered:
        client.runs.wait(thread, "agent", command={"resume": "yes"})
    if how == "go":
        client.threads.update_state(thread, {"log": ["by hand"]}, as_node="work")
    return thread


def truth(client: SyncLangGraphClient, thread: str) -> dict[str, Any]:
    """Return what the server says of a thread and of each namespace in it."""
    live = client.threads.get_state(thread, subgraphs=True)
    histories = {"": client.threads.get_history(thread, limit=100)}
    for state in histories[""]:
        for task in state["tasks"]:
            place = task.get("checkpoint") or {}
            namespace = place.get("checkpoint_ns")
            if namespace and namespace not in histories:
                histories[namespace] = client.threads.get_history(
                    thread, limit=100, checkpoint={"checkpoint_ns": namespace}
                )
    return {"thread": client.threads.get(thread), "state": live, "history": histories}


def main() -> None:
    """Make the folder and its truth."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=Path, default=Path(__file__).parents[1] / "dev_server")
    into: Path = parser.parse_args().into
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        with server(folder) as client:
            ids = {n: run(client, how, answered=n == "answered") for n, how in THREADS.items()}
            found = {
                "names": ids,
                "threads": {thread: truth(client, thread) for thread in ids.values()},
                "items": client.store.search_items((), limit=100)["items"],
            }
        kept = into / ".langgraph_api"
        kept.mkdir(parents=True, exist_ok=True)
        for path in (folder / ".langgraph_api").iterdir():
            shutil.copy(path, kept)
    text = json.dumps(found, ensure_ascii=False, indent=1, sort_keys=True)
    (into / "expected.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()

"""``open``: the app in a browser, on this machine only."""

import argparse
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from pathlib import Path
from urllib.parse import urlencode

from viewer.cli.output import show
from viewer.errors import SourceError, ViewerError
from viewer.profiles import load_profile
from viewer.reports import as_json, as_text
from viewer.settings import PREFIX, bundle
from viewer.sources import DATABASE_READERS, READERS
from viewer.sources.dsn import Dsn, Location, locate

HOST = "127.0.0.1"
_FIRST_PORT = 8501
_PORTS_TRIED = 100
_START_SECONDS = 60.0


def run(chosen: argparse.Namespace) -> int:
    """Start the app, say where it is, open it in a browser; return 0 when a person stops it.

    Raises:
        ViewerError: a source, profile or reader does not exist, the port is taken, or the app
            does not start.
    """
    places = named_places(chosen.sources)
    sources = [{"source": str(p), "thread_id": None, "namespace": None} for p in places]
    environment = {**os.environ, **_environment(places, chosen)}
    port = _free_port(chosen.port)
    url = address(port, chosen.thread, chosen.namespace)
    # Run from the bundle: its .streamlit/config.toml holds, and no module that lies about in the
    # folder under inspection is imported. Headless, as Streamlit would ask for an e-mail address.
    app = subprocess.Popen(  # noqa: S603 (our own interpreter and script)
        streamlit_command(port), cwd=bundle(), env=environment, stdout=subprocess.DEVNULL
    )
    previous = signal.signal(signal.SIGTERM, lambda *_: app.terminate())
    try:
        if not _started(app, port):
            raise ViewerError(f"the app did not start on port {port}")
        show(as_json.document("open", url=url, sources=sources), chosen.json, as_text.opened)
        if not chosen.no_browser:
            webbrowser.open(url)
        code = app.wait()
    except KeyboardInterrupt:
        code = 0
    finally:
        app.terminate()
        app.wait()
        signal.signal(signal.SIGTERM, previous)
    return 2 if code > 0 else 0


def address(port: int, thread: str | None, namespace: str | None) -> str:
    """Return where the app is found: its first page, or the timeline of one thread."""
    chosen = {"thread": thread, "namespace": namespace}
    query = urlencode({name: value for name, value in chosen.items() if value is not None})
    return f"http://{HOST}:{port}/" + (f"timeline?{query}" if query else "")


def streamlit_command(port: int) -> list[str]:
    """Return the command that serves the app on the loopback interface and tells nobody."""
    return [
        *(sys.executable, "-m", "streamlit", "run", str(bundle() / "app.py")),
        *("--server.address", HOST),
        *("--server.port", str(port)),
        *("--server.headless", "true"),
        *("--browser.gatherUsageStats", "false"),
    ]


def named_places(given: list[str | Dsn]) -> list[Location]:
    """Return the absolute path of each source, or its address; the sample runs where none is given.

    Raises:
        SourceError: it does not exist.
    """
    places: list[Location] = []
    for location in dict.fromkeys(given or [str(bundle() / "sample_runs")]):
        place = locate(location)
        if isinstance(place, Path):
            place = place.absolute()
            if not place.exists():
                raise SourceError(str(location), "no such file or folder")
        places.append(place)
    return places


def _environment(places: list[Location], chosen: argparse.Namespace) -> dict[str, str]:
    """Return what tells the app its sources, profile and reader (`viewer.settings`).

    An address goes there and nowhere else: the environment of a program is its user's alone.
    """
    words = [place.conninfo if isinstance(place, Dsn) else str(place) for place in places]
    found = {f"{PREFIX}SOURCES": json.dumps(words)}
    if chosen.profile is not None:
        load_profile(chosen.profile)
        folder = Path(chosen.profile)
        found[f"{PREFIX}PROFILE"] = str(folder.absolute()) if folder.is_dir() else chosen.profile
    if chosen.format is not None:
        names = [r.name for r in READERS] + [r.name for r in DATABASE_READERS]
        if chosen.format not in names:
            raise ViewerError(f"no reader {chosen.format!r}; there are {', '.join(names)}")
        found[f"{PREFIX}FORMAT"] = chosen.format
    return found


def _free_port(wanted: int | None) -> int:
    tried = [wanted] if wanted is not None else range(_FIRST_PORT, _FIRST_PORT + _PORTS_TRIED)
    for port in tried:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return port
    raise ViewerError(f"port {wanted or f'{tried[0]} to {tried[-1]}'} is taken; choose with --port")


def _started(app: subprocess.Popen[bytes], port: int) -> bool:
    """Return whether the app answers, waiting until it does, ends or takes too long."""
    until = time.monotonic() + _START_SECONDS
    while app.poll() is None and time.monotonic() < until:
        connection = http.client.HTTPConnection(HOST, port, timeout=2)
        try:
            connection.request("GET", "/_stcore/health")
            if connection.getresponse().status == http.HTTPStatus.OK:
                return True
        except OSError:
            time.sleep(0.1)
        finally:
            connection.close()
    return False

"""The real app in a real Chromium: one server a script, one browser a run, one context a test.

Where Chromium is missing these tests skip with a reason; under ``CI=true`` they fail instead.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 90
"""Seconds that a server may take to become healthy on a busy machine."""

THIS_HOST_ONLY = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"


def chromium() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    candidates = (os.environ.get("CHROMIUM"), *(shutil.which(name) for name in names))
    return next((c for c in candidates if c and Path(c).exists()), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium."""
    executable = chromium()
    if executable is None:
        reason = "no Chromium: install it (apt-get install chromium) or set CHROMIUM"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=executable,
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", THIS_HOST_ONLY],
        )
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """Start ``streamlit run script`` on a free port; returns its URL.

    The same script with the same environment is started once, unless ``fresh`` asks for a server
    that nobody has visited.
    """
    running: dict[Any, str] = {}
    started: list[subprocess.Popen[bytes]] = []
    logs = tmp_path_factory.mktemp("servers")

    def start(script: Path, env: Mapping[str, str] | None = None, *, fresh: bool = False) -> str:
        name = (str(script), tuple(sorted((env or {}).items())))
        if fresh or name not in running:
            log = logs / f"{len(started)}.log"
            process, url = _launch(script, env or {}, log)
            started.append(process)
            _wait_healthy(process, url, log)
            if fresh:
                return url
            running[name] = url
        return running[name]

    yield start
    for process in started:
        process.terminate()
    for process in started:
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _launch(
    script: Path, env: Mapping[str, str], log: Path
) -> tuple["subprocess.Popen[bytes]", str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(script)]
    options = {
        "server.headless": "true",
        "server.port": str(port),
        "server.address": "127.0.0.1",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
    }
    command += [f"--{name}={value}" for name, value in options.items()]
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "PYTHONPATH": paths, **env}
    with log.open("wb") as out:
        # The checkout is the working directory: its .streamlit/config.toml is what users get.
        process = subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, cwd=ROOT, env=environment
        )
    return process, f"http://127.0.0.1:{port}"


def _wait_healthy(process: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if process.poll() is not None:
            pytest.fail(f"streamlit ended with {process.returncode}: {log.read_text()[-2000:]}")
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=1) as answer:
                if answer.read() == b"ok":
                    return
        except OSError:
            time.sleep(0.05)
    pytest.fail(f"streamlit is not healthy after {PATIENCE} s: {log.read_text()[-2000:]}")


class Watch:
    """What must not happen in a context: a page error, a request that leaves the host."""

    def __init__(self, context: Any) -> None:
        self.errors: list[str] = []
        self.foreign: list[str] = []
        # Listening, not routing: Chromium caches nothing of a context that routes its requests.
        context.on("request", lambda request: self._note(request.url))
        context.on("weberror", lambda error: self.errors.append(str(error.error)))

    def _note(self, url: str) -> None:
        if not url.startswith(("http://127.0.0.1:", "data:", "blob:", "file:")):
            self.foreign.append(url)

    def check(self) -> None:
        errors, foreign = list(self.errors), list(self.foreign)
        self.errors.clear()
        self.foreign.clear()
        assert not errors, f"the page raised: {errors}"
        assert not foreign, f"requests left the host: {foreign}"


def _context(browser: Any, **options: Any) -> tuple[Any, Watch]:
    defaults = {
        "viewport": {"width": 1440, "height": 900},
        "reduced_motion": "reduce",
        "color_scheme": "light",
        "permissions": ["clipboard-read", "clipboard-write"],
    }
    context = browser.new_context(**{**defaults, **options})
    context.set_default_timeout(30_000)
    return context, Watch(context)


@pytest.fixture
def open_context(browser: Any) -> Iterator[Callable[..., Any]]:
    """Return ``open(**options)``: a new context, with nothing cached and nothing remembered."""
    opened: list[tuple[Any, Watch]] = []

    def open_one(**options: Any) -> Any:
        opened.append(_context(browser, **options))
        return opened[-1][0]

    yield open_one
    for context, _ in opened:
        context.close()
    for _, watch in opened:
        watch.check()


@pytest.fixture(scope="session")
def shared_context(browser: Any) -> Iterator[tuple[Any, Watch]]:
    """One context for all tests that need no new one: its cache saves seconds a test."""
    context, watch = _context(browser)
    yield context, watch
    context.close()


@pytest.fixture
def page(shared_context: tuple[Any, Watch]) -> Iterator[Any]:
    """A new page, 1440 × 900, light; page errors and requests off the host fail the test."""
    context, watch = shared_context
    found = context.new_page()
    yield found
    found.close()
    watch.check()


@pytest.fixture
def settled() -> Callable[[Any], None]:
    """Return a function that waits until the script of a page has run and its panels are drawn."""

    def wait(page: Any) -> None:
        page.wait_for_function(
            """() => {
              const app = document.querySelector("[data-testid=stApp]");
              if (!app || app.dataset.testScriptState !== "notRunning") return false;
              if (document.querySelector("[data-testid=stSkeleton]")) return false;
              const hosts = document.querySelectorAll("[data-testid=stBidiComponentIsolated]");
              const panels = [...hosts].map((host) => {
                const inside = [host, ...host.querySelectorAll("*")].find((e) => e.shadowRoot);
                return inside?.shadowRoot.querySelector(".panel");
              });
              return panels.every((panel) => panel?.dataset.rev);
            }"""
        )

    return wait


@pytest.fixture
def samples(serve: Any) -> str:
    """The address of the app on the sample runs."""
    return str(
        serve(
            ROOT / "app.py", {"CHECKPOINT_VIEWER_SOURCES": json.dumps([str(ROOT / "sample_runs")])}
        )
    )


@pytest.fixture
def open_at(page: Any, settled: Any) -> Any:
    """Return a function that opens an address, waits until it stands still, returns the page."""

    def go(url: str) -> Any:
        page.goto(url)
        page.locator(".frame .title").wait_for()
        settled(page)
        return page

    return go

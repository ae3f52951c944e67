"""One server a script and one Chromium, driven by Playwright."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

PROBE = r"""
window.panel = (name) => {
  for (const host of document.querySelectorAll("[data-testid=stBidiComponentIsolated]")) {
    const inside = [host, ...host.querySelectorAll("*")].find((e) => e.shadowRoot);
    const found = inside?.shadowRoot.querySelector(`.panel.${name}`);
    if (found) return found;
  }
  return null;
};
window.frames2 = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
window.until = async (holds, patience = 60000) => {
  const end = performance.now() + patience;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`in vain: ${holds}`);
    await new Promise((done) => requestAnimationFrame(done));
  }
};
// Milliseconds from `act` to the frame after which `holds`, painted.
window.timed = async (act, holds) => {
  const started = performance.now();
  act();
  await window.until(holds);
  await window.frames2();
  return performance.now() - started;
};
window.key = (key, more = {}) => document.dispatchEvent(
  new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
window.tree = () => window.panel("tree");
window.at = () => Number(window.tree()?.dataset.index);
window.shows = (index) => {
  const tree = window.tree();
  if (!tree || Number(tree.dataset.index) !== index || tree.dataset.waiting) return false;
  const rows = [...tree.querySelectorAll(".row")];
  return rows.some((row) => row.textContent.startsWith("marker") && row.textContent.includes(`at ${index}”`));
};
// A page in the background may not write the clipboard.
Object.defineProperty(navigator, "clipboard", {
  value: { writeText: async (text) => { window.copied = text; } },
});
window.nodes = (panel) => panel.querySelectorAll("*").length + 1;
"""


@contextmanager
def serving(script: Path, env: Mapping[str, str] | None = None) -> Iterator[str]:
    """Run ``streamlit run script`` on a free port until the block ends; yields its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = {
        "server.headless": "true",
        "server.port": str(port),
        "server.address": "127.0.0.1",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
    }
    command = [sys.executable, "-m", "streamlit", "run", str(script)]
    command += [f"--{name}={value}" for name, value in options.items()]
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths, **(env or {})},
    )
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(1_200):
            try:
                with urllib.request.urlopen(f"{url}/_stcore/health", timeout=1) as answer:
                    if answer.read() == b"ok":
                        break
            except OSError:
                time.sleep(0.02)
        else:
            raise RuntimeError(f"{script} does not answer")
        yield url
    finally:
        process.terminate()
        process.wait(20)


def viewer(*sources: Path) -> tuple[Path, dict[str, str]]:
    """Return the script and the environment that open ``sources`` in the viewer."""
    named = json.dumps([str(source) for source in sources])
    return ROOT / "app.py", {"CHECKPOINT_VIEWER_SOURCES": named}


@contextmanager
def browsing() -> Iterator[Callable[[], Any]]:
    """Start Chromium; yields a function that opens a page in a new context, the probe in it."""
    from playwright.sync_api import sync_playwright

    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    found = next(filter(None, (os.environ.get("CHROMIUM"), *map(shutil.which, names))), None)
    if found is None:
        raise SystemExit("no Chromium: install it (apt-get install chromium) or set CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found,
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
        )

        def page() -> Any:
            context = browser.new_context(
                viewport={"width": 1440, "height": 900},
                reduced_motion="reduce",
            )
            context.set_default_timeout(60_000)
            context.add_init_script(PROBE)
            return context.new_page()

        yield page
        browser.close()


def settled(page: Any) -> None:
    """Wait until the page's script has run and nothing is dimmed."""
    page.wait_for_function(
        """() => {
          const app = document.querySelector("[data-testid=stApp]");
          return app?.dataset.testScriptState === "notRunning" && !document.body.dataset.stepping
            && !document.querySelector("[data-testid=stSkeleton]");
        }"""
    )

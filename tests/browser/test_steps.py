"""Stepping: the tree paints what is at hand at once, and never one checkpoint under another's name."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

COUNT = 300
LOOK = r"""() => {
  const find = (name) => {
    for (const host of document.querySelectorAll("[data-testid=stBidiComponentIsolated]")) {
      const inside = [host, ...host.querySelectorAll("*")].find((e) => e.shadowRoot);
      const panel = inside?.shadowRoot.querySelector(`.panel.${name}`);
      if (panel) return panel;
    }
    return null;
  };
  window.look = () => {
    const [tree, strip] = [find("tree"), find("strip")];
    const rows = [...tree.querySelectorAll(".row")].map((row) => row.textContent);
    return {
      drawn: Number(tree.dataset.index),
      waiting: tree.dataset.waiting ?? null,
      position: Number(strip.dataset.position),
      step: Number(rows.map((row) => /^step(?:\d+ → )?(\d+)/.exec(row)?.[1]).find(Boolean)),
      title: tree.querySelector("[role=tree]").getAttribute("aria-label"),
    };
  };
  window.looks = [];
  const watch = () => {
    window.looks.push(window.look());
    window.watching = requestAnimationFrame(watch);
  };
  watch();
}"""
PRESS = """(key) => {
  document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  return window.look();
}"""


GO = """(index) => {
  document.dispatchEvent(new CustomEvent("checkpointgo", { detail: { index, at: null } }));
}"""


def state_at(step: int) -> dict[str, Any]:
    said = [{"id": n, "text": f"message {n} " + "word " * 30} for n in range(100)]
    return {"step": step, "said": said, "turns": list(range(step % 50))}


@pytest.fixture(scope="module")
def long_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chain of 300 states of 20 KB."""
    file = tmp_path_factory.mktemp("long") / "long.jsonl"
    with file.open("w", encoding="utf-8") as out:
        for step in range(COUNT):
            out.write(json.dumps({"checkpoint_id": f"c{step}", "state": state_at(step)}) + "\n")
    return file


@pytest.fixture
def long_app(serve: Any, long_run: Path) -> str:
    root = Path(__file__).parents[2]
    return str(serve(root / "app.py", {"CHECKPOINT_VIEWER_SOURCES": json.dumps([str(long_run)])}))


def at_hand(page: Any) -> None:
    """Wait until no neighbour is being asked for any more: it takes two answers after a paint."""
    page.wait_for_timeout(900)


def honest(seen: dict[str, Any]) -> bool:
    """Return whether what is drawn is what its own label says, and the wait is told."""
    drawn = seen["drawn"]
    named = seen["step"] == drawn
    titled = seen["title"] == f"State of checkpoint c{drawn}"
    told = drawn == seen["position"] or seen["waiting"] == str(seen["position"])
    return named and titled and told


def test_a_held_key_moves_exactly_and_every_frame_is_honest(
    open_at: Callable[[str], Any], long_app: str
) -> None:
    page = open_at(f"{long_app}/timeline?checkpoint=c40")
    at_hand(page)
    page.evaluate(LOOK)
    # The neighbour was sent ahead: it is painted within the press itself, Python asleep or not.
    for key, wanted in (("ArrowRight", 41), ("ArrowLeft", 40), ("ArrowLeft", 39)):
        seen = page.evaluate(PRESS, key)
        assert seen["drawn"] == wanted
        assert honest(seen), seen
    for _ in range(30):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(30)
    page.wait_for_function("() => window.look().drawn === 69 && window.look().position === 69")
    page.wait_for_function("() => location.search.includes('checkpoint=c69')")
    # What is painted is the state: what the step removed is drawn, and no part of what is copied.
    page.evaluate(GO, 50)
    page.wait_for_function("() => window.look().drawn === 50")
    page.get_by_role("button", name="copy value").click()
    page.wait_for_function("async () => (await navigator.clipboard.readText()).startsWith('{')")
    assert json.loads(page.evaluate("() => navigator.clipboard.readText()")) == state_at(50)
    # Far away: nothing is at hand there, and what is drawn meanwhile says what it is.
    page.keyboard.press("End")
    page.wait_for_function(f"() => window.look().drawn === {COUNT - 1}")
    looks = page.evaluate("() => { cancelAnimationFrame(window.watching); return window.looks; }")
    assert len(looks) > 30
    assert all(map(honest, looks)), [seen for seen in looks if not honest(seen)][:3]
    # Python was told when the person rested, and nothing is dimmed any more.
    page.wait_for_function("() => document.body.dataset.stepping === undefined")
    page.get_by_text(f"c{COUNT - 1}", exact=True).first.wait_for()


def test_a_step_that_never_reached_python_is_told_again(
    page: Any, settled: Callable[[Any], None], long_app: str
) -> None:
    lost = [False]

    def between(socket: Any) -> None:
        server = socket.connect_to_server()
        socket.on_message(lambda message: None if lost[0] else server.send(message))

    page.route_web_socket("**/_stcore/stream*", between)
    page.goto(f"{long_app}/timeline?checkpoint=c40")
    settled(page)
    at_hand(page)
    page.evaluate(LOOK)
    lost[0] = True
    page.evaluate(PRESS, "ArrowRight")
    page.wait_for_timeout(800)
    assert page.evaluate("() => document.body.dataset.stepping") == "41"
    lost[0] = False
    page.wait_for_function("() => document.body.dataset.stepping === undefined", timeout=15_000)
    page.get_by_text("c41", exact=True).first.wait_for()

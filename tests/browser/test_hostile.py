"""Hostile words in every place of a run: the DOM holds them as text, and nothing is born of them."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

ROOT = Path(__file__).parents[2]
APP = ROOT / "app.py"
STEMS = sorted(page.stem for page in (ROOT / "pages").glob("*.py"))
EVIL = (
    "<img src=x onerror=alert(1)><b>bold</b> :red[red] :red-badge[badge] $x^2$ :smile: **strong** "
    "[link](http://evil.invalid) ![i](http://evil.invalid/i.png) :material/delete: `c` <!--\u202e"
)
BORN = (
    "img[src=x], img[src*=evil], a[href*=evil], .katex, "
    "[data-testid=stIconMaterial]:text-is('delete'), .stMarkdownColoredText:text-is('red'), "
    ".stMarkdownBadge, "
    "b:text-is('bold'), strong:text-is('strong'), span[style*='color']:text-is('red')"
)

pytestmark = pytest.mark.browser


def hostile(value: Any) -> Any:
    """Return ``value`` with every string that is no status, id or type led by `EVIL`."""
    if isinstance(value, dict):
        return {k: v if k in ("status", "type", "role") else hostile(v) for k, v in value.items()}
    if isinstance(value, list):
        return [hostile(part) for part in value]
    return f"{EVIL} {value}" if isinstance(value, str) else value


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A waiting task-state run whose texts, names and files are all hostile."""
    folder = tmp_path_factory.mktemp("hostile") / "a :smile: **strong** $x^2$ [link](http:"
    (folder / "checkpoints").mkdir(parents=True)
    (folder / "what_if").mkdir()
    source = ROOT / "sample_runs" / "T-90103" / "checkpoints"
    for number, path in enumerate(sorted(source.glob("*.json"))):
        stored = json.loads(path.read_text())
        state = hostile(stored.get("state", stored))
        state[EVIL] = EVIL
        wrapper = {
            "checkpoint_id": f"{EVIL} {number}",
            "thread_id": EVIL,
            "namespace": EVIL,
            "node": EVIL,
            "origin": EVIL,
            "state": state,
        }
        (folder / "checkpoints" / f"{number} :smile: **strong**.json").write_text(
            json.dumps(wrapper)
        )
    (folder / "checkpoints" / "9 :smile: **strong** $x^2$.json").write_text("{torn")
    proposal = {"actions": [{"tool": EVIL, "args": {EVIL: EVIL, "order_id": "LK-615204"}}]}
    (folder / "what_if" / "a :smile: **strong** $x^2$.json").write_text(json.dumps(proposal))
    about = {"format_version": 1, "title": EVIL, "profile": "task-state"}
    (folder / "about.json").write_text(json.dumps(about))
    return folder


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A LangGraph store in which nodes, channels, tasks, questions and errors are all hostile."""
    path = tmp_path_factory.mktemp("store") / "a :smile: **strong** $x^2$.sqlite"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        saver.setup()
    ids = [f"1ef4f797-0000-6{number:03d}-8000-000000000000" for number in range(3)]
    space = f"{EVIL}:{EVIL}"
    connection = sqlite3.connect(path)
    for number, checkpoint_id in enumerate(ids):
        runs = {f"branch:to:{EVIL}": None, "branch:to:b": None} if number == 2 else {}
        values = {EVIL: [EVIL] * number, "messages": [{"type": "ai", "content": EVIL}], **runs}
        body = {
            "v": 4,
            "ts": "2026-01-01T00:00:00+00:00",
            "id": checkpoint_id,
            "channel_values": values,
            "channel_versions": {name: str(number) for name in values},
            "versions_seen": {EVIL: {EVIL: str(number)}},
        }
        told = {"source": "loop", "step": number, "parents": {}, EVIL: EVIL}
        for namespace in ("", space) if number == 2 else ("",):
            parents = {"": checkpoint_id} if namespace else {}
            row = (
                *(EVIL, namespace, checkpoint_id, ids[number - 1] if number else None),
                *("msgpack", ormsgpack.packb(body), json.dumps({**told, "parents": parents})),
            )
            connection.execute(
                "INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id,"
                " parent_checkpoint_id, type, checkpoint, metadata) VALUES (?, ?, ?, ?, ?, ?, ?)",
                row,
            )
    rows: list[tuple[str, str, int, str, Any]] = [
        (ids[1], "a", 0, EVIL, [EVIL]),
        (ids[2], EVIL, -3, "__interrupt__", [{"value": {EVIL: EVIL}, "id": EVIL}]),
        (ids[2], "b", -1, "__error__", EVIL),
        (ids[2], "c", 0, EVIL, [EVIL]),
    ]
    for checkpoint_id, task, number, channel, value in rows:
        packed = ormsgpack.packb(value)
        connection.execute(
            "INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel,"
            " type, value) VALUES (?, '', ?, ?, ?, ?, 'msgpack', ?)",
            (EVIL, checkpoint_id, task, number, channel, packed),
        )
    connection.commit()
    connection.close()
    call = {
        "format": "checkpoint-viewer.recording",
        "format_version": 1,
        **{"kind": "call", "call_id": EVIL, "thread_id": EVIL, "path": f"{EVIL}:{EVIL}"},
        **{"checkpoint_id": ids[2], "messages": [{"type": "human", "content": EVIL}]},
        **{"node": EVIL, "model": {"name": EVIL}, "tools": [{"name": EVIL, "description": EVIL}]},
    }
    path.with_name("observations.jsonl").write_text(json.dumps(call) + "\n")
    return path


@pytest.fixture(scope="module")
def places(run: Path, store: Path) -> Callable[[str], Path]:
    """Return a function that returns a hostile source by its kind."""
    return {"run": run, "store": store}.__getitem__


@pytest.mark.parametrize("stem", STEMS)
@pytest.mark.parametrize("kind", ["run", pytest.param("store", marks=pytest.mark.slow)])
def test_nothing_is_born_from_data(
    serve: Any, page: Any, settled: Any, places: Callable[[str], Path], kind: str, stem: str
) -> None:
    url = serve(APP, {"CHECKPOINT_VIEWER_SOURCES": json.dumps([str(places(kind))])})
    page.goto(f"{url}/{stem}?checkpoint=%3Asmile%3A%20**strong**%20%24x%5E2%24&gate=**strong**")
    page.locator(".frame .title").wait_for()
    settled(page)
    for summary in page.locator("[data-testid=stExpander] summary").all():
        summary.click()
    seen = [page.evaluate("document.body.innerText")]
    for picker in page.locator("[data-testid=stSelectbox]").all():
        picker.click()
        seen.append(page.evaluate("document.body.innerText"))
        assert page.locator(BORN).evaluate_all("found => found.map(e => e.outerHTML)") == []
        page.keyboard.press("Escape")
    page.wait_for_timeout(300)
    assert page.locator("[data-testid=stException]").count() == 0
    assert page.locator(BORN).evaluate_all("found => found.map(e => e.outerHTML)") == []
    for text in seen:
        assert [line for line in text.splitlines() if "😄" in line or "\u202e" in line] == []


PIERCING = r"""() => {
  const roots = [document];
  for (const root of roots)
    for (const node of root.querySelectorAll("*")) if (node.shadowRoot) roots.push(node.shadowRoot);
  const born = "img[src=x], img[src*=evil], a[href*=evil], .katex, .stMarkdownBadge";
  const words = { B: "bold", STRONG: "strong", SPAN: "red" };
  const found = roots.flatMap((root) => [
    ...root.querySelectorAll(born),
    ...[...root.querySelectorAll("b, strong, span.stMarkdownColoredText")].filter(
      (node) => node.textContent === words[node.tagName]),
  ]).map((node) => node.outerHTML.slice(0, 200));
  const texts = roots.flatMap(
    (root) => (root.body ?? root).textContent.match(/.{0,40}[\u{1F604}\u202E]/gu) ?? []);
  return [...found, ...texts];
}"""
"""What was born of data, also in the shadow roots of panels, whose text no `innerText` holds."""


@pytest.mark.parametrize(
    "views",
    [
        ("timeline?at=/messages/0", "diff?view=unified", "transcript?view=what-if"),
        pytest.param(("diff?view=patch", "transcript?view=present"), marks=pytest.mark.slow),
    ],
    ids=["search, diff, what if", "patch, presenter"],
)
def test_no_view_gives_birth_to_data(
    serve: Any, page: Any, settled: Any, places: Callable[[str], Path], views: tuple[str, ...]
) -> None:
    url = serve(APP, {"CHECKPOINT_VIEWER_SOURCES": json.dumps([str(places("run"))])})
    hits = page.locator("[role=option]")
    for view in views:
        page.goto(f"{url}/{view}")
        page.locator(".frame .title").wait_for()
        settled(page)
        if view.startswith("timeline"):
            page.keyboard.press("g")
            page.keyboard.type("bold")
            hits.first.wait_for()
        assert page.evaluate(PIERCING) == [], view
        assert page.locator("[data-testid=stException]").count() == 0

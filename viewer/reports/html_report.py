"""One self-contained HTML file about one chain: strip, diffs, violations, usage, digests.

It holds its own modules and styles, asks nobody for anything (a content security policy in the file
forbids it), and secrets are masked before anything is written.
"""

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from viewer.analysis.check import CheckResult
from viewer.analysis.usage import UsageReport, usage
from viewer.chain import Chain
from viewer.jsontext import visible
from viewer.model import USAGE, Why
from viewer.panels.modules import script, style
from viewer.panels.verdict import verdict_payload
from viewer.redact import redacted_text
from viewer.reports.html_parts import told, violation_rows

_HERE = Path(__file__).parent
_PANELS = ("strip", "diff3", "verdict")
GENERATOR = '<meta name="generator" content="Checkpoint Viewer">'
"""Stands near the top of every report; a file without it is not ours to overwrite."""
_LISTED = 500
"""Most violations listed; the rest are counted."""


def html_report(
    chain: Chain,
    why: Why,
    result: CheckResult,
    *,
    made_at: datetime,
    chosen: Sequence[int] | None = None,
) -> str:
    """Return the text of the file.

    Args:
        chain: the chain that it is about.
        why: why its thread stands where it stands.
        result: what the gates say of it.
        made_at: when the report is made.
        chosen: indices of the checkpoints whose changes it shows; None for all that fit.
    """
    found = told(chain, why, result, chosen=chosen)
    report = usage(chain)
    held = {
        "strip": found.strip,
        "verdict": found.verdict,
        "diffs": found.diffs,
        "places": link_places(chain, why),
        "styles": {name: style(f"{name}.css") for name in _PANELS},
    }
    modules = [*(_panel(name) for name in _PANELS), (_HERE / "report.js").read_text("utf-8")]
    title = visible(redacted_text(chain.thread_id))
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="facts">{escape(_facts(chain, made_at))}</p>',
        '<div class="panel-host" id="panel-strip"></div>',
        '<div class="panel-host" id="panel-diff3"></div>',
        '<p class="absent" id="absent" hidden></p>',
        *_left_out(found.left_out),
        "<h2>Why it stands where it stands</h2>",
        '<div class="panel-host" id="panel-verdict"></div>',
        "<h2>Violations</h2>",
        _violations(result),
        "<h2>Usage</h2>",
        _usage(report),
        "<h2>Checkpoints</h2>",
        '<p class="small">A digest is the SHA-256 of the state as it is stored, as canonical JSON '
        "(RFC 8785), before anything was masked.</p>",
        _checkpoints(found.checkpoints),
    ]
    return _document(title, parts, _embedded(held), modules)


def link_places(chain: Chain, why: Why) -> list[int | None]:
    """Return for each link of the verdict the index in ``chain`` it leads to; None for elsewhere."""
    index = {c.checkpoint_id: c.index for c in chain.checkpoints}
    _, places = verdict_payload(why)
    return [index.get(p.checkpoint_id) if p.namespace == chain.namespace else None for p in places]


def _panel(name: str) -> str:
    """Return the modules of a panel; its function is put where ``report.js`` finds it."""
    return f"{script(f'{name}.js')}\n(window.checkpointViewerPanels ??= {{}}).{name} = {name};"


def _facts(chain: Chain, made_at: datetime) -> str:
    space = f" · namespace {chain.namespace}" if chain.namespace else ""
    count = len(chain.checkpoints)
    many = "1 checkpoint" if count == 1 else f"{count:,} checkpoints"
    made = made_at.astimezone(UTC).isoformat(sep=" ", timespec="seconds")
    source = Path(chain.source).name
    told = f"{source}{space} · {many} · {chain.profile.name} · {chain.reader} · made {made}"
    return visible(redacted_text(f"{told} · secrets are masked"))


def _left_out(indices: Sequence[int]) -> Iterable[str]:
    if indices:
        names = ", ".join(f"@{index}" for index in indices[:20])
        more = f" and {len(indices) - 20:,} more" if len(indices) > 20 else ""
        yield f'<p class="small">Left out, for the file would be too large: {names}{more}.</p>'


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]], code: Sequence[str] = ()) -> str:
    numbers = {"@", "step", "bytes", *(name.replace("_", " ") for name in USAGE)}

    def kind(head: str) -> str:
        found = "number" if head in numbers else "code" if head in code else ""
        return f' class="{found}"' if found else ""

    top = "".join(f"<th{kind(h)} scope=col>{escape(h)}</th>" for h in heads)
    lines = (
        "".join(f"<td{kind(h)}>{_cell(v)}</td>" for h, v in zip(heads, row, strict=True))
        for row in rows
    )
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return (
        f'<div class="scroll" tabindex="0"><table><thead><tr>{top}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:,}"
    return escape(visible(str(value)))


def _violations(result: CheckResult) -> str:
    rows = list(violation_rows(result))
    if not rows:
        judged = any(state == "run" for state in result.gates.values())
        words = "None: every gate that could run is met." if judged else "No gate could judge."
        return f"<p>{words}</p>"
    more = len(rows) + result.dropped - _LISTED
    after = f'<p class="small">and {more:,} more</p>' if more > 0 else ""
    heads = ("checkpoint", "gate", "keyword", "place", "message")
    return _table(heads, rows[:_LISTED], code=("keyword", "place")) + after


def _usage(report: UsageReport) -> str:
    if not report.recorded:
        return "<p>This source records no usage. That is not the same as 0.</p>"
    names = [n for n in USAGE if getattr(report.totals, n) is not None]
    heads = ["@", *(name.replace("_", " ") for name in names)]
    rows = [[s.index, *(getattr(s.usage, n) for n in names)] for s in report.steps]
    spent = [r for r in rows if any(r[1:])]
    total = ["total", *(getattr(report.totals, n) for n in names)]
    return _bars(report) + _table(heads, [*spent, total])


def _bars(report: UsageReport) -> str:
    """Return input and output tokens per step as a drawing; nothing where neither is known."""
    spent = [(s.usage.input_tokens or 0, s.usage.output_tokens or 0) for s in report.steps]
    most = max((i + o for i, o in spent), default=0)
    if not most:
        return ""
    wide, tall = 960.0, 120.0
    step = wide / len(spent)
    bars = []
    for number, (put, got) in enumerate(spent):
        left, width = number * step, max(step - 1, 0.6)
        low, high = tall * put / most, tall * got / most
        told = f"<title>@{number}: {put:,} input, {got:,} output tokens</title>"
        for kind, top, height in (("input", tall - low, low), ("output", tall - low - high, high)):
            if height:
                box = f'x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}"'
                bars.append(f'<rect class="{kind}" {box}>{told}</rect>')
    label = f"most in a step: {most:,} tokens; below: input, above: output"
    return (
        f'<svg class="bars" viewBox="0 0 {wide:.0f} {tall + 18:.0f}" role="img" '
        f'aria-label="Tokens per step; {label}" width="100%" height="150" '
        f'preserveAspectRatio="none">{"".join(bars)}'
        f'<line x1="0" x2="{wide:.0f}" y1="{tall:.0f}" y2="{tall:.0f}"/></svg>'
        f'<p class="small">Tokens per step, @0 to @{len(spent) - 1}; {label}.</p>'
    )


def _checkpoints(rows: Sequence[Mapping[str, Any]]) -> str:
    heads = ("@", "step", "id", "nodes", "status", "saved (UTC)", "bytes", "digest")
    keys = ("index", "step", "id", "nodes", "status", "created_at", "bytes", "digest")
    return _table(heads, ([row[key] for key in keys] for row in rows), code=("id", "digest"))


def _embedded(value: Mapping[str, Any]) -> str:
    """Return JSON that can stand inside a script element: ASCII, and no ``<``."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def _document(title: str, parts: Sequence[str], held: str, modules: Sequence[str]) -> str:
    texts = [f"\n{module}\n" for module in modules]
    hashes = " ".join(f"'sha256-{_hash(text)}'" for text in texts)
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {hashes}"
    scripts = "\n".join(f'<script type="module">{text}</script>' for text in texts)
    css = (_HERE / "report.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"{GENERATOR}\n"
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)} – Checkpoint Viewer</title>\n<style>\n{css}</style>\n</head>\n"
        f"<body>\n<main>\n{chr(10).join(parts)}\n</main>\n"
        f'<script type="application/json" id="told">{held}</script>\n{scripts}\n</body>\n</html>\n'
    )


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode("utf-8")).digest()).decode("ascii")

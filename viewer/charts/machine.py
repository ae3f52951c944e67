"""The status machine as a Graphviz drawing."""

from collections.abc import Sequence

from viewer.analysis.transitions import Edge


def machine(edges: Sequence[Edge], *, dark: bool) -> str:
    """Return the status machine as DOT: legal edges grey, taken ones bold, illegal ones red.

    Taken edges carry how often; illegal ones are dashed and marked with a cross besides, since
    colour alone says nothing to some.
    """
    ink, faint, bad = (
        ("#d7dde5", "#6b7684", "#ff7b72") if dark else ("#1f2933", "#9aa5b1", "#c62828")
    )
    lines = [
        "digraph status {",
        'graph [bgcolor="transparent", rankdir=LR, nodesep=0.35, ranksep=0.55]',
        f'node [shape=box, style=rounded, fontname="sans-serif", fontsize=12, color="{faint}", fontcolor="{ink}"]',
        f'edge [fontname="sans-serif", fontsize=11, color="{faint}", fontcolor="{ink}"]',
    ]
    on_path = {e.target for e in edges if e.taken} | {e.source for e in edges if e.taken}
    lines += [
        f'{_quoted(name)} [penwidth=2, color="{ink}"]'
        for name in sorted(n for n in on_path if n is not None)
    ]
    if any(e.source is None for e in edges):
        lines.append(
            f'"start " [shape=circle, label="", width=0.16, style=filled, fillcolor="{ink}"]'
        )
    for edge in edges:
        source = '"start "' if edge.source is None else _quoted(edge.source)
        style = [f'color="{ink}", penwidth=2, label="{len(edge.taken)}×"'] if edge.taken else []
        if not edge.legal:
            style = [
                f'color="{bad}", fontcolor="{bad}", style=dashed, penwidth=2.5, '
                f'label="✕ {len(edge.taken)}× illegal"'
            ]
        lines.append(f"{source} -> {_quoted(edge.target)} [{', '.join(style)}]")
    return "\n".join([*lines, "}"])


def _quoted(name: str) -> str:
    safe = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{safe}"'

"""What a search over all steps found, and a field over all steps: for programs and for people."""

from collections.abc import Mapping, Sequence
from typing import Any

from viewer.analysis.biography import Biography, Run
from viewer.analysis.search import Hit, Search
from viewer.chain import Chain
from viewer.model import MISSING
from viewer.reports.as_json import Row, time
from viewer.reports.parts import (
    Document,
    blocks,
    columns_of,
    counted,
    indented,
    moment,
    problems,
    thread_of,
)
from viewer.reports.terminal import safe, value


def search_part(run: Search) -> Row:
    """Return what a search found, for a document."""
    query = run.matcher.query
    return {
        "text": query.text,
        "regex": query.regex,
        "match_case": query.case,
        "found": run.found,
        "complete": not run.full,
        "cut_values": run.matcher.cut,
        "hits": [_hit_row(run.chain, hit) for hit in run.hits()],
    }


def _hit_row(chain: Chain, hit: Hit) -> Row:
    return {
        "kind": hit.kind,
        "pointer": hit.pointer,
        "last_pointer": hit.last_pointer,
        **({} if isinstance(hit.value, dict | list) else {"value": hit.value}),
        "first": hit.first,
        "first_checkpoint_id": chain.checkpoints[hit.first].checkpoint_id,
        "last": hit.last,
        "last_checkpoint_id": chain.checkpoints[hit.last].checkpoint_id,
        "checkpoints": hit.count,
        "at_head": hit.at_head,
    }


def biography_part(chain: Chain, index: int, pointer: str, found: Biography) -> Row:
    """Return a field over all steps, for a document."""
    numbers = found.numbers
    return {
        "pointer": pointer,
        "index": index,
        "checkpoint_id": chain.checkpoints[index].checkpoint_id,
        "first": found.present[0].first,
        "last": found.present[-1].last,
        "changes": found.changes,
        "followed_by": list(found.followed_by),
        "numbers": numbers
        and {"least": numbers.least, "most": numbers.most, "growth": numbers.growth},
        "runs": [_run_row(chain, run) for run in found.runs],
    }


def _run_row(chain: Chain, run: Run) -> Row:
    row: Row = {
        "first": run.first,
        "first_checkpoint_id": chain.checkpoints[run.first].checkpoint_id,
        "last": run.last,
        "last_checkpoint_id": chain.checkpoints[run.last].checkpoint_id,
        "kind": run.kind,
        "pointer": run.pointer,
        "nodes": list(run.nodes),
        "created_at": time(run.time),
    }
    if isinstance(run.value, dict | list):
        row["size"] = len(run.value)
    elif run.value is not MISSING:
        row["value"] = run.value
    return row


def search_text(document: Document) -> str:
    """Return the hits as a table."""
    found = document["search"]
    hits = found["hits"]
    count = len(document["checkpoints"])
    many = counted(found["found"], "place") if hits else "nothing"
    more = "" if found["complete"] else ", and more: the search stopped there"
    head = (
        f"{thread_of(document)} in {document['source']}: {many}{more} in "
        f"{counted(count, 'checkpoint')}"
    )
    table = columns_of(
        hits,
        ("FIRST", lambda r: f"@{r['first']}"),
        ("LAST", lambda r: f"@{r['last']}"),
        ("IN", lambda r: f"{r['checkpoints']} of {count}"),
        ("LIVE HEAD", lambda r: "has it" if r["at_head"] else "gone"),
        ("WHAT", "kind"),
        ("POINTER", "pointer"),
        ("LAST POINTER", lambda r: r["last_pointer"] if r["last_pointer"] != r["pointer"] else ""),
        ("VALUE", lambda r: value(r["value"]) if "value" in r else "…"),
    )
    left = found["found"] - len(hits)
    cut = found["cut_values"]
    return blocks(
        safe(head),
        table if hits else "",
        f"the first {len(hits):,} are listed" if left and hits else "",
        f"{counted(cut, 'long value')} searched only in the first 1,000,000 characters"
        if cut
        else "",
        problems(document),
    )


def biography_text(document: Document) -> str:
    """Return the runs of a field as a table, and what can be said of all of them."""
    found = document["biography"]
    runs: Sequence[Mapping[str, Any]] = found["runs"]
    head = (
        f"{found['pointer'] or '(the whole state)'} of {thread_of(document)} in "
        f"{document['source']}: {counted(found['changes'], 'change')}, "
        f"first @{found['first']}, last @{found['last']}"
    )
    ways = ", ".join(found["followed_by"])
    numbers = found["numbers"]
    notes = [
        f"members of lists followed by {ways}" if ways else "",
        f"least {value(numbers['least'])}, most {value(numbers['most'])}, "
        f"growth {value(numbers['growth'])}"
        if numbers
        else "",
    ]
    table = columns_of(
        runs,
        ("FROM", lambda r: f"@{r['first']}"),
        ("TO", lambda r: f"@{r['last']}"),
        ("VALUE", _told),
        ("POINTER", lambda r: r["pointer"] if r["pointer"] != found["pointer"] else ""),
        ("WRITTEN BY", lambda r: ", ".join(r["nodes"])),
        ("SAVED", lambda r: moment(r["created_at"])),
    )
    said = "\n".join(safe(note) for note in notes if note)
    return blocks(safe(head), table, indented(said) if said else "", problems(document))


def _told(run: Mapping[str, Any]) -> str:
    if run["kind"] == "absent":
        return "(absent)"
    return f"({run['size']:,} inside)" if "size" in run else value(run["value"])

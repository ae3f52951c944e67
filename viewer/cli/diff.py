"""``diff``: what changed between two checkpoints of a thread, or between two JSON files."""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from viewer.analysis.diff import PairingNote, counts, diff, to_patch
from viewer.cli.output import show, write
from viewer.cli.raw import Documents
from viewer.cli.selection import Selected, live_head
from viewer.errors import SelectionError, SourceError, ViewerError
from viewer.jsontext import dumps
from viewer.model import Change
from viewer.pointer import Pattern, join
from viewer.profiles import Profile, choose, load_profile
from viewer.reports import as_json, diff_text
from viewer.sources.json_file import READER as JSON_FILE


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """Two values to compare and the rows that name them."""

    base: Any
    target: Any
    base_row: dict[str, Any]
    target_row: dict[str, Any]
    profile: Profile
    problems: list[dict[str, Any]]


def run(chosen: argparse.Namespace) -> int:
    """Print the changes; return 1 if there is one, else 0.

    Raises:
        ViewerError: there are no two values to compare, or the options exclude each other.
    """
    loose = _loose(chosen)
    if loose and chosen.patch:
        raise ViewerError("--patch is exact: it cannot go with a loose comparison")
    pair = _files(chosen) or _checkpoints(chosen)
    notes: list[PairingNote] = []
    if loose:
        changes = _loosely(pair, loose)
    else:
        changes = diff(pair.base, pair.target, pair.profile.lists, notes)
    code = 1 if changes else 0
    patch = to_patch(pair.base, changes) if chosen.patch else None
    if patch is not None and not chosen.json:
        write(dumps(patch, indent=2))
        return code
    noise = {i for i, c in enumerate(changes) if any(p.matches(c.path) for p in pair.profile.noise)}
    of = {key: pair.target_row[key] for key in ("source", "thread_id", "namespace")}
    found = as_json.document(
        "diff",
        base=pair.base_row,
        target=pair.target_row,
        changes=as_json.change_rows(changes, of, noise),
        counts=counts(changes),
        rules={
            **_rules(pair, changes, loose),
            "unpaired": [{"path": join(n.path), "reason": n.reason} for n in notes],
        },
        **({} if patch is None else {"patch": patch}),
        problems=pair.problems,
    )
    return show(found, chosen.json, diff_text.text, code)


def _files(chosen: argparse.Namespace) -> _Pair | None:
    """Return the pair of two raw documents, or None where the sources are chains."""
    one_chain = (chosen.base, chosen.target, chosen.thread, chosen.namespace, chosen.format)
    paths = [Path(source) for source in chosen.sources if isinstance(source, str)]
    if len(paths) != 2 or len(chosen.sources) != 2 or any(o is not None for o in one_chain):
        return None
    # A pipe is what a shell makes of `diff <(one) <(another)`; it can be read only once.
    piped = any(path.is_fifo() for path in paths)
    if not all(path.is_file() or path.is_fifo() for path in paths):
        return None
    documents = Documents()
    try:
        base, target = map(documents.load, chosen.sources)
    except SourceError:
        # Two files of lines or two stores are chains; a JSON file that is torn is just that.
        if piped or not _are_chains(chosen):
            raise
        return None
    return _Pair(
        base=base,
        target=target,
        base_row=_file_row(chosen.sources[0]),
        target_row=_file_row(chosen.sources[1]),
        profile=load_profile(chosen.profile) if chosen.profile else choose(target),
        problems=[as_json.problem_row(problem, name) for name, problem in documents.problems],
    )


def _are_chains(chosen: argparse.Namespace) -> bool:
    selected = Selected(chosen)
    return not selected.unread and all(s.reader is not JSON_FILE for s in selected.sources)


def _file_row(source: str) -> dict[str, Any]:
    nothing = dict.fromkeys(("thread_id", "namespace", "checkpoint_id", "index", "step"))
    return {"source": source, **nothing}


def _checkpoints(chosen: argparse.Namespace) -> _Pair:
    selected = Selected(chosen)
    chain = selected.chain()
    live_head(chain)
    base, target = chain.pair(chosen.base, chosen.target)
    if base is None:
        checkpoint = chain.checkpoints[target]
        why = (
            "is the first of its line"
            if checkpoint.parent_id is None
            else f"has a parent, {checkpoint.parent_id}, that is not in the source"
        )
        raise SelectionError(f"checkpoint {checkpoint.checkpoint_id} {why}: name a --base")
    return _Pair(
        base=chain.state(base),
        target=chain.state(target),
        base_row=as_json.named(chain, base),
        target_row=as_json.named(chain, target),
        profile=chain.profile,
        problems=selected.problems,
    )


def _loose(chosen: argparse.Namespace) -> dict[str, Any] | None:
    """Return the loose options as they are given, or None where the comparison is exact."""
    given = {
        "ignore_order": chosen.ignore_order,
        "ignore": list(chosen.ignore),
        "significant": chosen.significant,
        "ignore_number_type": chosen.ignore_number_type,
    }
    exact = {
        "ignore_order": False,
        "ignore": [],
        "significant": None,
        "ignore_number_type": False,
    }
    return None if given == exact else given


def _loosely(pair: _Pair, loose: dict[str, Any]) -> list[Change]:
    from viewer.analysis.loose_diff import Loose, loose_diff

    options = Loose(**{**loose, "ignore": tuple(loose["ignore"])})
    return loose_diff(pair.base, pair.target, options, pair.profile.lists)


def _rules(pair: _Pair, changes: list[Change], loose: dict[str, Any] | None) -> dict[str, Any]:
    """Return the rules that had something to say about this pair."""
    lists = (
        []
        if loose and loose["ignore_order"]
        else [
            {"pattern": where.text, "key": key}
            for where, key in pair.profile.lists
            if _names_a_list(where, pair.base) or _names_a_list(where, pair.target)
        ]
    )
    noise = [p.text for p in pair.profile.noise if any(p.matches(c.path) for c in changes)]
    return {"profile": pair.profile.name, "lists": lists, "noise": noise, "loose": loose}


def _names_a_list(where: Pattern, value: Any) -> bool:
    return any(isinstance(found, list) for _, found in where.select(value))

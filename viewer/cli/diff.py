"""``diff``: what changed between two checkpoints of a thread, or between two JSON files."""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from viewer.analysis.diff import PairingNote, diff, to_patch
from viewer.analysis.observe import observe, verdict
from viewer.chain import Chain
from viewer.cli.output import show, write
from viewer.cli.raw import Documents
from viewer.cli.selection import Selected, live_head
from viewer.errors import SelectionError, SourceError, ViewerError
from viewer.jsontext import dumps
from viewer.model import Change
from viewer.profiles import choose, load_profile
from viewer.reports import as_json, diff_markdown, diff_text, tables_csv
from viewer.reports.diff_document import Sides, diff_document, unnamed_row
from viewer.reports.masked import masked_changes
from viewer.sources.json_file import READER as JSON_FILE


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """What is compared, and where it stands where it is a chain's."""

    sides: Sides
    chain: Chain | None = None
    index: int | None = None
    """Of the target in the chain."""


def run(chosen: argparse.Namespace) -> int:
    """Print the changes; return 1 if there is one, else 0.

    Raises:
        ViewerError: there are no two values to compare, or the options exclude each other.
    """
    loose = _loose(chosen)
    if loose and chosen.patch:
        raise ViewerError("--patch is exact: it cannot go with a loose comparison")
    if sum((chosen.markdown, chosen.csv, chosen.json or chosen.patch)) > 1:
        raise ViewerError("--markdown, --csv and --json or --patch are different forms: name one")
    pair = _files(chosen) or _checkpoints(chosen)
    notes: list[PairingNote] = []
    sides = pair.sides
    if loose:
        changes = _loosely(sides, loose)
    else:
        changes = diff(sides.base, sides.target, sides.profile.lists, notes)
    code = 1 if changes else 0
    if chosen.markdown or chosen.csv:
        write(_exported(pair, changes, notes, loose, as_csv=chosen.csv))
        return code
    patch = to_patch(sides.base, changes) if chosen.patch else None
    if patch is not None and not chosen.json:
        write(dumps(patch, indent=2))
        return code
    found = diff_document(sides, changes, notes=notes, loose=loose, patch=patch)
    return show(found, chosen.json, diff_text.text, code)


def _exported(
    pair: _Pair,
    changes: list[Change],
    notes: list[PairingNote],
    loose: dict[str, Any] | None,
    *,
    as_csv: bool,
) -> str:
    """Return the changes as a file to pass on: secrets masked, and what the model was shown."""
    told, verdicts = "", []
    if pair.chain is not None and pair.index is not None:
        observation = observe(pair.chain, pair.index)
        told = observation.why
        verdicts = [verdict(pair.chain, change, observation) for change in changes]
    document = diff_document(pair.sides, masked_changes(changes), notes=notes, loose=loose)
    if as_csv:
        return tables_csv.changes_csv(document, verdicts)
    return diff_markdown.text(document, told, verdicts)


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
        sides=Sides(
            base=base,
            target=target,
            base_row=unnamed_row(chosen.sources[0]),
            target_row=unnamed_row(chosen.sources[1]),
            profile=load_profile(chosen.profile) if chosen.profile else choose(target),
            problems=[as_json.problem_row(problem, name) for name, problem in documents.problems],
        )
    )


def _are_chains(chosen: argparse.Namespace) -> bool:
    selected = Selected(chosen)
    return not selected.unread and all(s.reader is not JSON_FILE for s in selected.sources)


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
        sides=Sides(
            base=chain.state(base),
            target=chain.state(target),
            base_row=as_json.named(chain, base),
            target_row=as_json.named(chain, target),
            profile=chain.profile,
            problems=selected.problems,
        ),
        chain=chain,
        index=target,
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


def _loosely(sides: Sides, loose: dict[str, Any]) -> list[Change]:
    from viewer.analysis.loose_diff import Loose, loose_diff

    options = Loose(**{**loose, "ignore": tuple(loose["ignore"])})
    return loose_diff(sides.base, sides.target, options, sides.profile.lists)

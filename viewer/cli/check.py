"""``check``: the gates over every state, for people and for CI."""

import argparse
import contextlib
import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from viewer.analysis.check import CheckResult, check
from viewer.analysis.schema import compile_schema
from viewer.chain import Chain
from viewer.cli.output import show
from viewer.cli.raw import Documents
from viewer.cli.selection import Selected
from viewer.errors import SchemaFileError, SourceError, ViewerError
from viewer.reports import as_json, as_text


def run(chosen: argparse.Namespace) -> int:
    """Print every violation; return 1 if there is one, else 2 if something could not be judged.

    Raises:
        SchemaFileError: ``--schema`` names a file that is no JSON Schema.
        ViewerError: no source can be opened, or the thread asked for is in none.
    """
    schema = None if chosen.schema is None else _schema(chosen.schema)
    whole = _documents(chosen, schema)
    selected = Selected(_without(chosen, whole))
    for chain in whole.values():
        selected.problems += [as_json.problem_row(p, chain.source, chain) for p in chain.problems]
    threads, violations, not_run = [], [], []
    dropped = 0
    for chain in (*whole.values(), *selected.chains()):
        result = check(chain, schema=schema, limits=selected.limits)
        violations += [as_json.violation_row(v, chain) for v in result.violations]
        not_run += [as_json.not_run_row(n, chain) for n in result.not_run]
        dropped += result.dropped
        threads.append(
            {
                **as_json.owner(chain),
                "profile": chain.profile.name,
                "checkpoints": result.checkpoints,
                "violations": len(result.violations) + result.dropped,
                "judged": _judged(result),
                "whole_file": chain.source in whole,
                "gates": dict(result.gates),
            }
        )
    could_tell = bool(threads) and all(t["judged"] for t in threads) and not selected.unread
    found = as_json.document(
        "check",
        checked={
            "sources": len(selected.sources) + len(whole),
            "threads": len(threads),
            "checkpoints": sum(t["checkpoints"] for t in threads),
        },
        threads=threads,
        violations=violations,
        dropped=dropped,
        not_run=not_run,
        problems=selected.problems,
    )
    return show(found, chosen.json, as_text.check, 1 if violations else 0 if could_tell else 2)


def _documents(chosen: argparse.Namespace, schema: Mapping[str, Any] | None) -> Mapping[str, Chain]:
    """Return, by name, the JSON files that are judged whole: all, where ``schema`` is for no state.

    A state is an object. A schema that takes none, but a list, can only mean the document itself
    and not the checkpoints that stand in it.
    """
    types = None if schema is None else schema.get("type")
    if types is None or "object" in ([types] if isinstance(types, str) else types):
        return {}
    documents, found = Documents(), {}
    for name in dict.fromkeys(chosen.sources):
        if isinstance(name, str) and Path(name).is_file():
            with contextlib.suppress(SourceError):
                found[name] = documents.chain(name)
    return found


def _without(chosen: argparse.Namespace, taken: Mapping[str, Chain]) -> argparse.Namespace:
    rest = copy.copy(chosen)
    rest.sources = [name for name in chosen.sources if name not in taken]
    return rest


def _judged(result: CheckResult) -> bool:
    """Return whether a gate beside parsing applies, and nothing that applies was left unjudged.

    A rule that has nothing to judge by in the whole chain (no memories are at hand) does not
    apply; one that cannot judge some checkpoint was left unjudged there.
    """
    states = [word for gate, word in result.gates.items() if gate != "parse"]
    left = any(missed.index is not None for missed in result.not_run)
    return "run" in states and "not run" not in states and not left


def _schema(name: str) -> Mapping[str, Any]:
    schema = Documents().load(name)
    if not isinstance(schema, dict):
        raise SchemaFileError(f"{name}: a schema must be an object")
    try:
        compile_schema(schema)
    except SchemaFileError as error:
        places = ", ".join(f"#{p}" for p in error.pointers)
        raise ViewerError(f"{name}: {error}" + (f" (at {places})" if places else "")) from error
    return schema

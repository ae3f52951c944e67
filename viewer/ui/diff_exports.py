"""The menu that writes a comparison or the target's state into a file."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from viewer.analysis.diff import to_patch
from viewer.analysis.loose_diff import Loose
from viewer.jsontext import dumps
from viewer.redact import redacted
from viewer.reports import as_json, diff_markdown, tables_csv
from viewer.reports.diff_document import Sides, diff_document
from viewer.reports.masked import masked_changes, masked_patch
from viewer.ui.chosen import Chosen
from viewer.ui.comparison import Comparison
from viewer.ui.loosely import as_options
from viewer.ui.pair import Pair
from viewer.ui.say import file_name


def offer_exports(chosen: Chosen, pair: Pair, found: Comparison) -> None:
    """Draw the menu; a file is made when its button is pressed."""
    name = f"{chosen.ref.thread_id}-{chosen.target}"
    with st.popover("Export", icon=":material/download:"):
        masked = st.checkbox(
            "Mask secrets",
            value=True,
            key="export_masked",
            help="Passwords, keys and tokens, by the name of their field and by their shape. A "
            "patch with masks leads to a state with masks.",
        )
        forms: list[tuple[str, str, str, Callable[[], str]]] = [
            (
                "Diff as Markdown",
                "-diff.md",
                "text/markdown",
                partial(_markdown, chosen, pair, found, masked),
            ),
            ("Diff as CSV", "-diff.csv", "text/csv", partial(_csv, chosen, pair, found, masked)),
            (
                "Diff as JSON",
                "-diff.json",
                "application/json",
                partial(_json, chosen, pair, found, masked),
            ),
        ]
        if pair.loose == Loose():
            forms.append(
                (
                    "JSON Patch (RFC 6902)",
                    "-patch.json",
                    "application/json-patch+json",
                    partial(_patch, chosen, pair, found, masked),
                )
            )
        forms += [
            (
                "Target state as JSON",
                "-state.json",
                "application/json",
                partial(_state, chosen, masked),
            ),
            ("Target state as CSV", "-state.csv", "text/csv", partial(_state_csv, chosen, masked)),
        ]
        with st.container(gap="xxsmall"):
            for label, ending, mime, write in forms:
                st.download_button(
                    label,
                    partial(_encoded, write),
                    file_name(name, ending),
                    mime,
                    key=f"export{ending}",
                    on_click="ignore",
                    type="tertiary",
                )


def _encoded(write: Callable[[], str]) -> bytes:
    return write().encode()


def _document(chosen: Chosen, pair: Pair, found: Comparison, masked: bool) -> as_json.Row:
    changes = masked_changes(found.changes) if masked else found.changes
    sides = Sides(
        base=pair.base.state,
        target=chosen.chain.state(chosen.target),
        base_row=pair.base.row,
        target_row=as_json.named(chosen.chain, chosen.target),
        profile=chosen.chain.profile,
    )
    loose = None if pair.loose == Loose() else as_options(pair.loose)
    return diff_document(sides, changes, notes=found.notes, loose=loose)


def _markdown(chosen: Chosen, pair: Pair, found: Comparison, masked: bool) -> str:
    document = _document(chosen, pair, found, masked)
    return diff_markdown.text(document, found.observation.why, found.verdicts)


def _csv(chosen: Chosen, pair: Pair, found: Comparison, masked: bool) -> str:
    return tables_csv.changes_csv(_document(chosen, pair, found, masked), found.verdicts)


def _json(chosen: Chosen, pair: Pair, found: Comparison, masked: bool) -> str:
    return dumps(_document(chosen, pair, found, masked), indent=2) + "\n"


def _patch(chosen: Chosen, pair: Pair, found: Comparison, masked: bool) -> str:
    patch = to_patch(pair.base.state, found.changes)
    return dumps(masked_patch(patch) if masked else patch, indent=2) + "\n"


def _state(chosen: Chosen, masked: bool) -> str:
    state = chosen.chain.state(chosen.target)
    return dumps(redacted(state) if masked else state, indent=2) + "\n"


def _state_csv(chosen: Chosen, masked: bool) -> str:
    state = chosen.chain.state(chosen.target)
    return tables_csv.state_csv(redacted(state) if masked else state)

"""The menu that writes a comparison or the target's state into a file."""

from functools import partial

import streamlit as st

from viewer.analysis.diff import to_patch
from viewer.analysis.loose_diff import Loose
from viewer.jsontext import dumps
from viewer.reports import as_json, diff_markdown, tables_csv
from viewer.reports.diff_document import Sides, diff_document
from viewer.reports.masked import masked_changes, masked_patch
from viewer.ui.chosen import Chosen
from viewer.ui.comparison import Comparison
from viewer.ui.loosely import as_options
from viewer.ui.pair import Pair
from viewer.ui.state_exports import Form, draw_forms, mask_secrets, state_forms


def offer_exports(chosen: Chosen, pair: Pair, found: Comparison) -> None:
    """Draw the menu; a file is made when its button is pressed."""
    with st.popover("Export", icon=":material/download:"):
        masked = mask_secrets()
        about = (chosen, pair, found, masked)
        forms: list[Form] = [
            ("Diff as Markdown", "-diff.md", "text/markdown", partial(_markdown, *about)),
            ("Diff as CSV", "-diff.csv", "text/csv", partial(_csv, *about)),
            ("Diff as JSON", "-diff.json", "application/json", partial(_json, *about)),
        ]
        if pair.loose == Loose():
            # A patch is exact: what does not count would be missing in it.
            write = partial(_patch, *about)
            mime = "application/json-patch+json"
            forms.append(("JSON Patch (RFC 6902)", "-patch.json", mime, write))
        draw_forms(chosen, [*forms, *state_forms(chosen, masked)])


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

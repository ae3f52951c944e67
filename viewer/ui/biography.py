"""Answers what a field was over all steps of its lineage."""

from collections.abc import Mapping
from typing import Any

from viewer.analysis.biography import biography
from viewer.panels.find import biography_payload
from viewer.ui.chosen import Chosen


def life(chosen: Chosen, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the biography of the field at ``pointer`` of checkpoint ``index``.

    Raises:
        ViewerError: there is no such field, or no such state.
    """
    return biography_payload(biography(chosen.chain, int(args["index"]), str(args["pointer"])))

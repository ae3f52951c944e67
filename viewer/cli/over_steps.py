"""``show --search`` and ``show --biography``: one text, or one field, over all steps."""

import argparse
from typing import Any

from viewer.analysis.biography import biography
from viewer.analysis.search import Query, Search
from viewer.chain import Chain
from viewer.cli.selection import live_head
from viewer.errors import ViewerError
from viewer.reports.over_steps import biography_part, search_part

_APART = ("search", "biography", "field", "tasks", "csv")


def asked(chosen: argparse.Namespace) -> bool:
    """Return whether the command line asks for something over all steps.

    Raises:
        ViewerError: it asks for something else besides.
    """
    if chosen.search is None and (chosen.regex or chosen.match_case):
        raise ViewerError("--regex and --match-case go with --search")
    named = [f"--{name}" for name in _APART if getattr(chosen, name) not in (None, False)]
    if chosen.search is not None and chosen.checkpoint is not None:
        raise ViewerError("--search looks at every checkpoint: it goes without --checkpoint")
    wanted = chosen.search is not None or chosen.biography is not None
    if wanted and len(named) > 1:
        raise ViewerError(f"{' and '.join(named)} do not go together")
    return wanted


def parts(chosen: argparse.Namespace, chain: Chain) -> dict[str, Any]:
    """Return the part of the document that was asked for.

    Raises:
        ViewerError: the search cannot be run, or there is no such checkpoint or field.
    """
    if chosen.search is not None:
        query = Query(text=chosen.search, case=chosen.match_case, regex=chosen.regex)
        run = Search(chain, query)
        run.run()
        return {"search": search_part(run)}
    head = live_head(chain)
    index = head if chosen.checkpoint is None else chain.resolve(chosen.checkpoint)
    found = biography(chain, index, chosen.biography)
    return {"biography": biography_part(chain, index, chosen.biography, found)}

"""On public stores, what is found is what was looked at by hand and found to be right."""

from collections import Counter
from pathlib import Path

import pytest

from viewer.analysis.suspicions import suspicions
from viewer.sources import open_sources

PUBLIC = Path(__file__).parents[3] / "shared" / "real" / "langgraph"

JUDGED = {
    # Each new input replaces the conversation: the app asks for a name and forgets it.
    ("list_shrank", "test_session", "/messages"): 2,
    ("list_shrank", "weather_session", "/messages"): 2,
    ("list_shrank", "new_test", "/messages"): 2,
    ("list_shrank", "name_test7", "/messages"): 2,
    ("list_shrank", "name_test8", "/messages"): 2,
    # A run went on from an older checkpoint, and a second answer took the place of the first.
    ("wrong_parent", "new_test4", ""): 2,
    ("wrong_parent", "test_checkpoint", ""): 2,
    ("wrong_parent", "auto_2ff52282", ""): 2,
    # A second game's first node returns the history that it was given, and the reducer appends it.
    ("duplicated_entries", "auto_match_v5", "/history/2"): 1,
}
"""Keyword, thread and pointer; hirokts' store is there in two versions."""


@pytest.mark.skipif(not PUBLIC.is_dir(), reason="the public stores are not here")
def test_every_finding_on_public_stores_was_judged():
    sources, problems = open_sources((PUBLIC,))
    assert problems == ()
    found = Counter(
        (finding.keyword, ref.thread_id, finding.pointer)
        for source in sources
        for ref in source.threads
        for finding in suspicions(source.chain(ref))
    )
    assert found == JUDGED

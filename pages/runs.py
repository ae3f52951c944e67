"""Every thread of every source: where each one stands; a click opens it."""

import streamlit as st

from viewer.ui import exports, filters, overview
from viewer.ui.frame import frame_without_thread
from viewer.ui.judging import FIRST_SECONDS, Listing, go_on, show_progress
from viewer.ui.page import enter_all
from viewer.ui.troubles import show_unopened

sources, unopened = enter_all(__file__)
filters.recall()
listing = Listing(sources)
listing.fill(FIRST_SECONDS)
everything = listing.rows
threads = sum(not row["nested"] for row in everything)
opened = f"{len(sources)} source" + ("s" if len(sources) != 1 else "")
frame_without_thread("Runs", [opened, f"{threads:,} thread" + ("s" if threads != 1 else "")])
show_unopened(unopened)
if not everything:
    st.info(
        "The sources that are open hold no thread. Start again with another SOURCE; "
        "`checkpoint-viewer identify SOURCE` says what a place is taken for.",
        title="Nothing to show",
    )
    st.stop()

rows, shown = filters.bar(everything, overview.wrap_switch)
line = show_progress(listing)
if shown:
    overview.show_first(sources, shown)
    overview.show_table(shown)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"{len(shown):,} of {len(rows):,} threads. Click a row to open it on the Timeline, its "
            "why to read it whole. A column's head sorts."
        )
        exports.download("threads", "runs", lambda: exports.of_runs(shown))
else:
    filters.nothing_passes()
go_on(listing, line)

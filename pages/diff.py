"""What changed between two states, beside what the model was shown."""

from viewer.panels.diff3 import diff_payload
from viewer.ui.bases import swap
from viewer.ui.comparison import compare
from viewer.ui.diff_exports import offer_exports
from viewer.ui.page import open_page
from viewer.ui.pair import pick_pair
from viewer.ui.panels import diff3
from viewer.ui.selection import for_panel

chosen = open_page(__file__)
pair = pick_pair(chosen)
found = compare(chosen, pair)
asked = diff3.show(
    diff_payload(found.changes, **found.payload(chosen, pair.base), panel=for_panel()),
    key="diff3",
)
with pair.exports:
    offer_exports(chosen, pair, found)
if asked.action == "swap":
    swap(chosen, pair.base, pair.sources)

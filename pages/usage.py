"""What the model calls of a run cost: per step, by node and by model, and which field grows."""

from viewer.ui import cached_usage
from viewer.ui.amounts import TABS, choice, totals_row
from viewer.ui.page import open_page
from viewer.ui.spending import show_fields, show_groups, show_steps

chosen = open_page(__file__)
report = cached_usage.spent(chosen.source, chosen.ref)
totals_row(report)
shown, row = choice(report, timed=any(c.created_at for c in chosen.chain.checkpoints))
if shown.tab == TABS[0]:
    show_steps(chosen, report, shown, row)
elif shown.tab == TABS[1]:
    show_fields(chosen)
else:
    show_groups(chosen, report)

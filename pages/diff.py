"""What changed between two checkpoints, beside what the model was shown."""

import streamlit as st

from viewer.analysis.observe import observe, shown_instead, verdict
from viewer.analysis.written import written_between
from viewer.panels.diff3 import diff_payload
from viewer.ui.checkpoint import changes_that_count, say_gap, title
from viewer.ui.page import open_page
from viewer.ui.pair import pick_pair
from viewer.ui.panels import diff3

chosen = open_page(__file__)
loose = pick_pair(chosen)
chain = chosen.chain
if chosen.base is None:
    st.info(
        "This checkpoint has no parent. Choose a base above, or step on with → or j.",
        title="Nothing to compare with",
    )
    st.stop()
if not (chain.checkpoints[chosen.base].has_state and chain.checkpoints[chosen.target].has_state):
    st.warning("One of the two checkpoints is listed without a state; choose another.")
    st.stop()

say_gap(chosen)
changes = changes_that_count(chosen, loose)
observation = observe(chain, chosen.target)
diff3.show(
    diff_payload(
        changes,
        base_title=title(chain, chosen.base),
        target_title=title(chain, chosen.target),
        target=chain.state(chosen.target),
        observation=(observation.kind, observation.value),
        why=observation.why,
        verdicts=[verdict(chain, change, observation) for change in changes],
        seen=[shown_instead(chain, change, observation) for change in changes]
        if observation.calls is not None
        else (),
        profile=chain.profile,
        written=written_between(chain, chosen.base, chosen.target),
    ),
    key="diff3",
)

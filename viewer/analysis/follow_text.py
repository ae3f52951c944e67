"""Any text followed like an identifier, for a chain whose profile declares none."""

import re
from dataclasses import replace

from viewer.chain import Chain
from viewer.errors import SelectionError
from viewer.profiles.sections import Grounding

LONGEST = 200


def following(chain: Chain, text: str) -> Chain:
    """Return ``chain`` with ``text``, exactly as it is, among its profile's identifiers.

    Raises:
        SelectionError: the text is empty or longer than 200 characters.
    """
    if not text.strip() or len(text) > LONGEST:
        raise SelectionError(f"a text to follow has 1 to {LONGEST} characters")
    file = chain.profile.file
    rules = file.grounding or Grounding()
    wider = rules.model_copy(update={"identifiers": (*rules.identifiers, re.escape(text))})
    profile = replace(chain.profile, file=file.model_copy(update={"grounding": wider}))
    return replace(chain, profile=profile)

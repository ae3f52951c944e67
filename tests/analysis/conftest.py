from collections.abc import Callable
from typing import Any

import pytest

from viewer.chain import Chain, assemble
from viewer.model import MISSING, NO_SIDECARS, Record, Sidecars, Thread, ThreadRef
from viewer.pointer import pattern
from viewer.profiles import Profile, ProfileFile, Projection, load_profile

MakeChain = Callable[..., Chain]
MakeProfile = Callable[..., Profile]


@pytest.fixture
def make_profile() -> MakeProfile:
    """Return a function that makes a profile from the sections of a profile.toml."""

    def make(**sections: Any) -> Profile:
        named = {"name": "made", "title": "Made", "version": "1", **sections}
        file = ProfileFile.model_validate(named)
        shown = file.projection or Projection()
        return Profile(
            file=file,
            state_schema=None,
            memory_schema=None,
            task_schema=None,
            lists=(),
            noise=(),
            owners=(),
            planes=(),
            legal={},
            include=tuple(pattern(p) for p in shown.include),
            exclude=tuple(pattern(p) for p in shown.exclude),
            optional=tuple(pattern(p) for p in shown.optional),
        )

    return make


@pytest.fixture
def make_chain() -> MakeChain:
    """Return a function that makes a chain c0, c1 … of states (MISSING: none can be read)."""

    def make(
        *states: Any,
        profile: str | Profile = "plain",
        parents: tuple[int | str | None, ...] | None = None,
        sidecars: Sidecars = NO_SIDECARS,
        **fields: Any,
    ) -> Chain:
        records = []
        for i, state in enumerate(states):
            parent: Any = MISSING if parents is None else parents[i]
            records.append(
                Record(
                    place=f"c{i}",
                    made_id=f"c{i}",
                    checkpoint_id=f"c{i}",
                    state=state,
                    parent_id=f"c{parent}" if isinstance(parent, int) else parent,
                    **{name: values[i] for name, values in fields.items()},
                )
            )
        thread = Thread(ref=ThreadRef(thread_id="t"), records=tuple(records), sidecars=sidecars)
        chosen = load_profile(profile) if isinstance(profile, str) else profile
        return assemble("s", "r", thread, chosen)

    return make

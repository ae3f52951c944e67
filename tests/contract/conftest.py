"""Opens the sample runs as a user does, and reads what each says of itself."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

SAMPLES = Path(__file__).parents[2] / "sample_runs"


class Sample(NamedTuple):
    """One folder of sample_runs, opened."""

    folder: Path
    about: dict[str, Any]
    source: Any
    chains: tuple[Any, ...]

    @property
    def expect(self) -> dict[str, Any]:
        return self.about["expect"]

    @property
    def main(self) -> Any:
        """The root chain of the only thread."""
        roots = [chain for chain in self.chains if not chain.namespace]
        assert len(roots) == 1
        return roots[0]


@pytest.fixture(scope="session")
def samples() -> Path:
    return SAMPLES


@pytest.fixture(scope="session")
def sample() -> Callable[[str], Sample]:
    """Opens the sample run of that name; each is opened once."""
    opened: dict[str, Sample] = {}

    def opening(name: str) -> Sample:
        if name not in opened:
            opened[name] = _open(SAMPLES / name)
        return opened[name]

    return opening


def _open(folder: Path) -> Sample:
    from viewer.sources import open_sources

    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    sources, problems = open_sources((folder,))
    assert problems == ()
    assert len(sources) == 1
    chains = tuple(sources[0].chain(ref) for ref in sources[0].threads)
    return Sample(folder, about, sources[0], chains)

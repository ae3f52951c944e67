"""The stores of public repositories; the handed cases are in ``tests/cases``."""

from pathlib import Path

import pytest

from viewer.sources import open_source, open_sources

SHARED = Path(__file__).parents[3] / ".." / "shared"
REAL = SHARED / "real"
needs_real = pytest.mark.skipif(not REAL.is_dir(), reason="../shared/real is absent")
PUBLIC = sorted(
    str(p.relative_to(REAL))
    for p in (REAL / "langgraph").rglob("*")
    if p.suffix in (".db", ".sqlite")
)


@needs_real
@pytest.mark.parametrize("name", PUBLIC)
def test_every_checkpoint_of_a_public_store_has_a_state_and_a_status(name: str) -> None:
    source = open_source(REAL / name)
    assert source.reader.name == "langgraph-sqlite"
    assert source.problems == ()
    assert source.threads
    for ref in source.threads:
        chain = source.chain(ref)
        assert len(chain.checkpoints) == ref.checkpoints
        assert all(c.has_state and c.status for c in chain.checkpoints)
        assert chain.problems == ()


@needs_real
def test_a_public_folder_with_a_wal_alone_is_told_what_is_missing() -> None:
    (folder,) = (REAL / "langgraph-wal-only").iterdir()
    sources, (problem,) = open_sources((folder,))
    assert sources == ()
    assert "checkpoints.db is needed beside it" in problem.reason

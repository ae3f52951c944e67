"""The stores of public repositories: each checkpoint's values are those the real saver gives."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from viewer.sources import open_source

REAL = Path(__file__).parents[3] / ".." / "shared" / "real" / "langgraph"
LISTED = Path(__file__).parents[2] / "data" / "langgraph" / "make" / "listed.py"
PUBLIC = sorted(
    str(path.relative_to(REAL)) for path in REAL.rglob("*") if path.suffix in (".db", ".sqlite")
)
needs_real = pytest.mark.skipif(not PUBLIC, reason="../shared/real/langgraph is absent")


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A copy of each store with its write-ahead log, which the saver may change."""
    found = {}
    for number, name in enumerate(PUBLIC):
        folder = tmp_path_factory.mktemp(f"store{number}")
        for end in ("", "-wal"):
            part = REAL / f"{name}{end}"
            if part.exists():
                shutil.copyfile(part, folder / f"{part.name}")
        found[name] = folder / Path(name).name
    return found


@pytest.fixture(scope="module")
def listed(copies: dict[str, Path]) -> dict[str, Any]:
    """What the saver lists of each store, by a process of its own that makes no object they name."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", LISTED, *copies.values()],
        env={**os.environ, "LANGGRAPH_STRICT_MSGPACK": "true"},
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(zip(copies, json.loads(done.stdout), strict=True))


@needs_real
@pytest.mark.parametrize("name", PUBLIC)
def test_each_checkpoint_has_the_values_that_the_saver_lists(
    name: str, listed: dict[str, Any], without_classes: Any
) -> None:
    source = open_source(REAL / name)
    own = {}
    for ref in source.threads:
        chain = source.chain(ref)
        for one in chain.checkpoints:
            own[ref.thread_id, ref.namespace, one.checkpoint_id] = chain.state(one.index)
    told = {(thread, namespace, at): values for thread, namespace, at, values in listed[name]}
    assert own.keys() == told.keys()
    for key, values in told.items():
        assert without_classes(own[key]) == without_classes(values), key

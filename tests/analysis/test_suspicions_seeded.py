"""Ten correct runs of ten small apps raise no alarm: not in their threads, not in their subgraphs."""

from pathlib import Path
from typing import Any

import pytest

from tests.seeded.catalogue import APPS, make
from viewer.analysis.roots import roots
from viewer.analysis.why import why
from viewer.sources import open_source


@pytest.fixture(scope="module")
def good_runs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The store of each app's correct variant, made once."""
    folder = tmp_path_factory.mktemp("good")
    for app in APPS:
        make(app, None, folder / f"{app}.sqlite")
    return folder


@pytest.mark.parametrize("app", APPS)
def test_a_correct_run_raises_no_alarm(good_runs: Path, app: str):
    source = open_source(good_runs / f"{app}.sqlite")
    threads: dict[str, dict[str, Any]] = {}
    for ref in source.threads:
        threads.setdefault(ref.thread_id, {})[ref.namespace] = source.chain(ref)
    answers = [
        why(root, {space: chain for space, chain in chains.items() if chain is not root})
        for chains in threads.values()
        for root in roots(chains)
    ]
    assert answers
    assert [(f.keyword, f.message) for one in answers for f in one.findings] == []
    assert [one.sentence for one in answers if not one.sentence.startswith("Done at step")] == []

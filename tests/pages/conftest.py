import functools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]
Open = Callable[..., AppTest]


@pytest.fixture(scope="session", autouse=True)
def _installed_packages_are_read_once() -> Iterator[None]:
    """AppTest looks for components in every installed package, anew for each session: 0.2 s."""
    with pytest.MonkeyPatch.context() as patch:
        found = functools.cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", found)
        yield


@pytest.fixture
def open_app(monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Return a function that runs a page on sources: ``open_app("diff", "T-80001", thread=…)``.

    A source is a sample run's name or a path; the rest become the address.
    """

    def run(page: str, *sources: str | Path, **address: str) -> AppTest:
        places = [ROOT / "sample_runs" / s if isinstance(s, str) else s for s in sources]
        monkeypatch.setenv("CHECKPOINT_VIEWER_SOURCES", os.pathsep.join(map(str, places)))
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        for name, value in address.items():
            app.query_params[name] = value
        app.switch_page(f"pages/{page}.py")
        return app.run()

    yield run
    st.cache_resource.clear()

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]
Open = Callable[..., AppTest]


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

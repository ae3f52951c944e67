"""Files written for one test."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from viewer.chain import Chain
from viewer.sources import Source, open_source

Put = Callable[[str, Any], Path]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Write a file under the test's folder: bytes as they are, text as UTF-8, else as JSON."""

    def write(name: str, content: Any) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not isinstance(content, bytes):
            text = content if isinstance(content, str) else json.dumps(content)
            content = text.encode()
        path.write_bytes(content)
        return path

    return write


@pytest.fixture
def opened() -> Callable[..., tuple[Source, Chain]]:
    """Open a place with one thread and return source and chain."""

    def read(path: Path, **options: Any) -> tuple[Source, Chain]:
        source = open_source(path, **options)
        (ref,) = source.threads
        return source, source.chain(ref)

    return read

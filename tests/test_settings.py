import os
import tomllib

import pytest

from viewer.errors import ViewerError
from viewer.settings import bundle, settings


def test_sources_are_separated_as_path_entries_are() -> None:
    found = settings({"CHECKPOINT_VIEWER_SOURCES": os.pathsep.join(["/a", "/b c"])})
    assert found.sources == ("/a", "/b c")


def test_sources_with_a_colon_travel_as_a_json_array() -> None:
    assert settings({"CHECKPOINT_VIEWER_SOURCES": '["/a:b", "/c"]'}).sources == ("/a:b", "/c")


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann:hid@db:1/runs?a=b:c",
        "postgres://db/x",
        "postgresql:",
        "postgresql+psycopg://",
    ],
)
def test_the_address_of_a_database_stands_last_among_paths(address: str) -> None:
    assert settings({"CHECKPOINT_VIEWER_SOURCES": address}).sources == (address,)
    found = settings({"CHECKPOINT_VIEWER_SOURCES": os.pathsep.join(["/a", "/b", address])})
    assert found.sources == ("/a", "/b", address)
    assert address not in repr(found)


def test_a_broken_array_is_named() -> None:
    with pytest.raises(ViewerError, match="SOURCES is no JSON array"):
        settings({"CHECKPOINT_VIEWER_SOURCES": "[oops"})


def test_a_limit_comes_from_the_environment() -> None:
    assert settings({"CHECKPOINT_VIEWER_LIMIT_DEPTH": "7"}).limits.depth == 7


@pytest.mark.parametrize("bad", ["0", "-1", "x", ""])
def test_a_limit_that_is_no_positive_integer_is_named(bad: str) -> None:
    with pytest.raises(ViewerError, match="CHECKPOINT_VIEWER_LIMIT_DEPTH"):
        settings({"CHECKPOINT_VIEWER_LIMIT_DEPTH": bad})


def test_bundle_holds_app_pages_schemas_and_samples() -> None:
    names = {path.name for path in bundle().iterdir()}
    assert {"app.py", "pages", "schemas", "sample_runs"} <= names


def test_the_browser_is_told_to_keep_no_messages() -> None:
    """A kept message is sent as its hash; overlapping runs may ask for one that is gone."""
    config = tomllib.loads((bundle() / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    largest = 200 * 1024 * 1024
    assert config["global"]["minCachedMessageSize"] > largest

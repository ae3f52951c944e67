"""Pages on data and addresses that want to break them: never an exception box."""

import json
from pathlib import Path
from typing import Any

import pytest

STEMS = [page.stem for page in sorted((Path(__file__).parents[2] / "pages").glob("*.py"))]
HALF = "\ud800"
TURNED = "\u202e\x1b[31m"


def wrapped(name: str, number: int) -> dict[str, Any]:
    message = {
        "role": name,
        "content": name,
        "tool_calls": [{"name": name, "args": {name: name}}],
    }
    return {
        "checkpoint_id": f"{name}{number}",
        "thread_id": name,
        "namespace": name,
        "node": name,
        "origin": name,
        "state": {"status": name, name: f"{name}{number}", "messages": [message]},
    }


@pytest.fixture
def source(tmp_path: Path) -> Any:
    """Return a function that writes checkpoints as one JSON file."""

    def write(*checkpoints: Any) -> Path:
        path = tmp_path / "run.json"
        path.write_text(json.dumps(checkpoints))
        return path

    return write


@pytest.mark.parametrize("page", STEMS)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(HALF, id="half a surrogate pair"),
        pytest.param(TURNED, id="escapes and direction marks"),
        pytest.param("x" * 50_000, id="very long"),
    ],
)
def test_names_of_any_kind_are_shown(open_app: Any, source: Any, page: str, name: str) -> None:
    assert not open_app(page, source(wrapped(name, 0), wrapped(name, 1))).exception


def test_a_file_name_that_is_no_text_is_shown(open_app: Any, tmp_path: Path) -> None:
    folder = tmp_path / "run\udcff"
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this file system takes names of text only")
    (folder / "1\udcff.json").write_text('{"a": 1}')
    for page in STEMS:
        assert not open_app(page, folder).exception


def test_threads_that_look_alike_can_each_be_chosen(open_app: Any, source: Any) -> None:
    path = source(
        *(
            {"thread_id": name, "state": {"n": number}}
            for number, name in enumerate((HALF, "\\ud800"))
        )
    )
    options = open_app("timeline", path).selectbox(key="pick_thread").options
    assert options == ["\\ud800", "\\ud800 (2)"]


@pytest.mark.parametrize("step", ["9" * 400, "-" + "9" * 4000, str(2**63)])
def test_steps_that_no_column_of_numbers_holds_are_shown(
    open_app: Any, tmp_path: Path, step: str
) -> None:
    path = tmp_path / "run.json"
    path.write_text(f'[{{"step": {step}, "state": {{"a": 1}}}}, {{"step": 1, "state": {{}}}}]')
    for page in ("usage", "violations", "timeline", "resume"):
        assert not open_app(page, path).exception


@pytest.mark.parametrize(
    "address",
    [
        pytest.param({"checkpoint": "@999999999999"}, id="an index far too large"),
        pytest.param({"checkpoint": "@" + "9" * 5000}, id="an index too long to convert"),
        pytest.param({"checkpoint": "@\u0663"}, id="another script's digit"),
        pytest.param({"base": "bad"}, id="no such base"),
        pytest.param({"gate": "<script>"}, id="no such gate"),
        pytest.param({"namespace": "weird\n"}, id="no such namespace"),
    ],
)
def test_an_address_that_means_nothing_falls_back(open_app: Any, address: dict[str, str]) -> None:
    for page in ("timeline", "violations"):
        app = open_app(page, "T-80001", **address)
        assert not app.exception
        assert app.selectbox(key="pick_thread").value == "T-80001"


@pytest.mark.parametrize(
    "address",
    [
        pytest.param({"source": "../../etc/passwd"}, id="a path as source"),
        pytest.param({"source": "x" * 10_000}, id="long source"),
        pytest.param({"thread": "<script>"}, id="markup as thread"),
    ],
)
def test_an_address_of_nothing_open_reads_nothing(open_app: Any, address: dict[str, str]) -> None:
    for page in ("timeline", "violations"):
        app = open_app(page, "T-80001", **address)
        assert not app.exception
        assert len(app.error) == 1

"""``report`` writes one file that needs nothing else and holds no secret."""

import json
import re
from pathlib import Path

import jsonschema
import pytest

from viewer.panels.titles import checkpoint_title
from viewer.sources import open_source

SECRET = "sk-proj-" + "Zx9Qw7" * 5


@pytest.fixture
def leaky(tmp_path: Path) -> Path:
    """A chain with one secret in every kind of place, and markup in keys and values."""
    place = tmp_path / "leaky.jsonl"
    states = [
        {"status": "running", "step": 0, "<script>alert(1)</script>": "</script><img src=x>"},
        {
            "status": "running",
            "step": 1,
            "api_key": "plainwordsecret",
            "note": f"call it with {SECRET}",
            "body": json.dumps({"password": "insidejson"}),
            SECRET: {"headers": {"Authorization": "Bearer abcdefghijklmnopqrst"}},
            "messages": [{"role": "user", "content": f"my key is {SECRET}"}],
        },
    ]
    place.write_text("\n".join(json.dumps(state) for state in states))
    return place


def told(text: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="told">(.*?)</script>', text, re.S)
    assert found is not None
    held: dict[str, object] = json.loads(found[1])
    return held


def test_the_file_holds_diffs_digests_and_no_request(cli, root, tmp_path: Path) -> None:
    to = tmp_path / "report.html"
    result = cli("report", root / "sample_runs" / "T-80001", "--to", to, "--json")
    schema = json.loads((root / "schemas" / "cli" / "report.schema.json").read_text())
    jsonschema.validate(result.document, schema)
    assert result.code == 0
    text = to.read_text(encoding="utf-8")
    assert result.document["bytes"] == to.stat().st_size
    diffs = told(text)["diffs"]
    assert set(diffs) == {"0", "1", "2", "3"}
    # A checkpoint is called as it is in the app.
    source = open_source(root / "sample_runs" / "T-80001")
    chain = source.chain(source.threads[0])
    assert diffs["3"]["target"] == checkpoint_title(chain, 3)
    assert diffs["3"]["target"].endswith(str(chain.checkpoints[3].status))
    # One digest a checkpoint; that of the last one is what the README of digests promises.
    assert len(re.findall(r"sha256:[0-9a-f]{64}", text)) == 4
    assert not re.search(r"""(?:src|href)=|url\(|https?://(?!www\.w3\.org)""", text)
    assert "default-src 'none'" in text


def test_no_secret_and_no_markup_of_the_data_is_in_it(cli, leaky: Path, tmp_path: Path) -> None:
    to = tmp_path / "report.html"
    assert cli("report", leaky, "--to", to).code == 0
    text = to.read_text(encoding="utf-8")
    for secret in (SECRET, "plainwordsecret", "insidejson", "abcdefghijklmnopqrst"):
        assert secret not in text
    assert "[masked " in text
    assert "<img" not in text
    assert "alert(1)</script>" not in text


def test_chosen_checkpoints_alone_are_in_it(cli, root, tmp_path: Path) -> None:
    to = tmp_path / "report.html"
    source = root / "sample_runs" / "T-80001"
    cli("report", source, "--to", to, "--checkpoint", "@1", "--checkpoint", "head")
    text = to.read_text(encoding="utf-8")
    assert set(told(text)["diffs"]) == {"1", "3"}
    assert len(re.findall(r"sha256:[0-9a-f]{64}", text)) == 2


def test_only_a_report_is_written_over(cli, root, tmp_path: Path) -> None:
    source, to = root / "sample_runs" / "T-80001", tmp_path / "report.html"
    precious = tmp_path / "precious.sqlite"
    precious.write_bytes(b"SQLite format 3\0")
    refused = cli("report", source, "--to", precious)
    assert refused.code == 2
    assert "exists and is no report" in refused.err
    assert precious.read_bytes() == b"SQLite format 3\0"
    assert cli("report", source, "--to", to).code == 0
    assert cli("report", source, "--to", to).code == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["precious.sqlite", "report.html"]

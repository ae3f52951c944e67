"""What is shown of a database's address, and what never is."""

from pathlib import Path

import pytest

from viewer.sources.dsn import Dsn, locate


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PGHOST", "PGPORT", "PGUSER", "PGPASSWORD", "PGDATABASE", "PGSERVICE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param(
            "postgresql://ann:hidden@db.example/runs", "postgresql:db.example/runs", id="whole"
        ),
        pytest.param(
            "postgres://ann:hidden@db.example/runs", "postgresql:db.example/runs", id="short"
        ),
        pytest.param("postgresql+psycopg://ann@db/runs", "postgresql:db/runs", id="with a driver"),
        pytest.param("POSTGRESQL://ann@db/runs", "postgresql:db/runs", id="capitals"),
        pytest.param("postgresql://db:5432/runs", "postgresql:db/runs", id="usual port"),
        pytest.param("postgresql://db:6543/runs", "postgresql:db:6543/runs", id="other port"),
        pytest.param("postgresql://ann@[::1]:6543/runs", "postgresql:[::1]:6543/runs", id="IPv6"),
        pytest.param("postgresql:///runs?host=/var/run", "postgresql:/runs", id="local socket"),
        pytest.param("postgresql://db", "postgresql:db/", id="no database"),
        pytest.param(
            "postgresql://db/runs?password=hidden&user=ann", "postgresql:db/runs", id="query"
        ),
        pytest.param(
            "postgresql://ann:hi@dden@db/runs", "postgresql:db/runs", id="@ in a password"
        ),
        pytest.param(
            "postgresql://ann:hi/dden@db/runs", "postgresql:db/runs", id="/ in a password"
        ),
        pytest.param("postgresql://ann:12/dden@db/runs", "postgresql:db/runs", id="/ after digits"),
        pytest.param("postgresql://ann:hid%zzden@db/runs", "postgresql:", id="not an address"),
        pytest.param("postgresql://", "postgresql:", id="all from the environment"),
        pytest.param("postgresql:", "postgresql:", id="the word alone"),
        pytest.param("postgresql:db/runs", "postgresql:db/runs", id="a name is an address"),
        pytest.param("postgresql:/runs", "postgresql:/runs", id="a local name is one too"),
    ],
)
def test_an_address_is_shown_without_what_is_secret(text: str, name: str) -> None:
    found = locate(text)
    assert isinstance(found, Dsn)
    assert (str(found), found.name) == (name, name)
    assert all(secret not in repr(found) for secret in ("ann", "hidden", "dden", "hid", "12"))


def test_the_environment_names_what_the_address_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGHOST", "db")
    monkeypatch.setenv("PGDATABASE", "runs")
    monkeypatch.setenv("PGUSER", "ann")
    monkeypatch.setenv("PGPASSWORD", "hidden")
    assert str(locate("postgresql:")) == "postgresql:db/runs"
    assert str(locate("postgresql://other")) == "postgresql:other/runs"


def test_text_about_a_database_is_scrubbed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "p(1)")
    found = locate("postgresql://ann:a@db/runs?sslpassword=key")
    assert isinstance(found, Dsn)
    said = 'no "ann" with a, key or postgresql://ann:a@db/runs?sslpassword=key in banner'
    assert found.scrubbed(said) == 'no "…" with …, … or … in banner'


def test_addresses_under_one_name_are_told_apart() -> None:
    one, other = locate("postgresql://ann@db/runs"), locate("postgresql://bob@db/runs")
    assert isinstance(one, Dsn)
    assert isinstance(other, Dsn)
    assert one != other
    assert one.name == other.name
    assert one.digest != other.digest
    assert one == locate("postgres://ann@db/runs")


@pytest.mark.parametrize("text", ["runs", "a/postgresql", "postgresql", "x:postgresql:"])
def test_anything_else_is_a_path(text: str) -> None:
    assert locate(text) == Path(text)

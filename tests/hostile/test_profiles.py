"""Profiles that want to hang or crash the program, or to read what is not theirs."""

import os
from pathlib import Path

import pytest

from viewer.errors import ProfileError
from viewer.profiles import load_profile

PLAIN = (Path(__file__).parents[2] / "schemas" / "plain" / "profile.toml").read_text()


def test_a_number_too_long_is_named(tmp_path: Path) -> None:
    (tmp_path / "profile.toml").write_text(f"version = {'9' * 5000}")
    with pytest.raises(ProfileError, match="a number is too long"):
        load_profile(tmp_path)


@pytest.mark.parametrize("name", ["profile.toml", "state.schema.json"])
def test_a_pipe_is_refused_without_waiting(tmp_path: Path, name: str) -> None:
    if name != "profile.toml":
        (tmp_path / "profile.toml").write_text(f'{PLAIN}\n[schema]\nstate = "{name}"\n')
    os.mkfifo(tmp_path / name)
    with pytest.raises(ProfileError, match="not a regular file"):
        load_profile(tmp_path)


def test_a_schema_may_not_be_a_link_out_of_the_profile(tmp_path: Path) -> None:
    folder, other = tmp_path / "profile", tmp_path / "other.json"
    folder.mkdir()
    other.write_text("{}")
    (folder / "profile.toml").write_text(f'{PLAIN}\n[schema]\nstate = "state.json"\n')
    (folder / "state.json").symlink_to(other)
    with pytest.raises(ProfileError, match="must stand beside the profile"):
        load_profile(folder)

"""A training run's directory is tied to the settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from calculus_harness.harness.core.errors import RunError
from calculus_harness.harness.training.settings_file import write_settings


def test_a_directory_is_for_one_set_of_settings(tmp_path: Path) -> None:
    write_settings(tmp_path / "out", "settings.json", {"seed": 0})
    write_settings(tmp_path / "out", "settings.json", {"seed": 0})
    with pytest.raises(RunError, match="other settings"):
        write_settings(tmp_path / "out", "settings.json", {"seed": 1})
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").touch()
    with pytest.raises(RunError, match="other files"):
        write_settings(tmp_path / "mine", "settings.json", {"seed": 0})


def test_a_place_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="cannot write"):
        write_settings(tmp_path / "file" / "out", "settings.json", {})

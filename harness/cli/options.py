"""What options of several commands have in common, and settings that come from files."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path

import click

from ..core.errors import UserError, suggest

PRESETS = Path(__file__).parents[1] / "presets"

model_options_option = click.option(
    "-M",
    "--model-option",
    "model_options",
    multiple=True,
    metavar="KEY=VALUE",
    help="Option of the models; repeatable. `ls models` lists them.",
)


def key_values(settings: Iterable[str], flag: str) -> dict[str, str]:
    """What a repeatable ``flag KEY=VALUE`` says; of a key that comes twice the last."""
    pairs = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key:
            raise UserError(f"{flag} takes KEY=VALUE, not {setting!r}")
        pairs[key] = value
    return pairs


def preset_file(name: str) -> Path:
    """The settings of a preset, a file like those for ``--config``."""
    path = Path(str(PRESETS / f"{name}.toml"))
    if not path.is_file():
        known = [entry.name[: -len(".toml")] for entry in PRESETS.iterdir()]
        raise UserError(f"no preset {name!r}; {suggest(name, known)}")
    return path


def plain_warnings() -> None:
    """Print warnings as one line each."""
    warnings.formatwarning = lambda message, *_, **__: f"warning: {message}\n"

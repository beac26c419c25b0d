"""What options of several commands have in common."""

from __future__ import annotations

from collections.abc import Iterable

import click

from harness.errors import UserError

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

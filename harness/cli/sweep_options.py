"""Options about questions to models, shared by `sweep` and `search`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ...rewards.records import plain
from ..run.spec import COMMAND_LINE_ONLY, SweepSpec
from .options import key_values, together

_DEFAULTS = plain(SweepSpec((), ()))
_DEFAULTS |= _DEFAULTS["sampling"]


def setting(*flags: str, **attributes: Any) -> Callable[[Any], Any]:
    """An option of a sweep; `SweepSpec` has the default, shown by ``--help``."""
    default = _DEFAULTS.get(flags[-1].lstrip("-").replace("-", "_"))
    shown_default = str(default) if default and type(default) is not list else None
    return click.option(*flags, show_default=shown_default or False, **attributes)


#: How to sample from models, and where a completion ends.
sampling_options = together(
    setting("--temperature", type=click.FloatRange(0)),
    setting("--top-p", type=click.FloatRange(0, 1, min_open=True)),
    setting("--top-k", type=int, help="Sample among the K likeliest tokens only."),
    setting("--min-p", type=float, help="Leave out tokens below this share of the likeliest."),
    setting("--grouped", is_flag=True, help="All samples of a problem in one request."),
    setting("--max-tokens", type=click.IntRange(1)),
    setting("--stop", multiple=True, metavar="TEXT", help="Ends a completion; repeatable."),
)


#: What stands before a problem.
prompt_options = together(
    setting("--prompt", metavar="NAME|FILE.jinja", help="Template; by default the task's own."),
    setting(
        "--num-fewshot",
        type=click.IntRange(0),
        help="Worked examples in the prompt, for templates that show any.",
    ),
    setting(
        "--system-message",
        metavar="TEXT",
        help="A system message before the prompt's other messages.",
    ),
)
#: What answers may cost.
cost_options = together(
    setting(
        "--prices",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="TOML file of dollars per million tokens by model.",
    ),
    setting(
        "--max-cost",
        type=click.FloatRange(0, min_open=True),
        metavar="DOLLARS",
        help="Stop when the models' answers in the run, earlier ones too, cost so much; a larger "
        "limit goes on.",
    ),
    setting(
        "--max-tokens-total",
        type=click.IntRange(1),
        metavar="TOKENS",
        help="Stop when their prompts and completions together have so many tokens.",
    ),
)


def given_settings(ctx: click.Context) -> dict[str, Any]:
    """The settings from the command line, named like the flags."""
    settings: dict[str, Any] = {}
    for option in ctx.command.params:
        name = max(option.opts, key=len).lstrip("-")
        source = ctx.get_parameter_source(option.name or "")
        if source is ParameterSource.COMMANDLINE and name not in COMMAND_LINE_ONLY:
            settings[name] = plain(ctx.params[option.name or ""])
    if "model-option" in settings:
        settings["model-option"] = key_values(settings["model-option"], "-M")
    return settings

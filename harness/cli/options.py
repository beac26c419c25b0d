"""Options shared by several commands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, TypeAlias, get_args

import click
from click.core import ParameterSource

from ...rewards.arguments import Acceptance, Method
from ...rewards.workers.cluster import use_cluster
from ...rewards.workers.errors import PoolError
from ..core.errors import UserError, suggest
from ..core.policy import AnswerFormat
from ..core.wording import counted

PRESETS = Path(__file__).parents[1] / "presets"

Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]


def together(*options: Decorator) -> Decorator:
    """Several options as a single decorator; ``--help`` shows the options in the same order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


model_options_option = click.option(
    "-M",
    "--model-option",
    "model_options",
    multiple=True,
    metavar="KEY=VALUE",
    help="Option of the models; repeatable. `ls models` lists them.",
)

policy_option = click.option(
    "--policy", help="Verdicts to take, by name; by default the latest complete of all runs."
)
prices_option = click.option(
    "--prices",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="TOML file of dollars per million tokens by model: shows what answers cost.",
)
workers_option = click.option(
    "--workers", type=click.IntRange(1), help="Processes; by default one for each core."
)
json_option = click.option("--json", "as_json", is_flag=True, help="JSON on stdout.")
answer_format_option = click.option(
    "--answer-format",
    default="latex",
    show_default=True,
    type=click.Choice(get_args(AnswerFormat)),
    help="Notation of answers: LaTeX in text, or nothing but prefix tokens.",
)

cluster_option = click.option(
    "--cluster",
    metavar="ray[:ADDRESS]",
    help="Let a Ray cluster do the work of this machine's cores; without an address, the cluster "
    "of RAY_ADDRESS, or a local one.",
)


def cluster_address(name: str) -> str | None:
    """The address in the value of ``--cluster``; None without an address."""
    backend, _, address = name.partition(":")
    if backend != "ray":
        raise UserError(f"--cluster takes ray or ray:ADDRESS, not {name!r}")
    return address or None


@contextmanager
def on_cluster(name: str | None) -> Iterator[None]:
    """The cluster of `cluster_option`, for the work inside.

    Raises:
        UserError: unknown or unusable cluster.

    """
    if name is None:
        yield
        return
    address = cluster_address(name)
    with ExitStack() as stack:
        try:
            cluster = stack.enter_context(use_cluster(address))
        except PoolError as error:
            raise UserError(str(error)) from None
        click.echo(f"{counted(cluster.size, 'worker')} on the cluster", err=True)
        # Ray prints messages about workers that die to stdout, where only results go.
        stack.enter_context(redirect_stdout(sys.stderr))
        yield


#: How strictly to judge.
policy_options = together(
    answer_format_option,
    click.option("--strict", is_flag=True, help="Only a boxed answer is an answer."),
    click.option(
        "--strict-domain",
        is_flag=True,
        help="F' = f with principal branches on the whole real domain.",
    ),
    click.option(
        "--require-continuous",
        is_flag=True,
        help="Refuse an antiderivative that jumps where the integrand does not.",
    ),
    click.option(
        "--accept",
        default="agreement",
        show_default=True,
        type=click.Choice(get_args(Acceptance)),
        help="What an accepted answer may rest on; with proof, what only agrees is undecided.",
    ),
    click.option(
        "--method",
        default="balls",
        show_default=True,
        type=click.Choice(get_args(Method)),
        help="Our verifier, or that of AntiderivBench (published) or Welleck et al.",
    ),
    click.option(
        "--deadline",
        type=click.FloatRange(0, min_open=True),
        metavar="SECONDS",
        help="For one answer; by default 10, with --method published 30, welleck 1.",
    ),
)


#: How to read a benchmark that is a file (or ``file:``, ``hub:``).
source_options = together(
    click.option(
        "--columns",
        multiple=True,
        metavar="FIELD=COLUMN,...",
        help="Columns of a file, as in integrand=problem,antiderivative=answer.",
    ),
    click.option(
        "--syntax",
        type=click.Choice(["latex", "sympy"]),
        help="Notation of a file's formulas; by default LaTeX.",
    ),
    click.option("--split", metavar="NAME", help="Split of a data set."),
    click.option(
        "--skip-broken",
        is_flag=True,
        help="Leave out rows of a file that cannot be used, with a warning.",
    ),
)


def with_source_options(benchmarks: Sequence[str], **options: Any) -> tuple[str, ...]:
    """The benchmarks' names, with `source_options` added to the names of files."""
    from ..run.spec import FileSettings

    return FileSettings(**options).added_to(benchmarks)


def refuse_given(names: Sequence[str], why: str) -> None:
    """Raise `UserError` if the running command got one of the parameters.

    Args:
        names: parameters, as ``max_operators``.
        why: ends the message "--max-operators has no effect ...".

    Raises:
        UserError: a parameter is on the command line, even with the default value.

    """
    ctx = click.get_current_context()
    for parameter in ctx.command.params:
        if (
            parameter.name in names
            and ctx.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE
        ):
            raise UserError(f"{parameter.opts[-1]} has no effect {why}")


def key_values(settings: Iterable[str], flag: str) -> dict[str, str]:
    """The settings of a repeatable ``flag KEY=VALUE``; of a repeated key the last."""
    pairs = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key:
            raise UserError(f"{flag} takes KEY=VALUE, not {setting!r}")
        pairs[key] = value
    return pairs


def preset_file(name: str) -> Path:
    """The settings of a preset, a file in the format of ``--config``."""
    path = Path(str(PRESETS / f"{name}.toml"))
    if not path.is_file():
        presets = [
            str(entry.relative_to(PRESETS).with_suffix("")) for entry in PRESETS.rglob("*.toml")
        ]
        raise UserError(f"no preset {name!r}; {suggest(name, presets)}")
    return path

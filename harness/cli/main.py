"""The command line: each command is a module that parses, calls a function and prints.

Results go to stdout, messages to stderr. Exit status: 0 success; 1 a negative result (a wrong
answer, a reference that is not proven, a sweep without all answers); 2 an error of the user; 3
undecided; 130 interrupted.
"""

from __future__ import annotations

import sys
import warnings
from copy import copy
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import click

from ..core.program import program


class Commands(click.Group):
    """Imports a command at the first use, and turns errors of the user into a single line."""

    #: Command -> its module and function, and its first line of help: `--help` imports nothing.
    COMMANDS: ClassVar[dict[str, tuple[str, str]]] = {
        "audit": (".audit:audit", "Find the wrong references of a problem set, with proof."),
        "brittleness": (
            ".studies.papers:brittleness",
            'Print the tables of "Symbolic Brittleness" for runs.',
        ),
        "check": (".verify:check", "Check a certificate, or a run's certificates."),
        "compare": (".compare:compare", "Compare models, or perturbations with their originals."),
        "convert": (
            ".studies.papers:convert_checkpoint",
            "Make a model folder of a checkpoint of Lample and Charton.",
        ),
        "drop": (".runs:drop", "Remove a model, or the verdicts of a policy, from a run."),
        "export": (".report:export_samples", "Write every sample of a run for other programs."),
        "generate": (
            ".generate.problems:generate",
            "Write problems to a file, or a set to train on.",
        ),
        "hint": (".studies.hint:hint", "Figures of HINT as tables, a page and SVG files."),
        "logprobs": (
            ".studies.papers:logprobs",
            "Ask a model for the likelihood of a run's references.",
        ),
        "ls": (".ls:ls", "List benchmarks, models, prompts and tasks."),
        "pairwise": (".studies.papers:pairwise", "Analyse items with perturbed twins."),
        "push": (
            ".report:push",
            "Push a run, or a set of problems, to a hub as a data set with a card.",
        ),
        "redteam": (".studies.redteam:redteam", "Search for wrong verdicts of the verifier."),
        "report": (".report:report", "Print the results of runs, and write a page."),
        "reproduce": (".studies.reproduce:reproduce", "Repeat a published table or figure."),
        "runs": (".runs:runs", "List runs: what was asked of whom, how much is stored."),
        "score": (".runs:score", "Judge a run's answers, without asking any model."),
        "search": (".studies.search:search", "Search for problems that a model fails."),
        "serve-reward": (
            ".serve:serve_reward",
            "Serve rewards over HTTP to trainers on other machines.",
        ),
        "steps": (
            ".studies.steps:steps",
            "Judge every step of a run's solutions.",
        ),
        "sweep": (".sweep:sweep", "Ask models for answers, score them, and print the table."),
        "train": (".train:train", "Train a model, with the verifier as the reward."),
        "verify": (".verify:verify", "Judge an answer."),
        "view": (
            ".report:view",
            "Show samples of a run, whole: prompt, completion, verdict, evidence.",
        ),
    }

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.COMMANDS:
            return None
        module, _, attribute = self.COMMANDS[name][0].partition(":")
        command: click.Command = getattr(import_module(module, __package__), attribute)
        return _as_called(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.COMMANDS and not args[0].startswith("-"):
            from ..core.errors import suggest  # imports the verifier, which `--help` does not need

            hint = suggest(args[0], self.COMMANDS)
            raise click.UsageError(f"no command {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command line and exit with the status."""
        try:
            _plain_warnings()
            sys.exit(super().main(*args, **kwargs | {"standalone_mode": False}) or 0)
        except click.exceptions.Exit as stop:
            sys.exit(stop.exit_code)
        except click.ClickException as error:
            _fail(error.format_message())
        except (KeyboardInterrupt, click.Abort):
            print("interrupted", file=sys.stderr)
            sys.exit(130)
        except BrokenPipeError:  # the reader of a pipe has closed it
            sys.stderr.close()
            sys.exit(0)
        except OSError as error:  # a folder that is read-only, a disk that is full
            if error.filename is None:
                raise
            _fail(f"cannot use {error.filename}: {error.strerror}")
        except ValueError as error:
            from ..core.errors import UserError

            if not isinstance(error, UserError):
                raise
            _fail(str(error))


def _as_called(command: click.Command) -> click.Command:
    """A command whose help shows the command line as called."""
    renamed = copy(command)
    if isinstance(renamed, click.Group):
        renamed.commands = {
            name: _as_called(subcommand) for name, subcommand in renamed.commands.items()
        }
    renamed.help, renamed.epilog = (
        text and text.replace("run.py ", f"{program()} ") for text in (command.help, command.epilog)
    )
    return renamed


def _plain_warnings() -> None:
    """Print warnings as single lines."""
    warnings.formatwarning = lambda message, *_, **__: f"warning: {message}\n"


def _fail(message: str) -> None:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="calculus-harness", prog_name="calculus-harness")
def cli() -> None:
    """Benchmarks and a trustworthy verifier for models that do calculus."""


def main() -> None:
    """Run the command line of the process."""
    cli(prog_name=Path(sys.argv[0]).name)

"""The command line: each command is one module that parses, calls one function and prints.

Results go to stdout, messages to stderr. Exit status: 0 success; 1 a negative result (a wrong
answer, a reference that is not proven, a sweep without all answers); 2 an error of the user; 3
undecided; 130 interrupted.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import click


class Commands(click.Group):
    """Imports a command when it is used, and turns errors of the user into one line."""

    #: Command -> its module and function, and its first line of help: `--help` imports nothing.
    COMMANDS: ClassVar[dict[str, tuple[str, str]]] = {
        "brittleness": (
            ".studies:brittleness",
            'Print the tables of "Symbolic Brittleness" for runs.',
        ),
        "compare": (".compare:compare", "Compare models, or perturbations with their originals."),
        "export": (".report:export_samples", "Write every sample of a run for other programs."),
        "generate": (
            ".generate.problems:generate",
            "Write problems to a file, or a set to train on.",
        ),
        "logprobs": (".studies:logprobs", "Ask a model how likely it finds a run's references."),
        "ls": (".ls:ls", "List benchmarks, models, prompts and tasks."),
        "pairwise": (".studies:pairwise", "Analyse items with their perturbed twins."),
        "redteam": (".redteam:redteam", "Search for wrong verdicts of the verifier."),
        "report": (".report:report", "Print the table of runs, and write their page."),
        "score": (".score:score", "Judge a run's answers, without asking any model."),
        "serve-reward": (
            ".serve:serve_reward",
            "Serve rewards over HTTP to trainers on other machines.",
        ),
        "sweep": (".sweep:sweep", "Ask models for answers, score them, and print the table."),
        "train": (".train:train", "Train a model, with the verifier as the reward."),
        "verify": (".verify:verify", "Judge one answer."),
        "view": (".report:view", "Show a problem of a run, or one sample, whole."),
    }

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.COMMANDS:
            return None
        module, _, attribute = self.COMMANDS[name][0].partition(":")
        command: click.Command = getattr(import_module(module, __package__), attribute)
        return command

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
        """Run a command line and exit with its status."""
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
        except ValueError as error:
            from ..core.errors import UserError

            if not isinstance(error, UserError):
                raise
            _fail(str(error))


def _plain_warnings() -> None:
    """Print warnings as one line each."""
    warnings.formatwarning = lambda message, *_, **__: f"warning: {message}\n"


def _fail(message: str) -> None:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="calculus-harness", prog_name="calculus-harness")
def cli() -> None:
    """Benchmarks and a trustworthy verifier for models that do calculus."""


def main() -> None:
    """Run the command line of this process."""
    cli(prog_name=Path(sys.argv[0]).name)

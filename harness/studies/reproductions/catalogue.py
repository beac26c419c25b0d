"""Published results of papers, and the commands that reproduce them.

The data are in `catalogue.toml`. `run.py reproduce` runs the commands in `catalogue.toml`. The
tables of docs/reproduce.md are made from `catalogue.toml`. The numbers that a command measures are
in the result file that the command writes (`measurements`).
"""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from ....rewards.records import convert
from ...core.errors import UnknownNameError, UserError, suggest
from ...report.sections import Section
from .measurements import Measurement, recorded

#: Placeholders in commands for the options of `run.py reproduce`.
MODEL, OUT = "model", "out"


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A published table or figure, or a part of a table.

    Attributes:
        name: the name for `run.py reproduce`. The name is empty if there is no command.
        place: the table or figure in the paper.
        needs: what the command needs, such as processor time, a GPU or a key.
        commands: the command lines of `run.py`. In them, ``{out}`` is replaced by the folder of
            results, and ``{model}`` by a model that the user names.
        small: the command lines of a smaller run.
        size: what is smaller in the smaller run.
        time: the duration on our machine.
        ours: our numbers. If there is a ``measure``, ``ours`` is a format string for the measured
            values.
        published: the paper's numbers.
        not_run: the reason why the command, or its full size, was not run here.
        measure: the name of the function that reads the numbers from the folder of results
            (`measures.MEASURES`).
        own_model: the model of our measurement, for commands whose model the user names.
        check: whether `reproduce --check` repeats the measurement. This is true for measurements
            that take at most about a minute of processor time and give the same numbers on every
            machine.
        seed: the seed of the measurement's data.

    """

    place: str
    name: str = ""
    needs: str = ""
    commands: tuple[str, ...] = ()
    small: tuple[str, ...] = ()
    size: str = ""
    time: str = ""
    ours: str = ""
    published: str = ""
    not_run: str = ""
    measure: str = ""
    own_model: str = ""
    check: bool = False
    seed: int = 0

    @property
    def measured_commands(self) -> tuple[str, ...]:
        """The commands of our measurement.

        If there is a smaller run, these are the commands of the smaller run.
        """
        return self.small or self.commands

    def command_lines(
        self, out: str, model: str | None = None, *, small: bool = False
    ) -> list[list[str]]:
        """The arguments of `run.py` in each command line.

        Args:
            out: the folder of results.
            model: the model to ask, a value of ``--model``.
            small: whether to use the commands of the smaller run.

        Returns:
            A list of arguments for each command.

        Raises:
            UserError: there are no commands of this size, ``model`` is needed and missing, or
                ``model`` is given and not needed.

        """
        lines = self.small if small else self.commands
        if not lines:
            size = " at a reduced size" if small else ""
            raise UserError(f"{self.name} has no command{size}: {self.not_run or 'it runs whole'}")
        names_model = any(f"{{{MODEL}}}" in line for line in lines)
        if names_model and model is None:
            raise UserError(f"{self.name} asks a model of your own: name it with --model KIND/NAME")
        if model is not None and not names_model:
            raise UserError(f"{self.name} names its models; leave out --model")
        values = {OUT: out, MODEL: model or ""}
        return [[word.format(**values) for word in shlex.split(line)] for line in lines]


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper with its published results."""

    title: str
    results: tuple[Reproduction, ...]
    remark: str = ""


@cache
def papers() -> tuple[Paper, ...]:
    """Read all papers and their published results, in the order of the file."""
    text = resources.files(__package__).joinpath("catalogue.toml").read_text(encoding="utf-8")
    return convert(tomllib.loads(text)["paper"], tuple[Paper, ...])


def reproduction(name: str) -> Reproduction:
    """The reproduction with the name ``name``.

    Raises:
        UnknownNameError: no reproduction has this name.

    >>> reproduction("antiderivbench-table1-sympy").place
    'Table 1, SymPy'

    """
    by_name = {result.name: result for paper in papers() for result in paper.results if result.name}
    if name not in by_name:
        raise UnknownNameError(f"no reproduction {name!r}; {suggest(name, by_name)}")
    return by_name[name]


def sections() -> list[Section]:
    """Make a table for each paper, with its published numbers beside ours."""
    headings = ("published in", "`reproduce`", "needs", "time here", "ours", "paper")
    return [
        Section(
            paper.title,
            headings,
            tuple(_cells(result) for result in paper.results),
            (paper.remark,) * bool(paper.remark),
            names=len(headings),
        )
        for paper in papers()
    ]


def our_numbers(result: Reproduction) -> str:
    """Write our numbers as text, with the version, seed and date of the measurement.

    >>> our_numbers(reproduction("hint-table-a1"))[:9]
    'test: I 9'
    """
    if not result.measure:
        return result.ours
    measurement: Measurement = recorded(result.name)
    return f"{result.ours.format(**measurement.values)} ({measurement.origin})"


def checked() -> list[Reproduction]:
    """The reproductions that `reproduce --check` repeats."""
    return [result for paper in papers() for result in paper.results if result.check]


def _cells(result: Reproduction) -> tuple[str, ...]:
    name = f"`{result.name}`" if result.name else ""
    if result.name and result.small:
        name += f" (`--small`: {result.size})"
    ours = our_numbers(result)
    if result.not_run:
        ours = f"{ours}; not run whole: {result.not_run}" if ours else f"not run: {result.not_run}"
    return result.place, name, result.needs, result.time, ours, result.published


def described() -> Sequence[Mapping[str, object]]:
    """The papers and their reproductions as data for JSON."""
    return [
        {"paper": paper.title, "place": result.place, "name": result.name, "needs": result.needs}
        | {"commands": list(result.commands), "small": list(result.small), "time": result.time}
        | {"ours": our_numbers(result), "published": result.published, "not_run": result.not_run}
        for paper in papers()
        for result in paper.results
    ]

"""The base classes of solvers: a worker pool, limits of time and memory, and failures."""

from __future__ import annotations

import shutil
import subprocess
from abc import abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, TypeAlias

from ....benchmarks.problem import Problem
from ....rewards.expression.traversal import symbols_of
from ....rewards.expression.tree import Call, Expression, Symbol
from ....rewards.latex import ReadError, to_latex
from ....rewards.latex import read as read_latex
from ....rewards.workers.pool import WorkerError, WorkerPool, WorkerTimeout, usable_cores
from ...core.errors import ModelError
from ...core.requests import Completion, FinishReason, Request, digest
from ..base import Model, ask_each, operational
from .infix import INTEGRAL, LIST, Dialect, NotationError, read, unknown_functions, write

#: The deadline on the wall clock, for an overloaded machine or a program that waits: seconds for
#: each second of processor time, and for a worker to start.
DEADLINE_FACTOR = 6.0
START_SECONDS = 30.0

#: A reply of `_worker`.
Reply: TypeAlias = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Solver(Model):
    """A computer algebra system that finds one antiderivative at a time.

    ``time_limit`` is in seconds of the system's processor time: other load on the machine and
    ``concurrency`` do not change what is solved. A timeout is a completion like any other and is
    not tried again. Prompt and sampling are ignored.
    """

    time_limit: float = 10.0
    memory_mb: int = 4096
    concurrency: int = operational(0)  # 0: as many as there are cores

    #: The function of `_worker` that runs the system.
    task: ClassVar[str]

    def __post_init__(self) -> None:
        if self.time_limit <= 0 or self.memory_mb <= 0 or self.concurrency < 0:
            raise ValueError("time-limit and memory-mb must be positive, concurrency not negative")

    @property
    def deterministic(self) -> bool:
        return True

    def fingerprint(self) -> dict[str, Any]:
        return {"clock": "processor"}

    @abstractmethod
    def task_arguments(self, problem: Problem, folder: str) -> Sequence[Any]:
        """Return the task's arguments without the time limit; ``folder`` is for its files.

        Raises:
            NotationError: The system has no notation for the problem.

        """

    @abstractmethod
    def parse_reply(self, problem: Problem, reply: Reply) -> tuple[str, str]:
        """Return the antiderivative in LaTeX (empty if the system gave up) and a remark."""

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        size = self.concurrency or usable_cores()
        deadline = START_SECONDS + DEADLINE_FACTOR * self.time_limit

        async def ask(request: Request) -> Completion:
            problem = request.problem
            if problem.task != "integration":
                raise ModelError(f"{self.spec} integrates; it cannot do the task {problem.task!r}")
            try:
                arguments = [*self.task_arguments(problem, folder), self.time_limit]
            except NotationError as error:
                return Completion.to(request, "", detail=str(error))
            except ReadError as error:
                return _failure(request, f"ReadError: {error}")
            (reply,) = await pool.amap(self.task, [arguments], deadline=deadline)
            if isinstance(reply, WorkerTimeout):  # a fault of the machine, not of the system
                return _failure(request, str(reply), reason=FinishReason.UNREACHABLE)
            if isinstance(reply, WorkerError):
                return _failure(request, str(reply))
            return self._completion(request, reply)

        tasks = {self.task: f"{__package__}._worker:{self.task}"}
        with (
            TemporaryDirectory(prefix="calculus-harness-", ignore_cleanup_errors=True) as folder,
            WorkerPool(size, self.memory_mb, tasks=tasks) as pool,
        ):
            async with aclosing(ask_each(requests, ask, size)) as completions:
                async for completion in completions:
                    yield completion

    def _completion(self, request: Request, reply: Reply) -> Completion:
        seconds: float = reply["seconds"]
        if reply["outcome"] == "time":
            return Completion.to(
                request,
                "",
                finish_reason=FinishReason.TIME_LIMIT,
                detail=f"no result in {self.time_limit:g} s of processor time",
                latency=self.time_limit,
            )
        if reply["outcome"] == "memory":
            return _failure(request, f"out of memory ({self.memory_mb} MB)", seconds)
        if reply["outcome"] != "answer":
            return _failure(request, reply["detail"], seconds)
        latex, remark = self.parse_reply(request.problem, reply)
        text = rf"\boxed{{{latex} + C}}" if latex else ""
        return Completion.to(request, text, detail=remark[:500], latency=seconds)


def _failure(
    request: Request,
    detail: str,
    seconds: float = 0.0,
    *,
    reason: FinishReason = FinishReason.ERROR,
) -> Completion:
    return Completion.to(request, "", finish_reason=reason, detail=detail[:500], latency=seconds)


@dataclass(frozen=True, kw_only=True)
class ProgramSolver(Solver):
    """A system that is a program: it runs a script that writes the answer to a file, in one line.

    A subclass has the system's ``dialect``, `command` and `script`. Integrands are printed from
    parsed expressions, never passed on as text; answers are parsed, never evaluated.
    """

    task: ClassVar[str] = "run_program"
    dialect: ClassVar[Dialect]
    program: ClassVar[str]
    #: The Debian package with the program.
    package: ClassVar[str]

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self._program

    @property
    def _program(self) -> str:
        path = shutil.which(self.program)
        if path is None:
            raise ModelError(
                f"{self.spec} needs the program {self.program!r}, which is not installed; "
                f"on Debian or Ubuntu: apt install {self.package}"
            )
        return path

    def fingerprint(self) -> dict[str, Any]:
        script = digest(self.script("INTEGRAND", {"PARAMETER": "positive"}))
        return super().fingerprint() | {"version": _version(self._program), "script": script}

    @abstractmethod
    def command(self, program: str) -> list[str]:
        """Return the command line; it runs in a folder with the file ``script``."""

    @abstractmethod
    def script(self, integrand: str, assumptions: dict[str, str]) -> str:
        """Return a script that writes an antiderivative in x to the file ``answer``.

        Args:
            integrand: In the system's notation.
            assumptions: The kinds of the other symbols (``positive``, ``integer``, ...).

        """

    @abstractmethod
    def error_message(self, output: str) -> str:
        """Return why there is no answer, from what the program printed."""

    def task_arguments(self, problem: Problem, folder: str) -> Sequence[Any]:
        variable = str(problem.inputs["variable"])
        tree = read_latex(str(problem.inputs["integrand"]), symbols=[variable])[0].expression
        names = _names(tree, variable)
        kinds = {
            name: problem.assumptions.get(symbol, "positive")
            for symbol, name in names.items()
            if symbol != variable
        }
        script = self.script(write(tree, self.dialect, names), kinds)
        return self.command(self._program), script, folder

    def parse_reply(self, problem: Problem, reply: Reply) -> tuple[str, str]:
        if not reply["text"]:
            message = self.error_message(reply["output"])
            return "", f"no answer: {message}" if message else "no answer"
        variable = str(problem.inputs["variable"])
        tree = read_latex(str(problem.inputs["integrand"]), symbols=[variable])[0].expression
        symbols = {name: symbol for symbol, name in _names(tree, variable).items()}
        try:
            answer = read(reply["text"], self.dialect, symbols)
        except NotationError as error:
            return "", str(error)
        remark = ""
        if isinstance(answer, Call) and answer.function == LIST:
            if not answer.args:
                return "", "an empty list of answers"
            remark, answer = f"the first of {len(answer.args)} answers", answer.args[0]
        unknown = sorted(unknown_functions(answer) - {INTEGRAL})
        if unknown:
            remark = "; ".join(filter(None, [remark, f"uses {', '.join(unknown)}"]))
        return _latex(answer), remark


def _names(tree: Expression, variable: str) -> dict[str, str]:
    """Map symbols to names that have no meaning in any system."""
    others = sorted(symbols_of(tree) - {variable})
    return {variable: "x"} | {name: f"p{number}" for number, name in enumerate(others, 1)}


def _latex(answer: Expression) -> str:
    """Return an answer in LaTeX, with unevaluated integrals as such."""
    if isinstance(answer, Call) and answer.function == INTEGRAL and len(answer.args) == 2:
        integrand, variable = answer.args
        if isinstance(variable, Symbol):
            text = to_latex(integrand)
            if isinstance(integrand, Call) and integrand.function == "add":
                text = rf"\left({text}\right)"
            return rf"\int {text} \, d{to_latex(variable)}"
    return to_latex(answer)


@cache
def _version(program: str) -> str:
    """Return the first line of a program's ``--version``."""
    try:
        process = subprocess.run(
            [program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ModelError(f"cannot run {program}: {error}") from None
    lines = process.stdout.decode(errors="replace").split("\n")
    return next((line.strip() for line in lines if line.strip()), "unknown")

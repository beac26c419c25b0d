"""What all solvers share: a pool of workers, the clock, and what becomes of failures."""

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
from ...core.errors import ModelError
from ...core.requests import Completion, FinishReason, Request, digest
from ..base import Model, ask_each, operational
from .infix import INTEGRAL, LIST, Dialect, NotationError, foreign, read, write

#: Seconds of wall clock for each second of processor time, and for a worker to start: the backstop
#: for a machine that is overloaded, or a program that waits for something.
PATIENCE = 6.0
START = 30.0

#: What `_worker` says of one problem.
Reply: TypeAlias = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Solver(Model):
    """A computer algebra system that is asked for one antiderivative at a time.

    ``time_limit`` is in seconds of the system's own processor time, so that neither other work on
    the machine nor ``concurrency`` decides what is solved. What was not finished in time is
    recorded as such, so that a resumed run repeats the decision and not the race. Prompt and
    sampling are ignored.
    """

    time_limit: float = 10.0
    memory_mb: int = 4096
    concurrency: int = operational(0)  # 0: as many as there are cores

    #: The function of `_worker` that asks the system.
    task: ClassVar[str]

    def __post_init__(self) -> None:
        if self.time_limit <= 0 or self.memory_mb <= 0 or self.concurrency < 0:
            raise ValueError("time-limit and memory-mb must be positive, concurrency not negative")

    def fingerprint(self) -> dict[str, Any]:
        return {"clock": "processor"}

    @abstractmethod
    def question(self, problem: Problem, folder: str) -> Sequence[Any]:
        """The task's arguments but for the time limit; ``folder`` is a place for files.

        Raises `NotationError` for a problem that the system has no words for.
        """

    @abstractmethod
    def answer(self, problem: Problem, reply: Reply) -> tuple[str, str]:
        """The antiderivative in LaTeX (empty if the system gave up) and a remark."""

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        from ....rewards.workers.pool import WorkerError, WorkerPool, WorkerTimeout, usable_cores

        size = self.concurrency or usable_cores()
        deadline = START + PATIENCE * self.time_limit

        async def ask(request: Request) -> Completion:
            problem = request.problem
            if problem.task != "integration":
                raise ModelError(f"{self.spec} integrates; it cannot do the task {problem.task!r}")
            try:
                question = [*self.question(problem, folder), self.time_limit]
            except NotationError as error:
                return Completion.to(request, "", detail=str(error))
            except ReadError as error:
                return _failure(request, f"ReadError: {error}")
            (reply,) = await pool.amap(self.task, [question], deadline=deadline)
            if isinstance(reply, WorkerTimeout):  # the machine's fault, not the system's
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
        latex, remark = self.answer(request.problem, reply)
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
    """A system that is a program: it gets a script, and writes its answer in one line.

    A subclass says how: ``dialect`` has the names, `command` starts it, `script` asks. Integrands
    are printed from our expression trees, never passed through as text; answers are only read.
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
        asked = digest(self.script("INTEGRAND", {"PARAMETER": "positive"}))
        return super().fingerprint() | {"version": _version(self._program), "script": asked}

    @abstractmethod
    def command(self, program: str) -> list[str]:
        """The program with its arguments; it runs in a folder that holds the file ``script``."""

    @abstractmethod
    def script(self, integrand: str, assumptions: dict[str, str]) -> str:
        """What to ask: the antiderivative in x of a text in the system's notation.

        ``assumptions`` has the kinds of the other symbols. The answer goes to the file ``answer``.
        """

    @abstractmethod
    def complaint(self, said: str) -> str:
        """Why there is no answer, out of what the program printed."""

    def question(self, problem: Problem, folder: str) -> Sequence[Any]:
        variable = str(problem.inputs["variable"])
        tree = read_latex(str(problem.inputs["integrand"]), symbols=[variable])[0].expression
        names = _names(tree, variable)
        kinds = {
            theirs: problem.assumptions.get(ours, "positive")
            for ours, theirs in names.items()
            if ours != variable
        }
        script = self.script(write(tree, self.dialect, names), kinds)
        return self.command(self._program), script, folder

    def answer(self, problem: Problem, reply: Reply) -> tuple[str, str]:
        if not reply["text"]:
            said = self.complaint(reply["said"])
            return "", f"no answer: {said}" if said else "no answer"
        variable = str(problem.inputs["variable"])
        tree = read_latex(str(problem.inputs["integrand"]), symbols=[variable])[0].expression
        symbols = {theirs: ours for ours, theirs in _names(tree, variable).items()}
        try:
            answer = read(reply["text"], self.dialect, symbols)
        except NotationError as error:
            return "", str(error)
        remark = ""
        if isinstance(answer, Call) and answer.function == LIST:
            if not answer.args:
                return "", "an empty list of answers"
            remark, answer = f"the first of {len(answer.args)} answers", answer.args[0]
        unknown = sorted(foreign(answer) - {INTEGRAL})
        if unknown:
            remark = "; ".join(filter(None, [remark, f"uses {', '.join(unknown)}"]))
        return _latex(answer), remark


def _names(tree: Expression, variable: str) -> dict[str, str]:
    """Our symbols -> names that mean nothing special to any system."""
    others = sorted(symbols_of(tree) - {variable})
    return {variable: "x"} | {name: f"p{number}" for number, name in enumerate(others, 1)}


def _latex(answer: Expression) -> str:
    """LaTeX that says what was said: an integral left as it was is one."""
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
    """The first line that a program says of its version."""
    try:
        said = subprocess.run(
            [program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ModelError(f"cannot run {program}: {error}") from None
    lines = said.stdout.decode(errors="replace").split("\n")
    return next((line.strip() for line in lines if line.strip()), "unknown")
